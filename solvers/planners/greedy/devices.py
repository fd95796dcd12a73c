"""Devices of the shared pool: parts by best fit, whole ones from the empty devices."""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.columns import EMPTY, Shared


class Pool:
    """Free thousandths of every shared device, and how many pods they hold.

    Attributes
    ----------
    free : (J,) thousandths free now.
    """

    def __init__(self, shared: Shared, n_nodes: int) -> None:
        self.free = shared.free.copy()
        self._node = shared.node
        self._start = np.searchsorted(shared.node, np.arange(n_nodes + 1))

    def on_node(self) -> Ints:
        """(N,) thousandths free on each node."""
        return self._per_node(self.free)

    def slots(self, share: int, whole: int) -> Ints:
        """(N,) pods that ask ``share`` thousandths of one device, or ``whole`` empty devices."""
        if share:
            return self._per_node(self.free // share)
        return self._per_node((self.free == EMPTY).astype(np.int64)) // whole

    def take(self, node: int, pods: int, share: int, whole: int) -> list[Ints]:
        """Give each pod its devices: the fullest one that has the share, or empty ones."""
        begin, end = int(self._start[node]), int(self._start[node + 1])
        taken = []
        for _ in range(pods):
            free = self.free[begin:end]
            if share:
                mine = np.array([int(np.argmin(np.where(free >= share, free, 2 * EMPTY)))])
                free[mine] -= share
            else:
                mine = np.flatnonzero(free == EMPTY)[:whole]
                free[mine] = 0
            taken.append(begin + mine.astype(np.int64))
        return taken

    def give_back(self, taken: list[Ints], share: int) -> None:
        """Undo ``take``."""
        for devices in taken:
            self.free[devices] += share if share else EMPTY

    def _per_node(self, amounts: Ints) -> Ints:
        before = np.concatenate(([0], np.cumsum(amounts)))
        total: Ints = before[self._start[1:]] - before[self._start[:-1]]
        return total
