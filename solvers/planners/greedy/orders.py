"""Root units, and the order in which they get their turn."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from gangplan.models.columns import GANG
from gangplan.models.tiers import Tier, Worth, worth_of
from gangplan.solvers.planners.greedy.book import Book
from gangplan.solvers.planners.greedy.style import Style


@dataclass(frozen=True, slots=True)
class Unit:
    """What is admitted as one, or the pods of one basic or bare group.

    Attributes
    ----------
    kind : ``gang``, ``tree`` or ``loose``.
    number : of the group, or of the composite.
    rank : the higher goes first, whatever the style: the priority, or its weight.
    pays : what the first tier that counts it pays for it; for loose groups, for one pod.
    size : demand in parts of the cluster's scarcest resource; for loose groups, of one pod.
    each : most devices that one of its pods asks.
    devices : in all.
    narrow : number of domains of the narrowest level that a required rule names.
    """

    kind: str
    number: int
    rank: int
    pays: int
    size: float
    each: int
    devices: int
    narrow: int


NO_BLAME: Mapping[Unit, int] = MappingProxyType({})


def units_of(book: Book, tiers: tuple[Tier, ...]) -> list[Unit]:
    """List the root units that may be placed; gangs that stand only grow, later."""
    instance, needs = book.instance, book.needs
    pays: dict[int, tuple[int, Worth]] = {}
    for tier in tiers:
        if tier.kind == "admitted":
            worth = worth_of(instance, tier, needs)
            for priority, weight in tier.weights:
                rank = weight if len(tier.weights) > 1 else priority
                pays.setdefault(priority, (rank, worth))
    units: list[Unit] = []
    for g, priority in enumerate(instance.groups.priority.tolist()):
        if not (book.blocked[g] or instance.groups.parent[g] >= 0 or needs.stands[g]):
            units.append(_group(book, g, priority, pays.get(priority)))
    for h, priority in enumerate(instance.composites.priority.tolist()):
        if instance.composites.parent[h] < 0 and not needs.composite_stands[h]:
            units.append(_tree(book, h, priority, pays.get(priority)))
    return units


def _group(book: Book, g: int, priority: int, paid: tuple[int, Worth] | None) -> Unit:
    instance, needs = book.instance, book.needs
    start, end = book.first_role[g], book.first_role[g + 1]
    rank, worth = paid if paid else (priority, None)
    devices, wanted = instance.roles.devices[start:end], instance.roles.wanted[start:end]
    sizes = book.size[start:end]
    if instance.groups.kind[g] == GANG:
        kind, need, total = "gang", int(needs.group[g]), int(needs.group_devices[g])
        pays = int(worth.group[g]) if worth else 0
        # The roles' mean, scaled to the minimum: exact where the minimum is all pods.
        size = float(sizes @ wanted) * need / max(int(wanted.sum()), 1)
    else:
        kind, total = "loose", int(devices @ wanted)
        pays = int(worth.pod[start:end].max(initial=0)) if worth else 0
        size = float(sizes.min(initial=1.0))
    each = int(devices.max(initial=0))
    return Unit(kind, g, rank, pays, size, each, total, _narrow(book, book.required[g]))


def _tree(book: Book, h: int, priority: int, paid: tuple[int, Worth] | None) -> Unit:
    instance, needs = book.instance, book.needs
    rank, worth = paid if paid else (priority, None)
    owner = len(instance.groups) + h
    roles = instance.roles_of(owner)
    wanted, pods = instance.roles.wanted[roles], int(needs.composite_pods[h])
    size = float(book.size[roles] @ wanted) * pods / max(int(wanted.sum()), 1)
    rules = np.flatnonzero((instance.rules.owner == owner) & instance.rules.is_whole())
    return Unit(
        "tree",
        h,
        rank,
        int(worth.composite[h]) if worth else 0,
        size,
        int(instance.roles.devices[roles].max(initial=0)),
        int(needs.composite_devices[h]),
        _narrow(book, tuple(rules.tolist())),
    )


def _narrow(book: Book, rules: tuple[int, ...]) -> int:
    levels = {book.level[t] for t in rules}
    return max((book.domains_at[level] for level in levels), default=0)


def ordered(units: list[Unit], style: Style, blame: Mapping[Unit, int] = NO_BLAME) -> list[Unit]:
    """Sort units for a style; inside a rank, the ones that failed most often lead."""

    def key(unit: Unit) -> tuple[float, ...]:
        keys: dict[str, tuple[float, ...]] = {
            "heavy": (-unit.each, -unit.devices, -unit.size),
            "large": (-unit.devices, -unit.each, -unit.size),
            "bound": (-unit.narrow, -unit.each, -unit.devices, -unit.size),
            "light": (unit.size / max(unit.pays, 1e-9), -unit.each),
        }
        return (-unit.rank, -blame.get(unit, 0), *keys[style.order])

    return sorted(units, key=key)


def styles(tiers: tuple[Tier, ...]) -> Iterator[Style]:
    """Styles in the order of their promise for the objective."""
    pays_devices = any(tier.kind == "admitted" and tier.unit == "devices" for tier in tiers[:1])
    orders = ("heavy", "large", "bound", "light") if pays_devices else ("light", "heavy", "bound")
    soft = len(tiers) > 1
    for order in orders[:2]:
        if soft:
            yield Style(order, "begun", "ample")
        yield Style(order, "strand")
        yield Style(order, "strand", "snug")
    for order in orders:
        yield Style(order)
    for order in orders[:2]:
        yield Style(order, "snug")
        yield Style(order, near=False)
