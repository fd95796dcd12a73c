"""Sites: which cells one allocation can draw on, and the nodes that may use it.

The allocation of a pod's own claim is used on one node. That of a shared claim may be used on every
node that reaches all its devices: on one node as soon as one of them is on a node, else on an
intersection of zones.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.claims import ALL
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.options.cells import Cells
from gangplan.models.options.parts import Part
from gangplan.models.options.ways import MANY, Sight

MOST_ZONES = 1024
"""Intersections of zones; more are refused."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What a part sees of the cells.

    Attributes
    ----------
    local : (N,) cells on each node that the part looks at. far : cells with a zone, likewise.
    kind : (E,) cells of one kind look the same, values apart; -1: not looked at.
    values : attribute -> values of each cell.
    """

    part: Part
    local: tuple[Ints, ...]
    far: Ints
    kind: Ints
    sights: tuple[Sight, ...]
    values: dict[int, list[tuple[int, ...]]]

    def key(self, cells: Ints) -> tuple[object, ...]:
        """Tell sites apart: equal keys, equal ways. Values count by their first appearance."""
        known: list[object] = [tuple(self.kind[cells].tolist())]
        for of_cell in self.values.values():
            number: dict[int, int] = {}
            known.append(
                tuple(
                    tuple(number.setdefault(v, len(number)) for v in of_cell[e])
                    for e in cells.tolist()
                )
            )
        return tuple(known)

    def sight(self, cells: Ints) -> list[Sight]:
        """Return what the part sees of some cells."""
        return [
            Sight(
                (plain := self.sights[self.kind[e]]).usable,
                plain.asked,
                plain.size,
                plain.multi,
                tuple((a, of_cell[e]) for a, of_cell in self.values.items()),
            )
            for e in cells.tolist()
        ]


def view_of(instance: Instance, cells: Cells, part: Part) -> View:
    """Look at the cells with the eyes of a part."""
    claims, devices = instance.claims, instance.devices
    choices = part.choices
    usable = cells.most[choices] > 0
    asked = claims.asks[choices][:, cells.first] & (claims.choice_count[choices] == ALL)[:, None]
    table = np.vstack([usable, asked, np.minimum(cells.size, MANY), cells.multi]).T.astype(np.int64)
    rows, kind = np.unique(table, axis=0, return_inverse=True)
    n = len(choices)
    sights = tuple(
        Sight(
            frozenset(b for b, yes in zip(choices, row[:n], strict=True) if yes),
            frozenset(b for b, yes in zip(choices, row[n : 2 * n], strict=True) if yes),
            row[-2],
            bool(row[-1]),
            (),
        )
        for row in rows.tolist()
    )
    seen = (usable | asked).any(axis=0)
    kind = np.where(seen, kind.reshape(-1), -1)
    order = np.lexsort((np.arange(len(cells)), kind, cells.node))
    order = order[seen[order] & (cells.node[order] >= 0)]
    cut = np.searchsorted(cells.node[order], np.arange(1, len(instance.nodes)))
    values: dict[int, list[tuple[int, ...]]] = {}
    for attribute in sorted({rule.attribute for rule in part.rules}):
        lists: list[list[int]] = [[] for _ in range(len(cells))]
        cell = cells.of[devices.trait_device]
        mine = (devices.trait_attribute == attribute) & (cells.first[cell] == devices.trait_device)
        for e, v in zip(cell[mine].tolist(), devices.trait_value[mine].tolist(), strict=True):
            lists[e].append(v)
        values[attribute] = [tuple(one) for one in lists]
    far = np.flatnonzero(seen & (cells.zone >= 0))
    far = far[np.argsort(kind[far], kind="stable")]
    local = tuple(np.split(order, cut)) if len(instance.nodes) else ()
    return View(part, local, far, kind, sights, values)


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """An intersection of zones: its nodes (N,), and the cells that all of them reach."""

    nodes: Flags
    cells: Ints


def node_cells(instance: Instance, cells: Cells, view: View) -> list[Ints]:
    """(N,) cells that the part looks at and the node reaches."""
    if not len(view.far):
        return list(view.local)
    reach = instance.devices.zones[cells.zone[view.far]]
    kinds, kind = np.unique(reach, axis=1, return_inverse=True)
    far = [view.far[column] for column in kinds.T]
    return [
        np.concatenate([near, far[k]])
        for near, k in zip(view.local, kind.reshape(-1).tolist(), strict=True)
    ]


def crossings(instance: Instance, cells: Cells, view: View, name: str) -> list[Crossing]:
    """Intersections of the zones of cells that the part can use.

    Raises
    ------
    FormulationError : more than MOST_ZONES; ``name`` says whose.
    """
    usable = np.array([bool(view.sights[view.kind[e]].usable) for e in view.far], dtype=np.bool_)
    reach = instance.devices.zones[cells.zone[view.far]]
    zones = {row.tobytes(): row for row in reach[usable] if row.any()}
    found: dict[bytes, Flags] = {}
    for zone in list(zones.values()):
        for other in [np.ones_like(zone), *found.values()]:
            both = zone & other
            if both.any():
                found[both.tobytes()] = both
        if len(found) > MOST_ZONES:
            raise FormulationError(
                f"{name}: the node selectors of its devices cross in more than {MOST_ZONES} ways"
            )
    return [Crossing(nodes, view.far[(reach | ~nodes).all(axis=1)]) for nodes in found.values()]


def asked_counts(instance: Instance, cells: Cells) -> Ints:
    """(B, N) devices that an ALL choice asks and the node reaches; 0 for other choices."""
    claims = instance.claims
    asked = claims.asks[:, cells.first] & (claims.choice_count == ALL)[:, None]
    return per_node(instance, cells, asked * cells.size)


def per_node(instance: Instance, cells: Cells, amounts: Ints) -> Ints:
    """(rows, E) amounts per cell -> (rows, N) sums over the cells that each node reaches."""
    n = len(instance.nodes)
    near, far = cells.node >= 0, np.flatnonzero(cells.zone >= 0)
    total = np.zeros((len(amounts), n), dtype=np.int64)
    for row, amount in zip(total, amounts, strict=True):
        np.add.at(row, cells.node[near], amount[near])
    if len(far):
        by_zone = np.zeros((len(amounts), len(instance.devices.zones)), dtype=np.int64)
        for row, amount in zip(by_zone, amounts, strict=True):
            np.add.at(row, cells.zone[far], amount[far])
        for zone, nodes in enumerate(instance.devices.zones):
            total[:, nodes] += by_zone[:, zone, None]
    return total


def grouped(
    view: View, lists: Sequence[Ints], barred: Sequence[frozenset[int]]
) -> list[tuple[frozenset[int], list[int]]]:
    """Positions of ``lists`` that look the same and have the same choices ``barred``."""
    found: dict[object, tuple[frozenset[int], list[int]]] = {}
    for at, (cells, bars) in enumerate(zip(lists, barred, strict=True)):
        if len(cells):
            found.setdefault((view.key(cells), bars), (bars, []))[1].append(at)
    return list(found.values())
