"""The cluster as the watches know it: as it is known now, or as new as everything before now.

What is known now costs nothing, and lacks what the watches have not told yet. For what we write
ourselves that gap is closed without waiting: a flight is laid over the world until the world shows
what it did (``settled``).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gangplan.cluster.client import Client
from gangplan.cluster.flight import Falling, Flight, Placing
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

    def glance(self) -> World | None:
        """Give what is known now, without waiting; None while a watch is broken."""
        if self.watched.broken or not self.watched.synced(0.0):
            return None
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
    bound_by_us = [one for one in flight.placings if one.pod in outcome.bound]
    if any(not bound(pod) for pod in _there(world, bound_by_us)):
        return False
    gone: list[Placing | Falling] = [p for p in flight.placings if p.pod in outcome.deleted]
    gone += [one for one in flight.fallings if one.pod in outcome.lost]
    if any(_stays(pod) for pod in _there(world, gone)):
        return False
    return not outcome.allocated or _allocated(world, flight, outcome.allocated)


def _there(world: World, some: Sequence[Placing | Falling]) -> list[Object]:
    """Pods that a world has, and that are the ones meant."""
    found = ((one, world.find("Pod", one.pod)) for one in some)
    return [pod for one, pod in found if pod is not None and uid_of(pod) == one.uid]


def _stays(pod: Object) -> bool:
    return not pod["metadata"].get("deletionTimestamp")


def _allocated(world: World, flight: Flight, allocated: Collection[str]) -> bool:
    """Whether claims that got devices show them; those that are gone show nothing."""
    claims = {uid_of(claim): claim for claim in world.objects.get(_CLAIM, ())}
    mine = [claims.get(one.uid) for one in flight.allocatings if one.claim in allocated]
    return all((claim.get("status") or {}).get("allocation") for claim in mine if claim is not None)
