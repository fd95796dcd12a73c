"""Book: what the greedy planner looks up again and again, computed once an instance."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.instance import Instance
from gangplan.models.needs import Needs, needs_of
from gangplan.models.topology import PREFERRED
from gangplan.solvers.planners.greedy.cells import Cells, cells_of


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
    def size(self) -> Floats:
        """(K,) one pod of each role in parts of the whole cluster: its scarcest resource."""
        roles, shared = self.instance.roles, self.instance.shared
        total = np.maximum(self.instance.nodes.free.sum(axis=0), 1)
        parts = (roles.request / total).max(axis=1, initial=0.0)
        if len(shared):
            parts = np.maximum(parts, roles.pooled / max(int(shared.free.sum()), 1))
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
    _, role, of_role = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    columns = tuple(np.flatnonzero(roles.request[k]) for k in role)
    return Shapes(of_role.reshape(-1).astype(np.int64), role.astype(np.int64), columns)
