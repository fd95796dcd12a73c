"""What is left of a flight on a World: without what the world shows as done."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gangplan.cluster.flight import Allocating, Falling, Flight, Placing
from gangplan.cluster.uses import allocation_in, reserved_in
from gangplan.cluster.world import World, uid_of


def remaining(world: World, flight: Flight) -> Flight:
    """Leave out pods bound to their nodes, victims that are gone or go, claims that are ready.

    A victim that is being deleted holds its room until it is gone: nobody may count on it yet.
    """
    allocatings = (_allocating(world, one) for one in flight.allocatings)
    return replace(
        flight,
        placings=tuple(one for one in flight.placings if not _bound(world, one)),
        fallings=tuple(one for one in flight.fallings if not _gone(world, one)),
        allocatings=tuple(one for one in allocatings if one is not None),
    )


def _bound(world: World, placing: Placing) -> bool:
    pod = world.find("Pod", placing.pod)
    return (
        pod is not None
        and uid_of(pod) == placing.uid
        and pod["spec"].get("nodeName") == placing.node
    )


def _gone(world: World, falling: Falling) -> bool:
    pod = world.find("Pod", falling.pod)
    return (
        pod is None
        or uid_of(pod) != falling.uid
        or bool(pod["metadata"].get("deletionTimestamp"))
        or (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
    )


def _allocating(world: World, one: Allocating) -> Allocating | None:
    claim = world.find("ResourceClaim", one.claim)
    if claim is None or uid_of(claim) != one.uid:
        return one
    there = {ref.get("uid") for ref in reserved_in(claim)}
    users = tuple(user for user in one.users if user["uid"] not in there)
    has = allocation_in(claim)
    allocation = one.allocation
    if has is not None and allocation is not None and identities(has) == identities(allocation):
        allocation = None
    if allocation is None and not users:
        return None
    return replace(one, allocation=allocation, users=users)


def identities(allocation: Mapping[str, Any]) -> set[tuple[str, ...]]:
    """Request, driver, pool and name of each device of a ``status.allocation``."""
    results = (allocation.get("devices") or {}).get("results") or ()
    keys = ("request", "driver", "pool", "device")
    return {tuple(str(result.get(key)) for key in keys) for result in results}
