"""``python -m tests.cluster.audit --kubeconfig FILE [--moving]``: exit status 1 on any finding."""

import argparse
import sys

from gangplan.cluster.client import connect
from gangplan.cluster.discovery import discover
from tests.cluster.audit import audit


def main(arguments: list[str]) -> int:
    """Print what is wrong, a line each."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.audit", description=__doc__)
    parser.add_argument("--kubeconfig", metavar="FILE")
    parser.add_argument("--scheduler-name", default="gangplan", metavar="NAME")
    parser.add_argument("--moving", action="store_true", help="a flight may be on its way")
    options = parser.parse_args(arguments)
    client = connect(options.kubeconfig)
    found = audit(
        client, discover(client), settled=not options.moving, scheduler=options.scheduler_name
    )
    print("\n".join(found) or "all is well")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
