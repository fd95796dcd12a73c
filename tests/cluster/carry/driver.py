"""``python -m tests.cluster.carry.driver KUBECONFIG FLIGHT HOLDER``: finish what is left, then fly.

A process of its own, so that ``GANGPLAN_FAULTPOINT`` can kill it.
"""

import json
import sys
from pathlib import Path

from gangplan.cluster.carry import carry, resume
from gangplan.cluster.client import connect
from gangplan.cluster.discovery import discover
from gangplan.cluster.flight import flight_of
from gangplan.cluster.listing import take
from gangplan.cluster.site import Site
from tests.cluster.carry.flown import SHORT


def main(kubeconfig: str, flight: str, holder: str) -> None:
    """Carry out a flight as ``apply`` does."""
    client = connect(kubeconfig)
    served = discover(client)
    site = Site(
        client=client,
        served=served,
        world=lambda: take(client, served, evict_foreign=True),
        holder=holder,
        evict_foreign=True,
        waits=SHORT,
    )
    if not resume(site):
        carry(site, flight_of(json.loads(Path(flight).read_text())))


if __name__ == "__main__":
    main(*sys.argv[1:])
