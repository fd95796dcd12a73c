"""Devices and claims of a snapshot: the order of the steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from gangplan.datasets.devices import Choice, Own, Request, Sections, Spec, sections
from gangplan.datasets.kubernetes.assemble.devices.answers import Answers
from gangplan.datasets.kubernetes.assemble.devices.columns import Columns, RoleUse
from gangplan.datasets.kubernetes.assemble.devices.extended import Extended, extended_of
from gangplan.datasets.kubernetes.assemble.devices.fits import Fitting
from gangplan.datasets.kubernetes.assemble.devices.freed import Freed, freed_of
from gangplan.datasets.kubernetes.assemble.devices.gpus import gpus_of
from gangplan.datasets.kubernetes.assemble.devices.held import Held, held_by, missing
from gangplan.datasets.kubernetes.assemble.devices.inventory import ITSELF, Inventory, inventory_of
from gangplan.datasets.kubernetes.assemble.devices.kinds import Kinds, kinds_of
from gangplan.datasets.kubernetes.assemble.devices.offers import Stock
from gangplan.datasets.kubernetes.assemble.devices.pools import pools_of
from gangplan.datasets.kubernetes.assemble.devices.reach import Reach
from gangplan.datasets.kubernetes.assemble.devices.returns import Returning
from gangplan.datasets.kubernetes.assemble.devices.scales import Scale
from gangplan.datasets.kubernetes.assemble.devices.shared import commons
from gangplan.datasets.kubernetes.assemble.devices.specs import Specs
from gangplan.datasets.kubernetes.assemble.devices.taints import Taints
from gangplan.datasets.kubernetes.assemble.devices.users import Users
from gangplan.datasets.kubernetes.cel import Reads
from gangplan.datasets.kubernetes.devicerecords import DeviceObjects, SpecRecord
from gangplan.datasets.kubernetes.records import NodeRecord, Snapshot
from gangplan.datasets.running import Hold
from gangplan.models.arrays import Flags, Ints


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
    holds : what the fall of running users gives back.
    failing : claim with a device that could come free, on which a selector fails -> why.
    """

    sections: Sections
    gpus: Ints
    has: Flags
    used: Flags
    holds: list[Hold]
    failing: Mapping[str, str]


def claiming(snapshot: Snapshot) -> Claiming:
    """Index the claims of a snapshot."""
    objects = snapshot.devices
    specs = Specs({one.name: one for one in objects.classes})
    extended = extended_of(objects.classes, snapshot.nodes)
    users = Users(objects, specs, extended, live=snapshot.origin is not None)
    return Claiming(specs, users, extended)


def claimed(
    claims: Claiming,
    objects: DeviceObjects,
    nodes: Sequence[NodeRecord],
    roles: Sequence[RoleUse],
    holders: Mapping[str, Sequence[str]],
    notes: list[str],
) -> Claimed | None:
    """Write devices and claims; None where no waiting pod has any.

    Parameters
    ----------
    nodes : in the order of the instance. roles : likewise.
    holders : claims that come free with their users, by full name.
    """
    if not any(use.own or use.shared for use, _, _ in roles):
        return None
    held = held_by(objects.claims)
    inventory = _inventory(objects, nodes, held, notes)
    freed = freed_of(inventory, held, objects.claims, holders)
    column = Columns(claims.specs, claims.users.shared, roles, freed)
    records = [claims.specs.records[number] for number, _ in column.of]
    kinds = _kinds(claims.specs, records, inventory)
    answers = Answers(kinds, claims.specs)
    taken = np.array([key in held.consumed for key in inventory.keys], dtype=np.bool_)
    taken &= ~inventory.multi
    names = [node.name for node in nodes]
    fitting = Fitting(inventory, kinds, answers, taken, freed.flags, names, notes)
    specs = [fitting.spec(record) for record in records]
    gpus = gpus_of(inventory)
    each = [
        gpus.asked(record, [request.choices[0] for request in spec.requests])
        for record, spec in zip(records, specs, strict=True)
    ]
    specs = column.fitting(specs, notes)
    own = column.own()
    freed = replace(freed, tight=column.tight(specs))
    stock = Stock(inventory, held, Scale(), Scale(), freed.flags)
    asked = _asked(specs, len(inventory))
    made = _Writing(kinds, answers, stock, freed).specs(records, specs, asked)
    kept = np.flatnonzero(asked).tolist()
    counters = stock.left(kept)
    compared = {rule.attribute for spec in specs for rule in spec.rules}
    offers = stock.offers(kept, compared, _alone(specs, len(inventory)))
    notes += [*stock.counters.notes(), *stock.pots.notes()]
    using = [(use, pods) for use, pods, _ in roles]
    common = commons(using, claims.users.shared, column.shared, inventory.reach, notes)
    written = sections(
        len(nodes), offers, made, own, common, counters=counters, zones=inventory.reach.zones
    )
    back = Returning(freed, stock, kept, offers, counters)
    holds = back.holds(holders, [one.name for one in common])
    failing = {freed.whole[i]: why for i, why in fitting.failing.items()}
    return Claimed(written, _sums(own, each, len(roles)), *gpus.nodes(held), holds, failing)


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
    freed: Freed

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
        for shares in self.freed.shares.values():
            for name, each in shares.items():
                pots.meet((name, amount) for amount in each.values())

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
        """Leave out devices whose shares have left, and will have, too little for one more.

        As in Kubernetes, where ALL asks the devices with enough left when a claim is allocated.
        """
        inventory, asks = self.stock.inventory, choice.asks
        short = np.zeros(len(inventory), dtype=np.bool_)
        for i in self._shared:
            taken, device = uses.get(int(self.kinds.of[i]), {}), inventory.records[i]
            held = self.stock.held.consumed[inventory.keys[i]]
            short[i] = any(
                amount + held.get(name, 0) - self.freed.returned(i, name)
                > device.capacity[name].value
                for name, amount in taken.items()
            )
        if not short.any():
            return choice
        return replace(
            choice, fits=choice.fits & ~short, asks=None if asks is None else asks & ~short
        )
