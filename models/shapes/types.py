"""Types: groups that are equal in everything the model reads, and where each may be admitted.

Gangs that do not stand, and groups whose pods one domain binds together, are decided as a whole.
All other pods are *loose*: each for itself, at one vertex.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.needs import Needs
from gangplan.models.shapes.shapes import Shapes
from gangplan.models.shapes.slicing import Sliced, places_of, slices_of, vertices_at
from gangplan.models.shapes.tree import ROOT, Tree
from gangplan.models.victims import victims_of


@dataclass(frozen=True, slots=True)
class Type:
    """Equal groups.

    Attributes
    ----------
    groups : their numbers. roles : role numbers of each, in one order.
    shape, least, most : of each role: its shape, new pods of an admitted group.
    need : new pods of an admitted group.
    vertices : where it may be admitted.
    slices : its rules of slices. places : of each vertex, where its pods then take slots.
    domains : of each rule of slices, the vertices of its level.
    """

    groups: tuple[int, ...]
    roles: tuple[tuple[int, ...], ...]
    shape: tuple[int, ...]
    least: tuple[int, ...]
    most: tuple[int, ...]
    need: int
    vertices: tuple[int, ...]
    slices: tuple[Sliced, ...] = ()
    places: tuple[tuple[int, ...], ...] = ()
    domains: tuple[frozenset[int], ...] = ()

    def follows(self, i: int) -> bool:
        """Tell whether the pods of its role i are ``most`` wherever a group is admitted."""
        return self.least[i] == self.most[i] and not self.slices

    def open(self, i: int) -> bool:
        """Tell whether the pods of its role i are a column beside that of the admission."""
        return self.least[i] < self.most[i] and not self.slices

    def taking(self) -> tuple[int, ...]:
        """Vertices where its pods take slots."""
        return tuple(v for mine in self.places for v in mine) if self.slices else self.vertices

    def pieces(self, rule: Sliced, *, elastic: bool) -> tuple[int, int]:
        """Fewest and most slices of a rule for one group, unfinished ones included."""
        left = sum(n for _, n in rule.left)
        fewest = max(self.need, sum(self.least))
        most = sum(self.most) if elastic or not self.need else self.need
        return -(-(fewest + left) // rule.size), (most + left) // rule.size


@dataclass(frozen=True, slots=True)
class Loose:
    """Pods of equal worth and shape, each for itself, at one vertex: roles and their pods."""

    roles: tuple[int, ...]
    shape: int
    most: int
    vertex: int


def types_of(
    instance: Instance, needs: Needs, shapes: Shapes, tree: Tree, slots: Ints, *, elastic: bool
) -> tuple[tuple[Type, ...], tuple[Loose, ...]]:
    """Sort all groups that may be placed.

    Parameters
    ----------
    slots : (V, S) see ``slots_below``.
    elastic : False: a gang gets what it needs, and one that stands nothing.
    """
    whole: dict[Hashable, list[tuple[int, tuple[int, ...]]]] = {}
    first: dict[Hashable, Type] = {}
    loose: dict[Hashable, list[int]] = {}
    held, roles = instance.blocked[0], instance.roles
    bound, sliced = _bound(instance), slices_of(instance, tree)
    loses = victims_of(instance).members > 0
    known: dict[Hashable, tuple[int, ...]] = {}
    for g in np.flatnonzero(~held).tolist():
        mine = list(range(*instance.role_start[g : g + 2].tolist()))
        gang = instance.groups.kind[g] == GANG
        stands = bool(needs.stands[g])
        rules = bound.get(g, ())
        if rules not in known:
            known[rules] = _vertices(instance, tree, rules)
        vertices = known[rules]
        if not mine or (stands and not elastic):
            continue
        # One vertex and no minimum: nothing binds the pods to one another.
        # A group that can lose pods is decided, too: no group both loses and gains.
        if (stands or not gang) and len(vertices) == 1 and g not in sliced and not loses[g]:
            for k in mine:
                key = (int(shapes.of_role[k]), vertices[0], *_worth(instance, k))
                loose.setdefault(key, []).append(k)
            continue
        # Roles in the order of what they ask: groups then differ in names only.
        mine.sort(key=lambda k: (int(shapes.of_role[k]), int(needs.role[k]), int(roles.wanted[k])))
        one = _type(instance, needs, shapes, g, tuple(mine), decided=gang and not stands)
        one = replace(one, vertices=_possible(one, slots, vertices))
        if g in sliced:
            one = _split(instance, tree, one, sliced[g])
        worth = tuple(_worth(instance, k) for k in mine)
        alike = (
            one.shape, one.least, one.most, one.need, one.vertices, gang and not stands, worth,
            one.slices, one.places, g if _alone(one) or loses[g] else -1,
        )  # fmt: skip
        whole.setdefault(alike, []).append((g, tuple(mine)))
        first.setdefault(alike, one)
    types = tuple(
        replace(
            first[alike],
            groups=tuple(g for g, _ in members),
            roles=tuple(k for _, k in members),
        )
        for alike, members in whole.items()
    )
    return types, tuple(_loose(instance, key, mine, slots) for key, mine in loose.items())


def _worth(instance: Instance, role: int) -> tuple[int, ...]:
    """Everything that a tier pays by; it pays for other pods of a gang than for pods alone."""
    groups, g = instance.groups, int(instance.roles.group[role])
    gang = int(groups.kind[g] == GANG)
    devices = int(instance.roles.devices[role])
    return gang, int(groups.priority[g]), int(groups.age[g]) // 60, devices


def _type(
    instance: Instance,
    needs: Needs,
    shapes: Shapes,
    g: int,
    mine: tuple[int, ...],
    *,
    decided: bool,
) -> Type:
    wanted = [int(instance.roles.wanted[k]) for k in mine]
    need = int(needs.group[g]) if decided else 0
    own = [int(needs.role[k]) if decided else 0 for k in mine]
    total = sum(wanted)
    least = [max(o, need - (total - w), 0) for o, w in zip(own, wanted, strict=True)]
    shape = tuple(int(shapes.of_role[k]) for k in mine)
    return Type((g,), (mine,), shape, tuple(least), tuple(wanted), need, ())


def _split(instance: Instance, tree: Tree, one: Type, sliced: tuple[Sliced, ...]) -> Type:
    """Give a type its rules of slices, and leave out vertices where they cannot be kept."""
    places = {v: places_of(instance, tree, sliced, v) for v in one.vertices}
    fine = tuple(v for v in one.vertices if places[v])
    domains = tuple(vertices_at(instance, tree, rule.level) for rule in sliced)
    return replace(
        one, vertices=fine, slices=sliced, places=tuple(places[v] for v in fine), domains=domains
    )


def _alone(one: Type) -> bool:
    """Tell whether slices keep a group from being one of several: they could not be dealt."""
    simple = len(one.slices) <= 1 and len(one.shape) == 1
    return bool(one.slices) and not (simple and not any(rule.left for rule in one.slices))


def _bound(instance: Instance) -> dict[int, tuple[tuple[int, int], ...]]:
    """Whole required rules of each group that has some: the level, and its fixed domain or -1."""
    rules, fixed = instance.rules, instance.rules.fixed()
    bound: dict[int, list[tuple[int, int]]] = {}
    for t in np.flatnonzero(rules.is_whole()).tolist():
        bound.setdefault(int(rules.owner[t]), []).append((int(rules.level[t]), int(fixed[t])))
    return {g: tuple(sorted(set(mine))) for g, mine in bound.items()}


def _vertices(
    instance: Instance, tree: Tree, rules: tuple[tuple[int, int], ...]
) -> tuple[int, ...]:
    """Vertices of the narrowest level that the rules name, where all of them are kept."""
    if not rules:
        return (ROOT,)
    topology = instance.topology
    narrow = max((level for level, _ in rules), key=lambda level: int(tree.depth[level]))
    allowed = [
        set(tree.of_domain[topology.domains_of(level) if d < 0 else [d]].tolist())
        for level, d in rules
    ]
    found = []
    for vertex in tree.of_domain[topology.domains_of(narrow)].tolist():
        above = tree.path(vertex)
        if above and not any(fine.isdisjoint(above) for fine in allowed):
            found.append(vertex)
    return tuple(found)


def _possible(one: Type, slots: Ints, vertices: tuple[int, ...]) -> tuple[int, ...]:
    """Vertices with slots for the minimum, each shape counted by itself."""
    have = np.minimum(slots[np.ix_(vertices, one.shape)], one.most)
    fine = (have >= one.least).all(axis=1) & (have.sum(axis=1) >= max(one.need, 1))
    return vertices if fine.all() else tuple(np.array(vertices)[fine].tolist())


def _loose(instance: Instance, key: Hashable, mine: list[int], slots: Ints) -> Loose:
    assert isinstance(key, tuple)
    shape, vertex = int(key[0]), int(key[1])
    pods = int(instance.roles.wanted[mine].sum())
    return Loose(tuple(mine), shape, min(pods, int(slots[vertex, shape])), vertex)
