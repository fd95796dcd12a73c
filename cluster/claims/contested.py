"""Devices that a flight's claims and somebody else's cannot both have.

Nothing on a server locks a device: two schedulers can give it to two claims (KEP-4381). So all
claims are looked at, before ours are written and once more afterwards.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gangplan.cluster.flight import Flight
from gangplan.cluster.inventory import DeviceId, Inventory
from gangplan.cluster.uses import allocation_in
from gangplan.cluster.world import Object, name_of, uid_of
from gangplan.datasets.kubernetes.text.quantity import exact

Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Contest:
    """A claim of ours, and what stands against its devices, in a sentence."""

    claim: str
    sentence: str


def contested(flight: Flight, claims: Sequence[Object], there: Inventory) -> list[Contest]:
    """Find what the new allocations of a flight have against them.

    Exclusive devices have one claim; shares do not pass a capacity (KEP-5075), devices of a pool
    not its counters (KEP-4815); a device that is not there is nobody's. Admin access takes nothing.
    """
    ours = {a.uid: a for a in flight.allocatings if a.allocation is not None}
    held: dict[DeviceId, list[tuple[str, Result]]] = defaultdict(list)
    for claim in claims:
        if uid_of(claim) not in ours:
            for key, result in _results(allocation_in(claim) or {}):
                held[key].append((name_of(claim), result))
    wanted: dict[DeviceId, list[tuple[str, Result]]] = defaultdict(list)
    for allocating in ours.values():
        for key, result in _results(allocating.allocation or {}):
            wanted[key].append((allocating.claim, result))
    found = []
    for key, users in wanted.items():
        sentence = _against(key, users, held.get(key, []), there)
        found += [Contest(claim, sentence) for claim, _ in users if sentence]
    found += _over_counters(wanted, held, there)
    return found


def _results(allocation: Mapping[str, Any]) -> Iterator[tuple[DeviceId, Result]]:
    for result in (allocation.get("devices") or {}).get("results") or ():
        if not result.get("adminAccess"):
            yield (result["driver"], result["pool"], result["device"]), result


def _against(
    key: DeviceId,
    users: Sequence[tuple[str, Result]],
    others: Sequence[tuple[str, Result]],
    there: Inventory,
) -> str:
    """Say what is against a device; empty where nothing is."""
    name = "/".join(key)
    if key not in there.devices:
        return f"device {name} is not there any more"
    everyone = [*users, *others]
    if any(not result.get("shareID") for _, result in everyone):
        if len(everyone) == 1:
            return ""
        return f"device {name} is allocated to {(others or users)[-1][0]}"
    taken: dict[str, Fraction] = defaultdict(Fraction)
    for _, result in everyone:
        for capacity, amount in (result.get("consumedCapacity") or {}).items():
            taken[capacity] += exact(amount)
    for capacity, entry in (there.devices[key].entry.get("capacity") or {}).items():
        if taken[capacity] > exact(entry["value"]):
            return f"device {name} has no {capacity} left for it: it is allocated to others"
    return ""


def _over_counters(
    wanted: Mapping[DeviceId, Sequence[tuple[str, Result]]],
    held: Mapping[DeviceId, Sequence[tuple[str, Result]]],
    there: Inventory,
) -> list[Contest]:
    used: dict[tuple[str, str, str, str], Fraction] = defaultdict(Fraction)
    for key in wanted.keys() | held.keys():
        for counter, amount in _draws(key, there):
            used[counter] += amount
    over = {c for c, amount in used.items() if amount > there.counters.get(c, Fraction(0))}
    return [
        Contest(claim, f"device {'/'.join(key)} has no {'/'.join(counter[2:])} of its pool left")
        for key, users in wanted.items()
        for counter, _ in _draws(key, there)
        if counter in over
        for claim, _ in users
    ]


def _draws(key: DeviceId, there: Inventory) -> Iterator[tuple[tuple[str, str, str, str], Fraction]]:
    driver, pool, _ = key
    entry = there.devices[key].entry if key in there.devices else {}
    for part in entry.get("consumesCounters") or ():
        for name, counter in part["counters"].items():
            yield (driver, pool, part["counterSet"], name), exact(counter["value"])
