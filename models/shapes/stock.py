"""Devices of one node, up to names: pieces that nothing ties to one another, and what is left.

A piece is a set of cells (devices that nothing tells apart) that a compared value or a counter ties
together: a PCIe root with its GPU and NIC, a GPU with its partitions. Pieces with equal marks can
be exchanged: whatever claims may take of one they may take of the other. So can nodes with equal
marks.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.instance import Instance
from gangplan.models.options.cells import Cells, draws_of

Counter = tuple[int, int]
"""Number of a counter, and what one device of a cell draws from it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Cells that are tied together; pieces with equal marks are equal cell by cell.

    Attributes
    ----------
    mark : everything about it, up to names.
    cells, counters, pots : their numbers, in the order of the mark.
    left : devices of each cell that can be taken (0: shared), then counters, then pots.
    """

    mark: Hashable
    cells: tuple[int, ...]
    counters: tuple[int, ...]
    pots: tuple[int, ...]
    left: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Traits:
    """What cells have: values by attribute, draws, pots and uses, each by cell."""

    values: dict[int, dict[int, tuple[int, ...]]]
    draws: dict[int, list[Counter]]
    pots: dict[int, list[int]]
    uses: dict[int, list[tuple[int, int]]]


def traits_of(instance: Instance, cells: Cells) -> Traits:
    """Read values, draws and pots of the first device of each cell."""
    devices, claims = instance.devices, instance.claims
    values: dict[int, dict[int, tuple[int, ...]]] = defaultdict(dict)
    for i, a, v in zip(
        devices.trait_device.tolist(),
        devices.trait_attribute.tolist(),
        devices.trait_value.tolist(),
        strict=True,
    ):
        e = int(cells.of[i])
        if cells.first[e] == i:
            values[e][a] = (*values[e].get(a, ()), v)
    draws: dict[int, list[Counter]] = defaultdict(list)
    for e, c, amount in zip(
        *(column.tolist() for column in draws_of(instance, cells)), strict=True
    ):
        draws[e].append((c, amount))
    pots: dict[int, list[int]] = defaultdict(list)
    for m, i in enumerate(devices.pot_device.tolist()):
        pots[int(cells.of[i])].append(m)
    uses: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for b, m, amount in zip(
        claims.use_choice.tolist(), claims.use_pot.tolist(), claims.use_amount.tolist(), strict=True
    ):
        if amount:
            uses[m].append((b, amount))
    return Traits(values, draws, pots, uses)


def pieces_of(instance: Instance, cells: Cells, traits: Traits) -> list[tuple[Piece, ...]]:
    """(N,) pieces of each node, sorted by their marks."""
    by_node: list[list[int]] = [[] for _ in range(len(instance.nodes))]
    fits = np.packbits(instance.claims.fits[:, cells.first], axis=0).T
    asks = np.packbits(instance.claims.asks[:, cells.first], axis=0).T
    marks = np.column_stack([fits, asks, cells.size, cells.now, cells.multi]).astype(np.int64)
    _, kind = np.unique(marks, axis=0, return_inverse=True)
    kind = np.asarray(kind).reshape(-1)
    asked = instance.claims.asks[:, cells.first].any(axis=0)
    for e in np.flatnonzero(asked & (cells.node >= 0)).tolist():
        by_node[cells.node[e]].append(e)
    found = []
    for mine in by_node:
        tied = _tied(mine, traits)
        pieces = [_piece(instance, cells, traits, kind, part) for part in tied]
        found.append(tuple(sorted(pieces, key=lambda piece: repr(piece.mark))))
    return found


def _tied(cells: Sequence[int], traits: Traits) -> list[list[int]]:
    """Cells of a node that share a value or a counter, directly or by others."""
    at: dict[Hashable, int] = {}
    parts: dict[int, list[int]] = {}
    of: dict[int, int] = {}
    for e in cells:
        keys: list[Hashable] = [
            (a, v) for a, values in traits.values.get(e, {}).items() for v in values
        ]
        keys += [c for c, _ in traits.draws.get(e, ())]
        others = sorted({of[at[key]] for key in keys if key in at})
        parts[e] = [other for p in others for other in parts.pop(p)] + [e]
        for other in parts[e]:
            of[other] = e
        at.update(dict.fromkeys(keys, e))
    return list(parts.values())


def _piece(
    instance: Instance, cells: Cells, traits: Traits, kind: Ints, mine: Sequence[int]
) -> Piece:
    """Put the cells in an order that does not depend on names, and number what they share."""
    devices = instance.devices

    def plain(e: int) -> tuple[object, ...]:
        values = tuple((a, len(v)) for a, v in sorted(traits.values.get(e, {}).items()))
        draws = tuple(sorted(amount for _, amount in traits.draws.get(e, ())))
        return int(kind[e]), values, draws

    order = sorted(mine, key=plain)
    value: dict[tuple[int, int], int] = {}
    counter: dict[int, int] = {}
    pots: list[int] = []
    mark: list[object] = []
    for e in order:
        named = tuple(
            (a, tuple(value.setdefault((a, v), len(value)) for v in values))
            for a, values in sorted(traits.values.get(e, {}).items())
        )
        draws = tuple(
            (counter.setdefault(c, len(counter)), amount) for c, amount in traits.draws.get(e, ())
        )
        own = traits.pots.get(e, [])
        uses = tuple((int(devices.pot_free[m]), tuple(traits.uses.get(m, ()))) for m in own)
        pots += own
        mark.append((int(kind[e]), named, draws, uses))
    counters = tuple(counter)
    left = (
        *(0 if cells.multi[e] else int(cells.now[e]) for e in order),
        *(int(devices.counter_free[c]) for c in counters),
        *(int(devices.pot_free[m]) for m in pots),
    )
    free = tuple(int(devices.counter_free[c]) for c in counters)
    return Piece((tuple(mark), free), tuple(order), counters, tuple(pots), left)
