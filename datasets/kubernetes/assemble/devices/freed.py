"""What comes free of allocated claims once all their users have fallen: devices, counters, pots."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from gangplan.datasets.kubernetes.assemble.devices.capacity import qualified
from gangplan.datasets.kubernetes.assemble.devices.held import Held
from gangplan.datasets.kubernetes.assemble.devices.inventory import Inventory
from gangplan.datasets.kubernetes.devicerecords import ClaimRecord, Identity
from gangplan.models.arrays import Flags


# No slots: cached_property needs a __dict__.
@dataclass(frozen=True, eq=False)
class Freed:
    """Devices and shares that holdings give back.

    Attributes
    ----------
    claims : claims all of whose users can fall, by full name.
    tight : (I,) devices that groups which evict nobody could take, or that an ALL choice asks
        while they can be shared: nothing returns to their pots, nor to counters they draw from.
    """

    inventory: Inventory
    held: Held
    claims: Mapping[str, ClaimRecord]
    tight: Flags

    @cached_property
    def number(self) -> dict[Identity, int]:
        """Number of each device."""
        return {key: i for i, key in enumerate(self.inventory.keys)}

    @cached_property
    def whole(self) -> dict[int, str]:
        """Device that serves one claim only -> the claim with which it comes free."""
        found: dict[int, str] = {}
        for name in self.claims:
            for i in self._devices(name):
                alone = self.held.claims[self.inventory.keys[i]] == {name}
                if alone and not self.inventory.multi[i]:
                    found[i] = name
        return found

    @cached_property
    def flags(self) -> Flags:
        """(I,) devices that can come free."""
        flagged = np.zeros(len(self.inventory), dtype=np.bool_)
        flagged[list(self.whole)] = True
        return flagged

    @cached_property
    def shares(self) -> dict[int, dict[str, dict[str, Fraction]]]:
        """Device that several claims share -> capacity -> claim -> what its share gives back.

        Where more is taken than there is, what comes back makes that up first.
        """
        found: dict[int, dict[str, dict[str, Fraction]]] = {}
        for claim, record in self.claims.items():
            for one in record.allocation.results if record.allocation is not None else ():
                i = self.number.get((one.driver, one.pool, one.device), -1)
                if i < 0 or one.admin or not self.inventory.multi[i] or self.tight[i]:
                    continue
                for name, amount in one.consumed:
                    name = qualified(name, one.driver)
                    each = found.setdefault(i, {}).setdefault(name, {})
                    each[claim] = each.get(claim, Fraction(0)) + amount
        for i, capacities in found.items():
            taken = self.held.consumed[self.inventory.keys[i]]
            for name, each in capacities.items():
                capacity = self.inventory.records[i].capacity.get(name)
                room = Fraction(0) if capacity is None else capacity.value
                short = max(taken[name] - room, Fraction(0))
                capacities[name] = {claim: amount - short for claim, amount in each.items()}
        return found

    def returned(self, device: int, capacity: str) -> Fraction:
        """Give what could come back to a pot."""
        each = self.shares.get(device, {}).get(capacity, {})
        return sum((max(amount, Fraction(0)) for amount in each.values()), Fraction(0))

    def _devices(self, claim: str) -> list[int]:
        allocation = self.claims[claim].allocation
        keys = [
            (one.driver, one.pool, one.device)
            for one in (allocation.results if allocation is not None else ())
            if not one.admin
        ]
        return [self.number[key] for key in keys if key in self.number]


def freed_of(
    inventory: Inventory,
    held: Held,
    claims: Iterable[ClaimRecord],
    holders: Collection[str],
) -> Freed:
    """Find what comes free; ``holders``: full names of the claims all of whose users can fall."""
    known = {f"{one.namespace}/{one.name}": one for one in claims}
    tight = np.zeros(len(inventory), dtype=np.bool_)
    return Freed(inventory, held, {name: known[name] for name in holders}, tight)
