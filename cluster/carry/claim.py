"""Claims of a flight: their devices, and the wait until these can be used."""

import time

from gangplan.cluster import claims
from gangplan.cluster.carry import fitting
from gangplan.cluster.carry.journal import Journal
from gangplan.cluster.errors import ClusterError

_LONG = 1.0
"""Seconds of waiting after which the room is looked at once more."""


def claim(journal: Journal) -> str:
    """Write the allocations of a flight.

    Raises
    ------
    ClusterError : a claim cannot be had.
    """
    claims.allocate(journal.site, journal.flight)
    journal.outcome.allocated = [
        one.claim for one in journal.flight.allocatings if one.allocation is not None
    ]
    return "ready"


def ready(journal: Journal) -> str:
    """Wait for the binding conditions of the devices (KEP-5007).

    Raises
    ------
    ClusterError : they do not come, a device says that it has failed, or the room is gone.
    """
    begun = time.monotonic()
    claims.ready(journal.site, journal.flight)
    if time.monotonic() - begun > _LONG:
        broken = fitting.violations(journal)
        if broken:
            said = "; ".join(broken)
            raise ClusterError(f"the room is gone since devices were waited for: {said}")
    return "bind"
