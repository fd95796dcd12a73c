"""The cluster as the watches know it: as it is known now, or as new as everything before now.

What is known now costs nothing, and lacks what the watches have not told yet. For what we write
ourselves that gap is closed without waiting: a flight is laid over the world until the world shows
what it did (``settled``).
"""

from collections.abc import Collection
from dataclasses import dataclass

from gangplan.cluster.client import Client
from gangplan.cluster.flight import Flight
from gangplan.cluster.kinds import POD
from gangplan.cluster.outcome import Outcome
from gangplan.cluster.scheduler.overlay import bound
from gangplan.cluster.watched import Watched
from gangplan.cluster.world import Object, World, uid_of

_CLAIM = "ResourceClaim"


@dataclass(frozen=True, slots=True)
class Seeing:
    """Looks at the cluster through the watches."""

    client: Client
    watched: Watched

    def now(self) -> World:
        """Give what is known now.

        Raises
        ------
        Unreachable : the watches have not listed everything.
        """
        return self.watched.world()

    def exact(self) -> World:
        """Give a world whose pods and claims are as new as everything written before the call.

        Where nothing happens to them that takes a second or two: flights ask that have evicted,
        whose victims the watches may not know to be gone.

        Raises
        ------
        ClusterError : the server does not answer.
        """
        metadata = self.client.get(POD.path(), {"limit": 1})["metadata"]
        newest = str(metadata["resourceVersion"])
        kinds = ["Pod"]
        if self.watched.world().objects.get(_CLAIM):
            kinds.append(_CLAIM)
        return self.watched.world(at_least=dict.fromkeys(kinds, newest))


def settled(world: World, flight: Flight, outcome: Outcome) -> bool:
    """Whether a world shows what a flight that has ended did to pods and claims."""
    pods = {uid_of(pod): pod for pod in world.objects.get("Pod", ())}
    bound_by_us = {one.uid for one in flight.placings if one.pod in outcome.bound}
    if any(uid in pods and not bound(pods[uid]) for uid in bound_by_us):
        return False
    gone = {*(one.uid for one in flight.placings if one.pod in outcome.deleted)}
    gone |= {one.uid for one in flight.fallings if one.pod in outcome.lost}
    if any(uid in pods and _stays(pods[uid]) for uid in gone):
        return False
    return not outcome.allocated or _allocated(world, flight, outcome.allocated)


def _stays(pod: Object) -> bool:
    return not pod["metadata"].get("deletionTimestamp")


def _allocated(world: World, flight: Flight, allocated: Collection[str]) -> bool:
    """Whether claims that got devices show them; those that are gone show nothing."""
    claims = {uid_of(claim): claim for claim in world.objects.get(_CLAIM, ())}
    mine = [claims.get(one.uid) for one in flight.allocatings if one.claim in allocated]
    return all((claim.get("status") or {}).get("allocation") for claim in mine if claim is not None)
