"""Sizes: what one group, or one loose pod, takes of a domain, whatever type it belongs to.

An elastic group has a *form* for each way to give its roles pods. Forms of all types that take the
same pods of each shape, and may be in the same domains, have one size: configurations are listed
over sizes, and who takes a place of a size is left to the rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.errors import FormulationError
from gangplan.models.shapes.tree import Tree
from gangplan.models.shapes.types import Loose, Type

MOST = 20_000
"""Forms of all types together."""


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """Forms f of things j (types, then loose pods), and their sizes z.

    Attributes
    ----------
    count : (J,) groups of a type, or loose pods.
    thing : (F,) the thing of each form; sorted.
    pods : F tuples, new pods of each role of the thing.
    size : (F,) size of each form.
    takes : (Z, S) pods of each shape that a size takes.
    vertices : Z tuples of vertices; a size may be in what is at or below one of them.
    most : (Z,) most groups and loose pods that could take the size.
    larger : Z tuples (size, (form, form) pairs): the size with one pod more that every form of this
        one could have instead, and which form it then is.
    """

    count: Ints
    thing: Ints
    pods: tuple[tuple[int, ...], ...]
    size: Ints
    takes: Ints
    vertices: tuple[tuple[int, ...], ...]
    most: Ints
    larger: tuple[tuple[tuple[int, dict[int, int]], ...], ...]

    def __len__(self) -> int:
        """Return the number of sizes Z."""
        return len(self.most)


def sizes_of(
    types: Sequence[Type], loose: Sequence[Loose], tree: Tree, n_shapes: int, *, elastic: bool
) -> Sizes:
    """Find the forms and sizes.

    Parameters
    ----------
    tree : of two vertices with the same nodes only the upper one is named.
    elastic : False: a gang has just the pods that it needs.

    Raises
    ------
    FormulationError : more forms than MOST.
    """
    shapes = [one.shape for one in types] + [(one.shape,) for one in loose]
    same = _uppermost(tree)
    places = [_named(one.vertices, same) for one in types]
    places += [_named((one.vertex,), same) for one in loose]
    forms = _forms(types, loose, elastic=elastic)
    number: dict[tuple[bytes, tuple[int, ...]], int] = {}
    size = []
    takes: list[Ints] = []
    for j, pods in forms:
        taken = np.zeros(n_shapes, dtype=np.int64)
        np.add.at(taken, list(shapes[j]), list(pods))
        key = (taken.tobytes(), places[j])
        if key not in number:
            number[key] = len(number)
            takes.append(taken)
        size.append(number[key])
    count = [len(one.groups) for one in types] + [one.most for one in loose]
    most = np.zeros(len(number), dtype=np.int64)
    for z, j in {(z, j) for z, (j, _) in zip(size, forms, strict=True)}:
        most[z] += count[j]
    return Sizes(
        np.array(count, dtype=np.int64),
        np.array([j for j, _ in forms], dtype=np.int64),
        tuple(pods for _, pods in forms),
        np.array(size, dtype=np.int64),
        np.array(takes, dtype=np.int64).reshape(len(takes), n_shapes),
        tuple(vertices for _, vertices in number),
        most,
        _larger(forms, size, shapes, len(number)),
    )


def _uppermost(tree: Tree) -> Ints:
    """(V,) the uppermost vertex with the same nodes at and below it."""
    nodes = np.bincount(tree.of_node, minlength=len(tree))
    for v in range(len(tree) - 1, 0, -1):
        nodes[tree.parent[v]] += nodes[v]
    same = np.arange(len(tree))
    for v in range(1, len(tree)):
        if nodes[v] == nodes[tree.parent[v]]:
            same[v] = same[tree.parent[v]]
    return same


def _named(vertices: tuple[int, ...], same: Ints) -> tuple[int, ...]:
    return tuple(np.unique(same[list(vertices)]).tolist())


Forms = list[tuple[int, tuple[int, ...]]]


def _forms(types: Sequence[Type], loose: Sequence[Loose], *, elastic: bool) -> Forms:
    """List the forms of all things that may be somewhere."""
    forms: Forms = []
    left = MOST
    for j, one in enumerate(types):
        if not one.vertices:
            continue
        ranges = [range(lo, hi + 1) for lo, hi in zip(one.least, one.most, strict=True)]
        left -= prod(len(pods) for pods in ranges)
        if left < 0:
            raise FormulationError(f"more sizes of elastic groups than can be listed ({MOST:,})")
        for pods in product(*ranges):
            enough = sum(pods) >= max(one.need, 1)
            if enough and (elastic or not one.need or sum(pods) == one.need):
                forms.append((j, pods))
    forms += [(len(types) + at, (1,)) for at, one_loose in enumerate(loose) if one_loose.most]
    return forms


def _larger(
    forms: Forms, size: Sequence[int], shapes: Sequence[tuple[int, ...]], n_sizes: int
) -> tuple[tuple[tuple[int, dict[int, int]], ...], ...]:
    """Find the next larger sizes; see ``Sizes.larger``."""
    known = {form: f for f, form in enumerate(forms)}
    after: list[dict[int, int]] = []  # of each form: larger size -> the form it then is
    members: list[list[int]] = [[] for _ in range(n_sizes)]
    for f, (j, pods) in enumerate(forms):
        members[size[f]].append(f)
        grown: dict[int, int] = {}
        for i in range(len(shapes[j])):
            more = known.get((j, (*pods[:i], pods[i] + 1, *pods[i + 1 :])))
            if more is not None:
                grown.setdefault(size[more], more)
        after.append(grown)
    found = []
    for mine in members:
        common = set.intersection(*(set(after[f]) for f in mine))
        found.append(tuple((z, {f: after[f][z] for f in mine}) for z in sorted(common)))
    return tuple(found)
