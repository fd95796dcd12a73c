"""A process that leads and writes: ``python leader.py KUBECONFIG HOLDER``; a line a write."""

import sys
import time

from gangplan.cluster.client import connect
from gangplan.cluster.errors import Fenced
from gangplan.cluster.kinds import CONFIG_MAP
from gangplan.cluster.lock import Lock

NAMESPACE = "gangplan-system"


def main(kubeconfig: str, holder: str) -> int:
    client = connect(kubeconfig)
    lock = Lock(client, NAMESPACE, holder, duration=3, renew=2, retry=0.4, say=_say)
    writing = client.guarded(lock.guard)
    lock.acquire(None)
    for number in range(1000):
        body = {"metadata": {"name": f"by-{holder}-{number}"}}
        try:
            writing.post(CONFIG_MAP.path(NAMESPACE), body)
        except Fenced as fenced:
            _say(f"fenced: {fenced}")
            return 4
        _say(f"wrote {number}")
        time.sleep(0.05)
    return 0


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
