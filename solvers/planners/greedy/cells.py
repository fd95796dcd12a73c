"""Cells: the nodes that share one domain at each of several levels, nested or crossing."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gangplan.models.arrays import Ints
from gangplan.models.topology import Topology


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A partition of the nodes that carry all labels of ``levels``.

    Attributes
    ----------
    levels : the levels, sorted; without any, all nodes are one cell.
    order : (M,) nodes, cell after cell.
    start : (n+1,) where each cell begins in ``order``.
    """

    levels: tuple[int, ...]
    order: Ints
    start: Ints

    def __len__(self) -> int:
        """Return the number of cells n."""
        return len(self.start) - 1

    def nodes(self, cell: int) -> Ints:
        """Nodes of a cell, ascending."""
        return self.order[self.start[cell] : self.start[cell + 1]]

    @property
    def first(self) -> Ints:
        """(n,) one node of each cell: it speaks for the cell's domains."""
        return self.order[self.start[:-1]]

    def sums(self, amounts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """(N,) amounts per node -> (n,) sums per cell."""
        if not len(self):
            return amounts[:0]
        total: npt.NDArray[Any] = np.add.reduceat(amounts[self.order], self.start[:-1])
        return total


def cells_of(topology: Topology, levels: tuple[int, ...]) -> Cells:
    """Cut the nodes into cells; nodes that lack one of the labels are in none."""
    domains = topology.domain[list(levels)]
    inside = np.flatnonzero((domains >= 0).all(axis=0))
    key = np.zeros(len(inside), dtype=np.int64)
    for row in domains[:, inside]:
        # Renumbered level by level, so that the key stays small with any number of levels.
        key = np.unique(key * (topology.n_domains + 1) + row, return_inverse=True)[1].reshape(-1)
    order = np.argsort(key, kind="stable")
    start = np.searchsorted(key[order], np.arange(int(key.max()) + 2 if len(key) else 1))
    return Cells(levels, inside[order].astype(np.int64), start.astype(np.int64))
