"""Whether a device would be in two claims: from the raw objects, whatever the reader makes of them.

A device that is not shared (``allowMultipleAllocations``: a result with a ``shareID``) and not
taken for administration (``adminAccess``) may be in one claim only. Nothing on the server sees to
that: each claim is an object of its own.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gangplan.cluster.checks.remaining import identities
from gangplan.cluster.flight import Flight
from gangplan.cluster.uses import allocation_in, reserved_in
from gangplan.cluster.world import World, name_of

Identity = tuple[str, str, str]
_Holders = defaultdict[Identity, set[str]]


def devices(world: World, flights: Sequence[Flight]) -> tuple[str, ...]:
    """Say which device would be in several claims, of the world and of the flights together."""
    alone, shared = _Holders(set), _Holders(set)
    falling = _falling(flights)
    for claim in world.objects.get("ResourceClaim", ()):
        allocation = allocation_in(claim)
        if allocation is not None and not _comes_free(claim, falling):
            for identity, exclusive in _taken(allocation):
                (alone if exclusive else shared)[identity].add(name_of(claim))
    given: set[Identity] = set()
    for one in (one for flight in flights for one in flight.allocatings):
        for identity, exclusive in _taken(one.allocation or {}):
            given.add(identity)
            (alone if exclusive else shared)[identity].add(one.claim)
    said = _otherwise(world, flights)
    for identity in sorted(given):
        everybody = alone[identity] | shared[identity]
        if alone[identity] and len(everybody) > 1:
            claims = ", ".join(sorted(everybody))
            said.append(f"device {'/'.join(identity)}: it would be in several claims: {claims}")
    return tuple(said)


def _otherwise(world: World, flights: Sequence[Flight]) -> list[str]:
    """Say which claims were to be allocated, and have got other devices from somebody else."""
    said = []
    for one in (one for flight in flights for one in flight.allocatings):
        claim = world.find("ResourceClaim", one.claim)
        has = None if claim is None else allocation_in(claim)
        if has and one.allocation and identities(has) != identities(one.allocation):
            said.append(f"ResourceClaim {one.claim}: it has got other devices already")
    return said


def _taken(allocation: Mapping[str, Any]) -> Iterator[tuple[Identity, bool]]:
    """Devices of an allocation, and whether nobody else may have them."""
    for result in (allocation.get("devices") or {}).get("results") or ():
        if not result.get("adminAccess"):
            identity = (str(result["driver"]), str(result["pool"]), str(result["device"]))
            yield identity, not result.get("shareID")


def _falling(flights: Sequence[Flight]) -> set[str]:
    """UIDs of pods, and names of whole PodGroups, that fall."""
    found = set()
    for flight in flights:
        for falling in flight.fallings:
            found.add(falling.uid)
            if falling.whole:
                found.add(falling.whole)
    return found


def _comes_free(claim: Mapping[str, Any], falling: set[str]) -> bool:
    """Whether all users of a claim fall; one without users is somebody's until it is cleared."""
    refs = list(reserved_in(claim))
    space = claim["metadata"]["namespace"]
    return bool(refs) and all(
        (f"{space}/{ref['name']}" if ref.get("resource") == "podgroups" else ref["uid"]) in falling
        for ref in refs
    )
