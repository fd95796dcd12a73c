"""What allocations hold: devices, shares of devices, and what those draw from counters."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from gangplan.datasets.kubernetes.assemble.devices.capacity import qualified
from gangplan.datasets.kubernetes.assemble.holds import counted, some
from gangplan.datasets.kubernetes.devicerecords import ClaimRecord, Identity


@dataclass(slots=True, eq=False)
class Held:
    """Devices that some claim holds, whether or not anybody uses that claim.

    Attributes
    ----------
    consumed : what the shares of a device take, by capacity; without any, it is held all the same.
    claims : ``namespace/name`` of the claims that hold it.
    """

    consumed: dict[Identity, dict[str, Fraction]] = field(default_factory=dict)
    claims: defaultdict[Identity, set[str]] = field(default_factory=lambda: defaultdict(set))


def held_by(claims: Iterable[ClaimRecord]) -> Held:
    """Add up the allocations of all claims; adminAccess holds nothing."""
    held = Held()
    for claim in claims:
        for result in claim.allocation.results if claim.allocation is not None else ():
            if result.admin:
                continue
            key = (result.driver, result.pool, result.device)
            held.claims[key].add(f"{claim.namespace}/{claim.name}")
            total = held.consumed.setdefault(key, {})
            for name, amount in result.consumed:
                name = qualified(name, result.driver)
                total[name] = total.get(name, Fraction(0)) + amount
    return held


def missing(held: Held, known: set[Identity]) -> list[str]:
    """Tell of allocated devices that no current slice has."""
    lost = [
        f"{'/'.join(key)} (ResourceClaim {claim})"
        for key in held.consumed.keys() - known
        for claim in held.claims[key]
    ]
    if not lost:
        return []
    return [f"{counted(len(lost), 'allocated device')} that no ResourceSlice has: {some(lost)}"]
