"""Entry: a group for which others make room, and the cells where it could go."""

from collections.abc import Callable
from dataclasses import dataclass

from gangplan.models.arrays import Flags, Ints
from gangplan.solvers.planners.greedy.cells import Cells
from gangplan.solvers.planners.greedy.outlook import Bill


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A group, so many pods of one of its roles, and where they could go."""

    group: int
    role: int
    need: int
    cells: Cells
    may: Flags
    bill: Bill
    attempt: Callable[[], bool]

    def nodes(self, cell: int) -> Ints:
        """Nodes of a cell, those with the cheapest slots first."""
        return self.bill.nodes[self.cells.start[cell] : self.cells.start[cell + 1]]
