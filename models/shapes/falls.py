r"""What a node can hold once units on it have fallen: undominated pairs (E, P).

E is a set of the units on the node, P a multiset of shapes that fits once E is gone and to which no
pod that waits can be added. A pair is listed only where P does not fit with any of E still there:
who else wants P takes the smaller set. Shapes of groups that use no room which an eviction makes
(``Running.never``) have to fit what is free before, too.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from gangplan.models.arrays import MOST, Flags, Ints
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.shapes.shapes import Shapes
from gangplan.models.victims import victims_of

SETS = 4_096
"""Sets of units of one node that are looked at; above, the instance is refused."""

Listing = Callable[[Ints, Shapes, Flags], Ints]
"""(free, shapes, which of them) -> (P, S) maximal multisets; see ``classes.maximal``."""


@dataclass(frozen=True, slots=True, eq=False)
class Here:
    """Units that can fall and make room that somebody asks for, node by node.

    Attributes
    ----------
    at : (N,) number of what is on a node; nodes of one number have the same units, and each of
        those makes the same room on all of them. 0: nothing.
    units, rooms : by that number: (k,) units, and (k, R) the room of each, smallest first.
    """

    at: Ints
    units: tuple[Ints, ...]
    rooms: tuple[Ints, ...]


def units_here(instance: Instance, total: Ints) -> Here:
    """Sort the units of each node.

    Parameters
    ----------
    total : (R,) what all pods that wait ask; no more room is told.
    """
    running = instance.running
    at = np.zeros(len(instance.nodes), dtype=np.int64)
    none = np.zeros((0, len(total)), dtype=np.int64)
    units, rooms = [np.zeros(0, dtype=np.int64)], [none]
    pod = np.flatnonzero(victims_of(instance).can[running.pod_unit] & (running.pod_node >= 0))
    if len(pod):
        key = np.column_stack([running.pod_node[pod], running.pod_unit[pod]])
        index, entry = np.unique(key, axis=0, return_inverse=True)
        entry = entry.reshape(-1)
        # Cut so that no sum wraps round; nobody could use more.
        most = np.minimum(total, MOST // int(np.bincount(entry).max()))
        room = np.zeros((len(index), len(total)), dtype=np.int64)
        np.add.at(room, entry, np.minimum(running.pod_request[pod], most))
        room = np.minimum(room, total)
        mine = room.any(axis=1)
        known: dict[tuple[bytes, bytes], int] = {}
        index, room = index[mine], room[mine]
        order = np.lexsort((index[:, 1], *room.T[::-1], index[:, 0]))
        index, room = index[order], room[order]
        node, first = np.unique(index[:, 0], return_index=True)
        ends = np.append(first, len(index))[1:]
        for n, start, end in zip(node, first, ends, strict=True):
            said = (index[start:end, 1], room[start:end])
            number = known.setdefault((said[0].tobytes(), said[1].tobytes()), len(units))
            if number == len(units):
                units.append(said[0])
                rooms.append(said[1])
            at[n] = number
    return Here(at, tuple(units), tuple(rooms))


def pairs(
    free: Ints, rooms: Ints, shapes: Shapes, may: Flags, total: Ints, listing: Listing
) -> tuple[Ints, Flags]:
    """Pairs of a node: (P, S) multisets, and (P, k) who has to fall for each.

    Parameters
    ----------
    free : (R,) free room, at most ``total``.
    rooms : (k, R) what its units make.
    may : (S,) shapes that may use the node.

    Raises
    ------
    FormulationError : more than SETS sets of units; or see ``listing``.
    """
    k = len(rooms)
    if 2**k > SETS:
        raise FormulationError(
            f"{k} units on one node that can be evicted: more sets than can be listed "
            f"(limit {SETS:,})"
        )
    wide = _with_walls(shapes)
    room: dict[tuple[int, ...], Ints] = {}
    known: dict[bytes, Ints] = {}
    patterns: list[Ints] = []
    gone: list[Flags] = []
    for size in range(k + 1):
        for fallen in combinations(range(k), size):
            room[fallen] = _room(free, rooms[list(fallen)], total, wide.request.shape[1])
            listed = known.get(room[fallen].tobytes())
            if listed is None:
                listed = listing(room[fallen], wide, may)
                known[room[fallen].tobytes()] = listed
            asked = listed @ wide.request
            needed = np.ones(len(listed), dtype=np.bool_)
            for v in fallen:
                less = room[tuple(u for u in fallen if u != v)]
                needed &= (asked > less).any(axis=1)
            patterns.append(listed[needed])
            falls = np.zeros((int(needed.sum()), k), dtype=np.bool_)
            falls[:, list(fallen)] = True
            gone.append(falls)
    return np.concatenate(patterns), np.concatenate(gone)


def _with_walls(shapes: Shapes) -> Shapes:
    """Return shapes that ask what is free before anybody falls as resources of their own."""
    if not shapes.never.any():
        return shapes
    walls = shapes.request * shapes.never[:, None]
    return replace(shapes, request=np.concatenate([shapes.request, walls], axis=1))


def _room(free: Ints, rooms: Ints, total: Ints, width: int) -> Ints:
    """(width,) room once units are gone; with what is free before, where shapes ask it."""
    amounts = [free, *rooms]
    there = np.array(
        [min(sum(map(int, of)), int(most)) for *of, most in zip(*amounts, total, strict=True)],
        dtype=np.int64,
    )
    return np.concatenate([there, free])[:width]
