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
from gangplan.models.patterns.shapes import Shapes
from gangplan.models.patterns.tree import ROOT, Tree


@dataclass(frozen=True, slots=True)
class Type:
    """Equal groups.

    Attributes
    ----------
    groups : their numbers. roles : role numbers of each, in one order.
    shape, least, most : of each role: its shape, new pods of an admitted group.
    need : new pods of an admitted group.
    vertices : where it may be admitted.
    """

    groups: tuple[int, ...]
    roles: tuple[tuple[int, ...], ...]
    shape: tuple[int, ...]
    least: tuple[int, ...]
    most: tuple[int, ...]
    need: int
    vertices: tuple[int, ...]


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
    for g in np.flatnonzero(~held).tolist():
        mine = list(range(*instance.role_start[g : g + 2].tolist()))
        gang = instance.groups.kind[g] == GANG
        stands = bool(needs.stands[g])
        vertices = _vertices(instance, tree, g)
        if not mine or (stands and not elastic):
            continue
        # One vertex and no minimum: nothing binds the pods to one another.
        if (stands or not gang) and len(vertices) == 1:
            for k in mine:
                key = (int(shapes.of_role[k]), vertices[0], *_worth(instance, k))
                loose.setdefault(key, []).append(k)
            continue
        # Roles in the order of what they ask: groups then differ in names only.
        mine.sort(key=lambda k: (int(shapes.of_role[k]), int(needs.role[k]), int(roles.wanted[k])))
        one = _type(instance, needs, shapes, g, tuple(mine), decided=gang and not stands)
        vertices = _possible(one, slots, vertices)
        worth = tuple(_worth(instance, k) for k in mine)
        alike = (one.shape, one.least, one.most, one.need, vertices, gang and not stands, worth)
        whole.setdefault(alike, []).append((g, tuple(mine)))
        first.setdefault(alike, replace(one, vertices=vertices))
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
    """Everything that a tier pays by."""
    groups, g = instance.groups, int(instance.roles.group[role])
    return int(groups.priority[g]), int(groups.age[g]) // 60, int(instance.roles.devices[role])


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


def _vertices(instance: Instance, tree: Tree, group: int) -> tuple[int, ...]:
    """Vertices of the narrowest level that the group's whole required rules name."""
    rules, topology = instance.rules, instance.topology
    mine = np.flatnonzero((rules.owner == group) & rules.is_whole()).tolist()
    if not mine:
        return (ROOT,)
    fixed = rules.fixed()
    narrow = max((int(rules.level[t]) for t in mine), key=lambda at: int(tree.depth[at]))
    found = []
    for d in topology.domains_of(narrow).tolist():
        vertex = int(tree.of_domain[d])
        above = set(tree.path(vertex)) if vertex >= 0 else set()
        fine = vertex >= 0
        for t in mine:
            allowed = topology.domains_of(int(rules.level[t]))
            if fixed[t] >= 0:
                allowed = fixed[[t]]
            fine = fine and not above.isdisjoint(tree.of_domain[allowed].tolist())
        if fine:
            found.append(vertex)
    return tuple(found)


def _possible(one: Type, slots: Ints, vertices: tuple[int, ...]) -> tuple[int, ...]:
    """Vertices with slots for the minimum, each shape counted by itself."""
    shape, most = list(one.shape), np.array(one.most)
    fine = []
    for v in vertices:
        have = np.minimum(slots[v, shape], most)
        if (have >= one.least).all() and int(have.sum()) >= max(one.need, 1):
            fine.append(v)
    return tuple(fine)


def _loose(instance: Instance, key: Hashable, mine: list[int], slots: Ints) -> Loose:
    assert isinstance(key, tuple)
    shape, vertex = int(key[0]), int(key[1])
    pods = int(instance.roles.wanted[mine].sum())
    return Loose(tuple(mine), shape, min(pods, int(slots[vertex, shape])), vertex)
