"""Devices and claims of a snapshot: the order of the steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from gangplan.datasets.devices import Choice, Own, Request, Sections, Spec, sections
from gangplan.datasets.kubernetes.assemble.devices.answers import Answers
from gangplan.datasets.kubernetes.assemble.devices.extended import Extended, extended_of
from gangplan.datasets.kubernetes.assemble.devices.fits import Fitting
from gangplan.datasets.kubernetes.assemble.devices.gpus import gpus_of
from gangplan.datasets.kubernetes.assemble.devices.held import Held, held_by, missing
from gangplan.datasets.kubernetes.assemble.devices.inventory import ITSELF, Inventory, inventory_of
from gangplan.datasets.kubernetes.assemble.devices.kinds import Kinds, kinds_of
from gangplan.datasets.kubernetes.assemble.devices.offers import Stock
from gangplan.datasets.kubernetes.assemble.devices.pools import pools_of
from gangplan.datasets.kubernetes.assemble.devices.reach import Reach
from gangplan.datasets.kubernetes.assemble.devices.scales import Scale
from gangplan.datasets.kubernetes.assemble.devices.shared import commons
from gangplan.datasets.kubernetes.assemble.devices.specs import Specs
from gangplan.datasets.kubernetes.assemble.devices.taints import Taints
from gangplan.datasets.kubernetes.assemble.devices.users import Use, Users
from gangplan.datasets.kubernetes.cel import Reads
from gangplan.datasets.kubernetes.devicerecords import DeviceObjects, SpecRecord
from gangplan.datasets.kubernetes.records import NodeRecord, PodRecord, Snapshot
from gangplan.models.arrays import Flags, Ints

RoleUse = tuple[Use, Sequence[PodRecord]]
"""Claims of a role's pods, and the pods."""


@dataclass(frozen=True, slots=True, eq=False)
class Claiming:
    """Who claims what, before any device is looked at."""

    specs: Specs
    users: Users
    extended: Extended


@dataclass(frozen=True, slots=True, eq=False)
class Claimed:
    """What an instance takes.

    Attributes
    ----------
    sections : devices, claims and their names.
    gpus : (K,) GPUs that each pod of a role claims for itself.
    has, used : (N,) nodes with GPUs among their devices, and those where one is held.
    """

    sections: Sections
    gpus: Ints
    has: Flags
    used: Flags


def claiming(snapshot: Snapshot) -> Claiming:
    """Index the claims of a snapshot."""
    objects = snapshot.devices
    specs = Specs({one.name: one for one in objects.classes})
    extended = extended_of(objects.classes, snapshot.nodes)
    return Claiming(specs, Users(objects, specs, extended), extended)


def claimed(
    claims: Claiming,
    objects: DeviceObjects,
    nodes: Sequence[NodeRecord],
    roles: Sequence[RoleUse],
    notes: list[str],
) -> Claimed | None:
    """Write devices and claims; None where no waiting pod has any.

    Parameters
    ----------
    nodes : in the order of the instance. roles : likewise.
    """
    if not any(use.own or use.shared for use, _ in roles):
        return None
    held = held_by(objects.claims)
    inventory = _inventory(objects, nodes, held, notes)
    column = _columns(claims, roles)
    records = [claims.specs.records[number] for number in column]
    kinds = _kinds(claims.specs, records, inventory)
    answers = Answers(kinds, claims.specs)
    taken = np.array([key in held.consumed for key in inventory.keys], dtype=np.bool_)
    taken &= ~inventory.multi
    fitting = Fitting(inventory, kinds, answers, taken, [node.name for node in nodes], notes)
    specs = [fitting.spec(record) for record in records]
    gpus = gpus_of(inventory)
    each = [
        gpus.asked(record, [request.choices[0] for request in spec.requests])
        for record, spec in zip(records, specs, strict=True)
    ]
    own = [
        Own(k, column[number], name)
        for k, (use, _) in enumerate(roles)
        for name, number in use.own
        if number in column
    ]
    stock = Stock(inventory, held, Scale(), Scale())
    asked = _asked(specs, len(inventory))
    made = _Writing(kinds, answers, stock).specs(records, specs, asked)
    kept = np.flatnonzero(asked).tolist()
    counters = stock.left(kept)
    compared = {rule.attribute for spec in specs for rule in spec.rules}
    offers = stock.offers(kept, compared, _alone(specs, len(inventory)))
    notes += [*stock.counters.notes(), *stock.pots.notes()]
    common = commons(roles, claims.users.shared, column, inventory.reach, notes)
    written = sections(
        len(nodes), offers, made, own, common, counters=counters, zones=inventory.reach.zones
    )
    return Claimed(written, _sums(own, each, len(roles)), *gpus.nodes(held))


def _sums(own: Sequence[Own], each: Sequence[int], n_roles: int) -> Ints:
    """(K,) GPUs of the own claims of each role."""
    total = np.zeros(n_roles, dtype=np.int64)
    for one in own:
        total[one.role] += each[one.spec]
    return total


def _inventory(
    objects: DeviceObjects, nodes: Sequence[NodeRecord], held: Held, notes: list[str]
) -> Inventory:
    pools = pools_of(objects.slices, notes)
    known = {(pool.driver, pool.name, one.name) for pool in pools for one, _ in pool.devices}
    notes += missing(held, known)
    return inventory_of(pools, Reach(nodes), Taints(objects.taint_rules), notes)


def _columns(claims: Claiming, roles: Sequence[RoleUse]) -> dict[int, int]:
    """Give each spec that can be satisfied its column, as the roles come to them."""
    met = [number for use, _ in roles for _, number in use.own]
    for use, _ in roles:
        for name in use.shared:
            one = claims.users.shared[name]
            if one.claim is None or one.claim.allocation is None:
                met.append(one.spec)
    fine = (number for number in dict.fromkeys(met) if not claims.specs.problems(number))
    return {number: column for column, number in enumerate(fine)}


def _kinds(specs: Specs, records: Sequence[SpecRecord], inventory: Inventory) -> Kinds:
    choices = [
        choice for record in records for request in record.requests for choice in request.choices
    ]
    reads = Reads()
    for choice in choices:
        for selector in specs.selectors(choice):
            reads |= selector.reads
    return kinds_of(inventory, reads, {name for choice in choices for name, _ in choice.capacity})


def _asked(specs: Sequence[Spec], n_devices: int) -> Flags:
    """(I,) devices that some choice asks: the others are nobody's concern."""
    asked = np.zeros(n_devices, dtype=np.bool_)
    for spec in specs:
        for request in spec.requests:
            for choice in request.choices:
                asked |= choice.fits if choice.asks is None else choice.asks
    return asked


def _alone(specs: Sequence[Spec], n_devices: int) -> Flags:
    """(I,) devices that a rule compares as themselves."""
    alone = np.zeros(n_devices, dtype=np.bool_)
    for spec in specs:
        for rule in spec.rules:
            for q, b in rule.members if rule.attribute == ITSELF else ():
                alone |= spec.requests[q].choices[b].fits
    return alone


# No slots: cached_property needs a __dict__.
@dataclass(frozen=True, eq=False)
class _Writing:
    """Cuts specs to the devices that are kept, and gives uses their units."""

    kinds: Kinds
    answers: Answers
    stock: Stock

    @cached_property
    def _shared(self) -> list[int]:
        """Devices that may serve several claims, and serve some already."""
        inventory, held = self.stock.inventory, self.stock.held.consumed
        return [
            i for i, key in enumerate(inventory.keys) if key in held and inventory.records[i].multi
        ]

    def specs(
        self, records: Sequence[SpecRecord], specs: Sequence[Spec], kept: Flags
    ) -> list[Spec]:
        """Write every spec anew."""
        self._units(records)
        number = np.cumsum(kept) - 1
        return [
            Spec(
                tuple(
                    self._request(q, request, record, kept, number)
                    for q, request in enumerate(spec.requests)
                ),
                spec.rules,
            )
            for record, spec in zip(records, specs, strict=True)
        ]

    def _units(self, records: Sequence[SpecRecord]) -> None:
        pots = self.stock.pots
        for record in records:
            for request in record.requests:
                for choice in request.choices:
                    for taken in self.answers.of(choice).uses.values():
                        pots.meet(taken.items())
        for device in self.stock.inventory.records:
            if device.multi:
                pots.meet((name, one.value) for name, one in device.capacity.items())
        for held in self.stock.held.consumed.values():
            pots.meet(held.items())

    def _request(
        self, q: int, request: Request, record: SpecRecord, kept: Flags, number: Ints
    ) -> Request:
        choices = []
        for b, choice in enumerate(request.choices):
            found = {} if choice.admin else self.answers.of(record.requests[q].choices[b]).uses
            choice = self._left(choice, found)
            pots = self.stock.pots
            units = {
                kind: {pots.name(name): pots.taken(name, n) for name, n in taken.items()}
                for kind, taken in found.items()
            }
            mine = np.flatnonzero(choice.fits & np.isin(self.kinds.of, list(units))).tolist()
            choices.append(
                replace(
                    choice,
                    fits=choice.fits[kept],
                    asks=None if choice.asks is None else choice.asks[kept],
                    uses={int(number[i]): units[int(self.kinds.of[i])] for i in mine},
                )
            )
        return Request(request.name, tuple(choices))

    def _left(self, choice: Choice, uses: Mapping[int, Mapping[str, Fraction]]) -> Choice:
        """Leave out devices whose shares have left too little for one more.

        As in Kubernetes, where ALL asks the devices with enough left when a claim is allocated.
        """
        inventory, asks = self.stock.inventory, choice.asks
        short = np.zeros(len(inventory), dtype=np.bool_)
        for i in self._shared:
            taken, device = uses.get(int(self.kinds.of[i]), {}), inventory.records[i]
            held = self.stock.held.consumed[inventory.keys[i]]
            short[i] = any(
                amount + held.get(name, 0) > device.capacity[name].value
                for name, amount in taken.items()
            )
        if not short.any():
            return choice
        return replace(
            choice, fits=choice.fits & ~short, asks=None if asks is None else asks & ~short
        )
