"""Rack-bound gangs on whole 4-GPU nodes: each asks 25-80 % of a rack, racks are partly busy."""

from dataclasses import dataclass

import numpy as np

from gangplan.datasets.generate.draft import GPU, Draft, Gang, Vector, gangs_for, racks_for
from gangplan.models.arrays import Ints


@dataclass(frozen=True, slots=True)
class Racks:
    """Parameters; the order of the draws is part of the contract, figures depend on it.

    Attributes
    ----------
    nodes : rounded to whole racks.
    groups : gangs that wait, exactly so many; None: until they ask ``load`` times the free GPUs.
    occupied : mean part of a rack's nodes that are busy; 30 % of the busy ones are half free.
    """

    nodes: int = 1152
    groups: int | None = None
    nodes_per_rack: int = 18
    racks_per_block: int = 8
    load: float = 1.15
    occupied: float = 0.3
    priorities: tuple[int, ...] = (1,)
    node: Vector = (72, 480, 4, 110)

    def draw(self, seed: int) -> Draft:
        """Draw the cluster, then the gangs."""
        draws = np.random.default_rng(seed)
        free = self._free(draws, racks_for(self.nodes, self.nodes_per_rack))
        gpus = self.load * int(free[:, GPU].sum())
        gangs = gangs_for(lambda: self._gang(draws), self.groups, gpus)
        return Draft(free, self.node[GPU], self.nodes_per_rack, self.racks_per_block, gangs)

    def _free(self, draws: np.random.Generator, n_racks: int) -> Ints:
        size = self.nodes_per_rack
        free = np.tile(np.array(self.node, dtype=np.int64), (n_racks * size, 1))
        for rack in range(n_racks):
            busy = draws.binomial(size, self.occupied * draws.random() * 2)
            nodes = rack * size + draws.permutation(size)[:busy]
            half = draws.random(busy) < 0.3
            free[nodes] = np.where(half[:, None], free[nodes] // 2, 0)
        return free

    def _gang(self, draws: np.random.Generator) -> Gang:
        size = self.nodes_per_rack
        # One number is drawn and not used: the drawing order belongs to the published figures.
        draws.random()
        pods = int(draws.integers(max(2, int(0.25 * size)), int(0.8 * size) + 1))
        each = (64, 400, self.node[GPU], 1)
        return Gang(((pods, each),), "rack", int(draws.choice(self.priorities)))
