"""``python -m tests.cluster.cases [--version 1.37] [--only ID]``: one line a case, then counts.

The cases of ``tests/cases``, through a real API server: what of a case the server does not take is
said as todo.
"""

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.cases.read import read_cases
from tests.cases.run import FAIL, OK, TODO
from tests.cluster.cases.run import run
from tests.cluster.live import Live
from tests.controlplane.binaries import VERSIONS
from tests.controlplane.plane import ControlPlane

FILE = Path(__file__).resolve().parents[2] / "cases" / "reports-a.yaml"


def main(arguments: list[str]) -> int:
    """Run the cases on a control plane of their own; exit status 1 on any FAIL."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.cases", description=__doc__)
    parser.add_argument("--version", choices=VERSIONS, default=max(VERSIONS))
    parser.add_argument("--only", action="append", metavar="ID", help="run this case alone")
    options = parser.parse_args(arguments)
    cases = [case for case in read_cases(FILE) if not options.only or case.id in options.only]
    counts: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        ControlPlane(options.version, Path(folder) / "plane", kubelets=False) as plane,
    ):
        live = Live(plane, Path(folder))
        for number, case in enumerate(cases):
            verdict = run(live, case, Path(folder) / str(number))
            counts[verdict.word] += 1
            print(verdict.line(), flush=True)
    print(", ".join(f"{counts[word]} {word}" for word in (OK, FAIL, TODO)))
    return 1 if counts[FAIL] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
