"""Gauge: how full nodes are, in the numbers that nodes and domains are sorted by."""

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.columns import EMPTY
from gangplan.solvers.planners.greedy.book import Book
from gangplan.solvers.planners.greedy.devices import Pool
from gangplan.solvers.planners.greedy.measure import WHOLE


class Gauge:
    """What nodes have left.

    Parameters
    ----------
    pool : shared devices of the room; free (N, R), what is free in it at first.

    Attributes
    ----------
    devices : (N,) free devices, shared ones included: what tightness is measured by.
    fullness : (N,) devices first, then the mean of the other resources: small means nearly full.
    """

    def __init__(self, book: Book, pool: Pool, free: Ints) -> None:
        self._book, self._pool = book, pool
        self._claimed = book.measure.node.copy() if book.instance.claims else None
        counted = list(book.instance.device_columns)
        self._counted = np.zeros(free.shape[1])
        self._counted[counted] = 1.0
        others = np.where(self._counted > 0, 0.0, 1.0)
        # Below 1 in sum, so that it never outweighs one device.
        self._tie = 0.9 * others / (book.scale * max(others.sum(), 1.0))
        self.devices: Floats = free @ self._counted + pool.on_node() / EMPTY
        if self._claimed is not None:
            self.devices += self._claimed / WHOLE
        self._before = self.devices.copy()
        self.fullness: Floats = self.devices + free @ self._tie

    def claim(self, role: int, nodes: Ints, pods: Ints) -> None:
        """Count the claims of pods that were placed or, where negative, taken out."""
        if self._claimed is not None:
            self._claimed[nodes] -= pods * self._book.measure.role[role]

    def read(self, nodes: Ints, free: Ints) -> None:
        """Say how full nodes are now that so much (n, R) is free there."""
        devices = free @ self._counted
        if len(self._pool.free):
            devices += self._pool.on_node()[nodes] / EMPTY
        if self._claimed is not None:
            devices += self._claimed[nodes] / WHOLE
        self.devices[nodes] = devices
        self.fullness[nodes] = devices + free @ self._tie

    def fullness_with(self, more: Ints) -> Floats:
        """(N,) fullness where so much more (N, R) is free, and devices as now."""
        full: Floats = self.fullness + more @ (self._counted + self._tie)
        return full

    def untouched(self, nodes: Ints) -> Flags:
        """Tell which of the nodes have devices that are all free, still."""
        same: Flags = self.devices[nodes] == self._before[nodes]
        same &= self._book.instance.nodes.intact[nodes]
        return same
