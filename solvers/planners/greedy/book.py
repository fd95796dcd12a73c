"""Book: what the greedy planner looks up again and again, computed once an instance."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.columns import EMPTY
from gangplan.models.gone import loosened
from gangplan.models.instance import Instance
from gangplan.models.needs import Needs, needs_of
from gangplan.models.topology import PREFERRED
from gangplan.solvers.planners.greedy.allocator.dealer import Dealer, Specs, specs_of
from gangplan.solvers.planners.greedy.allocator.stock import Stock
from gangplan.solvers.planners.greedy.cells import Cells, cells_of
from gangplan.solvers.planners.greedy.falls import Costs, Falls, falls_of
from gangplan.solvers.planners.greedy.holdings import Holdings
from gangplan.solvers.planners.greedy.law import Law
from gangplan.solvers.planners.greedy.measure import WHOLE, Measure, measure_of


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """Distinct roles: what a node is asked for, and which nodes are asked.

    Attributes
    ----------
    of_role : (K,) shape of each role.
    role : (S,) one role of each shape; its row holds the shape's numbers.
    columns : S lists of the resources that the shape asks for.
    """

    of_role: Ints
    role: Ints
    columns: tuple[Ints, ...]


# No slots: cached_property needs a __dict__.
@dataclass(frozen=True, eq=False)
class Book:
    """Derived, read-only facts about an instance.

    Attributes
    ----------
    scale : (R,) largest free amount on any node, at least 1: makes resources comparable.
    required, preferred, sliced : G lists of rules: whole required and preferred ones of the group
        and of every composite above it; slice rules of the group.
    """

    instance: Instance
    needs: Needs
    shapes: Shapes
    scale: Floats
    required: tuple[tuple[int, ...], ...]
    preferred: tuple[tuple[int, ...], ...]
    sliced: tuple[tuple[int, ...], ...]

    @cached_property
    def _cells(self) -> dict[tuple[int, ...], Cells]:
        return {}

    def cells(self, levels: set[int]) -> Cells:
        """Cells of a set of levels, cut on first use."""
        key = tuple(sorted(levels))
        if key not in self._cells:
            self._cells[key] = cells_of(self.instance.topology, key)
        return self._cells[key]

    @cached_property
    def first_role(self) -> list[int]:
        """G+1 numbers: roles of group g are first_role[g] .. first_role[g+1] - 1."""
        first: list[int] = self.instance.role_start.tolist()
        return first

    def roles(self, group: int) -> range:
        """Roles of a group."""
        return range(self.first_role[group], self.first_role[group + 1])

    @cached_property
    def level(self) -> list[int]:
        """T levels, one a rule."""
        levels: list[int] = self.instance.rules.level.tolist()
        return levels

    @cached_property
    def domains_at(self) -> list[int]:
        """L numbers of domains, one a level."""
        topology = self.instance.topology
        counts: list[int] = np.bincount(topology.level, minlength=topology.n_levels).tolist()
        return counts

    @cached_property
    def ancestors(self) -> tuple[tuple[int, ...], ...]:
        """H+G lists of the composites above a composite h, then above a group g (H + g)."""
        composites = self.instance.composites
        above: list[tuple[int, ...]] = []
        for parent in [*composites.parent.tolist(), *self.instance.groups.parent.tolist()]:
            above.append((parent, *above[parent]) if parent >= 0 else ())
        return tuple(above)

    def above(self, group: int) -> tuple[int, ...]:
        """Composites above a group, the nearest first."""
        return self.ancestors[len(self.instance.composites) + group]

    @property
    def blocked(self) -> Flags:
        """(G,) groups that may place nothing: held, or below a composite that is."""
        return self.instance.blocked[0]

    @cached_property
    def own(self) -> tuple[Specs, ...]:
        """K entries: specs of the claims that a pod of each role has for itself, counted."""
        claims = self.instance.claims
        return tuple(
            specs_of(int(claims.own_spec[w]) for w in claims.own_of(k))
            for k in range(len(self.instance.roles))
        )

    @cached_property
    def common(self) -> tuple[tuple[int, ...], ...]:
        """K entries: shared claims of each role."""
        claims = self.instance.claims
        found: list[list[int]] = [[] for _ in range(len(self.instance.roles))]
        for c, k in zip(claims.user_shared.tolist(), claims.user_role.tolist(), strict=True):
            found[k].append(c)
        return tuple(map(tuple, found))

    @cached_property
    def dealer(self) -> Dealer:
        """What is known about claims on nodes; all runs learn from one another."""
        return Dealer(self.instance)

    @cached_property
    def stock(self) -> Stock:
        """Devices of nodes and zones, those that may come free included."""
        return Stock(loosened(self.instance), self.dealer.kind, self.dealer.kinds)

    @cached_property
    def holdings(self) -> Holdings:
        """What running work holds of devices, and may give back."""
        return Holdings(self.instance, self.stock)

    @cached_property
    def untouched(self) -> tuple[Ints, list[list[int]]]:
        """Nodes while no new pod has claims there.

        (N,) situation of each; and its devices i in the order in which the dealer numbers them.
        """
        ledger, stock, found = self.holdings.ledger(), self.stock, []
        orders: list[list[int]] = []
        for n in range(len(self.instance.nodes)):
            things, left = ledger.things(stock.reached(n))
            of, order = self.dealer.class_of(things, left, stock.barred[n])
            found.append(self.dealer.situation(of, ()))
            orders.append(order)
        return np.array(found, dtype=np.int64), orders

    @cached_property
    def measure(self) -> Measure:
        """Devices of claims as one number, for tightness."""
        return measure_of(self.instance)

    @cached_property
    def falls(self) -> Falls:
        """What evictions free."""
        return falls_of(self.instance)

    @cached_property
    def law(self) -> Law:
        """Which units may fall together."""
        return Law(self.instance)

    @cached_property
    def costs(self) -> Costs:
        """What evictions cost."""
        return Costs(self.instance)

    @cached_property
    def each(self) -> Floats:
        """(K,) devices of a pod, as ``Room.devices`` counts them."""
        roles, counted = self.instance.roles, list(self.instance.device_columns)
        each: Floats = roles.devices / self.instance.device_unit
        if self.instance.claims:
            asked = roles.request[:, counted].sum(axis=1) + roles.pooled / EMPTY
            each = np.where(self.measure.role > 0, asked + self.measure.role / WHOLE, each)
        return each

    @cached_property
    def size(self) -> Floats:
        """(K,) one pod of each role in parts of the whole cluster: its scarcest resource."""
        roles, shared = self.instance.roles, self.instance.shared
        total = np.maximum(self.instance.nodes.free.sum(axis=0), 1)
        parts = (roles.request / total).max(axis=1, initial=0.0)
        if len(shared):
            parts = np.maximum(parts, roles.pooled / max(int(shared.free.sum()), 1))
        if self.instance.claims:
            measure = self.measure
            parts = np.maximum(parts, measure.role / max(int(measure.node.sum()), 1))
        sizes: Floats = parts
        return sizes

    @cached_property
    def heavy_first(self) -> list[int]:
        """(K,) rank of each role among all: most devices first, then the largest."""
        order = np.lexsort((-self.size, -self.instance.roles.devices))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        ranks: list[int] = rank.tolist()
        return ranks


def book_of(instance: Instance) -> Book:
    """Compute the book of an instance."""
    rules, n_groups = instance.rules, len(instance.groups)
    by_owner: dict[int, list[int]] = {}
    for t, owner in enumerate(rules.owner.tolist()):
        by_owner.setdefault(owner, []).append(t)
    above = instance.composites.parent.tolist()
    required, preferred, sliced = [], [], []
    whole, soft = rules.is_whole(), rules.mode == PREFERRED
    for g, parent in enumerate(instance.groups.parent.tolist()):
        mine, h = list(by_owner.get(g, ())), parent
        while h >= 0:
            mine += by_owner.get(n_groups + h, ())
            h = above[h]
        required.append(tuple(t for t in mine if whole[t]))
        preferred.append(tuple(t for t in mine if soft[t]))
        sliced.append(tuple(t for t in mine if rules.slice[t] > 0))
    return Book(
        instance,
        needs_of(instance),
        _shapes(instance),
        np.maximum(instance.nodes.free.max(axis=0, initial=1), 1).astype(np.float64),
        tuple(required),
        tuple(preferred),
        tuple(sliced),
    )


def _shapes(instance: Instance) -> Shapes:
    roles = instance.roles
    rows = np.column_stack([roles.request, roles.share, roles.whole, roles.eligible])
    if instance.claims:
        rows = np.column_stack([rows, _own_kinds(instance)])
    _, role, of_role = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    columns = tuple(np.flatnonzero(roles.request[k]) for k in role)
    return Shapes(of_role.reshape(-1).astype(np.int64), role.astype(np.int64), columns)


def _own_kinds(instance: Instance) -> Ints:
    """(K,) equal for roles whose pods have equal claims for themselves."""
    claims, number = instance.claims, dict[Specs, int]()
    specs = (
        (specs_of(claims.own_spec[list(claims.own_of(k))].tolist()))
        for k in range(len(instance.roles))
    )
    return np.array([number.setdefault(mine, len(number)) for mine in specs], dtype=np.int64)
