"""Specs as columns: which of them an instance has, and who uses which.

A spec that groups use which evict nobody is a column of its own where devices can come free: these
do not fit it, and nothing returns to what it takes a part of.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gangplan.datasets.devices import Choice, Own, Request, Spec
from gangplan.datasets.kubernetes.assemble.devices.freed import Freed
from gangplan.datasets.kubernetes.assemble.devices.specs import Specs
from gangplan.datasets.kubernetes.assemble.devices.use import Shared, Use
from gangplan.datasets.kubernetes.devicerecords import ALL
from gangplan.datasets.kubernetes.records import PodRecord
from gangplan.models.arrays import Flags

RoleUse = tuple[Use, Sequence[PodRecord], bool]
"""Claims of a role's pods, the pods, and whether their group evicts nobody."""


# No slots: cached_property needs a __dict__.
@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of specs, by the number of the spec and whether what comes free does not fit it."""

    specs: Specs
    claims: Mapping[str, Shared]
    roles: Sequence[RoleUse]
    freed: Freed

    @cached_property
    def of(self) -> dict[tuple[int, bool], int]:
        """Give each spec that can be satisfied its column, as the roles come to them."""
        met = [
            (number, strict)
            for (use, _, _), strict in zip(self.roles, self._strict, strict=True)
            for _, number in use.own
        ]
        for use, _, _ in self.roles:
            for name in use.shared:
                one = self.claims[name]
                if one.claim is None or one.claim.allocation is None:
                    met.append((one.spec, name in self._strict_claims))
        fine = (key for key in dict.fromkeys(met) if not self.specs.problems(key[0]))
        return {key: column for column, key in enumerate(fine)}

    @cached_property
    def shared(self) -> dict[str, int]:
        """Column of each shared claim's spec."""
        keys = {name: (one.spec, name in self._strict_claims) for name, one in self.claims.items()}
        return {name: self.of[key] for name, key in keys.items() if key in self.of}

    def own(self) -> list[Own]:
        """Write the claims that each pod of a role has for itself."""
        return [
            Own(k, self.of[number, strict], name)
            for k, ((use, _, _), strict) in enumerate(zip(self.roles, self._strict, strict=True))
            for name, number in use.own
            if (number, strict) in self.of
        ]

    def fitting(self, specs: Sequence[Spec], notes: list[str]) -> list[Spec]:
        """Leave out what comes free where the users of a spec evict nobody."""
        cut = [
            self._without(spec) if strict else spec
            for spec, (_, strict) in zip(specs, self.of, strict=True)
        ]
        if any(strict for _, strict in self.of):
            notes.append(
                "groups that evict nobody get no device that can come free; what evictions return"
                " to counters and capacities that these groups draw from is not planned with"
            )
        return cut

    def tight(self, specs: Sequence[Spec]) -> Flags:
        """(I,) devices to which nothing returns: see `Freed`."""
        inventory = self.freed.inventory
        tight = np.zeros(len(inventory), dtype=np.bool_)
        for spec, (_, strict) in zip(specs, self.of, strict=True):
            for choice in (one for request in spec.requests for one in request.choices):
                if choice.admin:
                    continue
                if strict:
                    tight |= choice.fits
                if choice.count == ALL and choice.asks is not None:
                    tight |= choice.asks & inventory.multi
        return tight

    def _without(self, spec: Spec) -> Spec:
        requests = tuple(
            Request(request.name, tuple(map(self._less, request.choices)))
            for request in spec.requests
        )
        return replace(spec, requests=requests)

    def _less(self, choice: Choice) -> Choice:
        if choice.admin:  # takes nothing, and may share with whoever holds it
            return choice
        return replace(choice, fits=choice.fits & ~self.freed.flags)

    @cached_property
    def _strict(self) -> list[bool]:
        """(K,) roles whose group evicts nobody, where somebody's fall gives something back."""
        returns = bool(self.freed.whole or self.freed.shares)
        return [returns and evicts_nobody for _, _, evicts_nobody in self.roles]

    @cached_property
    def _strict_claims(self) -> set[str]:
        """Shared claims that such a role uses."""
        return {
            name
            for (use, _, _), strict in zip(self.roles, self._strict, strict=True)
            if strict
            for name in use.shared
        }
