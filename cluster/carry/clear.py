"""Waits until victims, and the devices of their claims, are gone; then looks at the room again."""

from gangplan.cluster import claims
from gangplan.cluster.carry import fitting, look
from gangplan.cluster.carry.journal import Journal
from gangplan.cluster.carry.patience import Pauses
from gangplan.cluster.errors import ClusterError
from gangplan.cluster.flight import Falling
from gangplan.cluster.world import seconds_of, uid_of


def clear(journal: Journal) -> str:
    """Wait for the room of a flight, and check it.

    Raises
    ------
    ClusterError : victims or their claims do not go, or the room is not free.
    """
    site, flight = journal.site, journal.flight
    if flight.fallings:
        _wait_for_pods(journal)
        claims.free(site, flight)
        _wait_for_claims(journal)
    if site.checked(flight):
        return "claim" if flight.allocatings else "bind"
    broken = fitting.violations(journal)
    if broken:
        raise ClusterError(f"the room is not there (any more): {'; '.join(broken)}")
    return "claim" if flight.allocatings else "bind"


def _wait_for_pods(journal: Journal) -> None:
    left = list(journal.flight.fallings)
    pauses = Pauses(journal.site.waits.leave + _grace(journal, left))
    while left := _there(journal, left):
        if not pauses.rest():
            names = ", ".join(falling.pod for falling in left[:5])
            raise ClusterError(f"{len(left)} evicted pods do not go: {names}")


def _grace(journal: Journal, fallings: list[Falling]) -> float:
    """Seconds that victims may still take to end: they are lost, whether we wait or not."""
    site = journal.site
    pods = look.pods_of(site, (falling.pod for falling in fallings))
    ends = [pods[f.pod]["metadata"].get("deletionTimestamp") for f in fallings if f.pod in pods]
    return max([0.0, *(seconds_of(end) - site.client.now() for end in ends if end)])


def _there(journal: Journal, fallings: list[Falling]) -> list[Falling]:
    """Victims that still hold room; a finished pod holds none."""
    pods = look.pods_of(journal.site, (falling.pod for falling in fallings))
    found = ((falling, pods.get(falling.pod)) for falling in fallings)
    return [
        falling
        for falling, pod in found
        if pod is not None and uid_of(pod) == falling.uid and not look.finished(pod)
    ]


def _wait_for_claims(journal: Journal) -> None:
    pauses = Pauses(journal.site.waits.leave)
    while not claims.freed(journal.site, journal.flight):
        if not pauses.rest():
            raise ClusterError("the claims of evicted pods keep their devices")
