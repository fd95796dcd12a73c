"""Evictions: who has fallen while a plan grows, and who may not, since its root has gained."""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.victims import victims_of
from gangplan.solvers.planners.greedy.book import Book


class Evictions:
    """Units that have fallen; every change can be undone.

    Attributes
    ----------
    fallen : numbers of the units. ``down`` : (V,) the same as flags.
    """

    def __init__(self, book: Book) -> None:
        instance, victims = book.instance, victims_of(book.instance)
        self._falls = book.falls
        self.fallen: set[int] = set()
        roots = len(instance.groups) + len(instance.composites)
        self.down = np.zeros(len(instance.running), dtype=np.bool_)
        self._lost = np.zeros(roots, dtype=np.int64)
        self._gained = np.zeros(roots, dtype=np.int64)
        self._of_role: list[int] = victims.root[instance.roles.group].tolist()
        self._journal: list[tuple[Ints, bool]] = []

    def mark(self) -> int:
        """Remember this moment."""
        return len(self._journal)

    def since(self, mark: int) -> list[tuple[Ints, bool]]:
        """Take back what was journalled since; return it, the last first."""
        undone = self._journal[mark:][::-1]
        del self._journal[mark:]
        for units, falls in undone:
            self._set(units, not falls)
        return undone

    def change(self, units: Ints, falls: bool) -> None:
        """Let units fall, or come back."""
        self._journal.append((units, falls))
        self._set(units, falls)

    def _set(self, units: Ints, falls: bool) -> None:
        mine = units.tolist()
        self.down[units] = falls
        root = self._falls.root[units]
        np.add.at(self._lost, root[root >= 0], 1 if falls else -1)
        if falls:
            self.fallen.update(mine)
        else:
            self.fallen.difference_update(mine)

    def loses(self, role: int) -> bool:
        """Tell whether the root of a role has lost pods: it gains none."""
        return bool(self._lost[self._of_role[role]] > 0)

    def gain(self, role: int, pods: int) -> None:
        """Count pods that were placed or, where negative, taken out."""
        self._gained[self._of_role[role]] += pods

    def available(self, rank: int, root: int) -> Flags:
        """(V,) units that may fall for a root of this rank."""
        falls = self._falls
        fine = falls.can & (falls.priority < rank) & ~self.down
        grouped = falls.root >= 0
        fine[grouped] &= self._gained[falls.root[grouped]] == 0
        if root >= 0:
            fine &= falls.root != root
        return fine
