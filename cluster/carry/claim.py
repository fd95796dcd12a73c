"""Claims of a flight: their devices, and the wait until these can be used."""

from gangplan.cluster import claims
from gangplan.cluster.carry.journal import Journal


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
    ClusterError : they do not come, or a device says that it has failed.
    """
    claims.ready(journal.site, journal.flight)
    return "bind"
