"""Returns: a unit that was to fall comes back, alone or with others of its root."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from gangplan.solvers.planners.greedy.law import Law
from gangplan.solvers.planners.greedy.room import Room


class Trial(Protocol):
    """Where units come back to, one by one."""

    def take(self, unit: int) -> bool:
        """Let a unit come back if it fits."""

    def drop(self, unit: int) -> None:
        """Let it fall again."""


class Standing:
    """A room whose new pods stay where they are.

    Parameters
    ----------
    fallen : units that may come back; those that do not even fit alone are known at once.
    """

    def __init__(self, room: Room, fallen: set[int]) -> None:
        self._room = room
        falls = room.book.falls
        pairs = falls.pairs(np.array(sorted(fallen), dtype=np.int64))
        short = (falls.pair_room[pairs] > room.free[falls.pair_node[pairs]]).any(axis=1)
        self._able = fallen.difference(falls.pair_unit[pairs[short]].tolist())

    def take(self, unit: int) -> bool:
        """Let a unit come back if nothing stands in its place."""
        if unit not in self._able:
            return False
        units = np.array([unit], dtype=np.int64)
        fits = self._room.spares(units)
        if fits:
            self._room.evict(units, falls=False)
        return fits

    def drop(self, unit: int) -> None:
        """Let it fall again."""
        self._room.evict(np.array([unit], dtype=np.int64))


def bring_back(law: Law, fallen: set[int], order: Sequence[int], trial: Trial) -> None:
    """Let as many units come back as fit and may, in this order; ``fallen`` shrinks in place."""
    for unit in order:
        if unit in fallen and trial.take(unit):
            if law.free(unit):
                fallen.discard(unit)
            else:
                fallen.difference_update(_with_others(law, fallen, unit, trial))


def _with_others(law: Law, fallen: set[int], unit: int, trial: Trial) -> list[int]:
    """Let others come back until those that have may; the unit is back already."""
    back: list[int] = []
    for part in law.parts(unit, fallen):
        back += [v for v in part if v not in back and (v == unit or trial.take(v))]
        if _may(law, fallen, back):
            return back
    for extra in law.surplus(fallen, back):
        back.remove(extra)
        trial.drop(extra)
    for v in reversed(tuple(back)):
        # Of a tree, some groups may not have found room for all whom they need.
        if v != unit and law.torn(fallen.difference(back), law.groups[v]):
            back.remove(v)
            trial.drop(v)
    if _may(law, fallen, back):
        return back
    for v in reversed(back):
        trial.drop(v)
    return []


def _may(law: Law, fallen: set[int], back: list[int]) -> bool:
    groups = sorted({g for v in back for g in law.groups[v]})
    return not law.broken(fallen.difference(back), groups)
