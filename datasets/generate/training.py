"""A training cluster: 8-GPU nodes, partly busy; gangs of 1-16 pods with 1-8 GPUs a pod."""

from dataclasses import dataclass

import numpy as np

from gangplan.datasets.generate.draft import GPU, Draft, Gang, Vector, racks_for
from gangplan.models.arrays import Ints


@dataclass(frozen=True, slots=True)
class Training:
    """Parameters; the order of the draws is part of the contract, figures depend on it.

    Attributes
    ----------
    nodes : rounded to whole racks.
    groups : gangs that wait; None: ``groups_per_node`` of them a node.
    occupied : chance, at each step, that a node with free GPUs holds one more pod already.
    leaders : chance that a gang has a leader without GPUs.
    """

    nodes: int = 128
    groups: int | None = None
    nodes_per_rack: int = 16
    racks_per_block: int = 4
    groups_per_node: float = 60 / 128
    occupied: float = 0.35
    leaders: float = 0.3
    priorities: tuple[int, ...] = (1, 2, 4)
    node: Vector = (128, 1024, 8, 110)

    def draw(self, seed: int) -> Draft:
        """Draw the cluster, then the gangs."""
        draws = np.random.default_rng(seed)
        racks = racks_for(self.nodes, self.nodes_per_rack)
        free = self._free(draws, racks * self.nodes_per_rack)
        count = round(len(free) * self.groups_per_node) if self.groups is None else self.groups
        gangs = tuple(self._gang(draws) for _ in range(count))
        return Draft(free, self.node[GPU], self.nodes_per_rack, self.racks_per_block, gangs)

    def _free(self, draws: np.random.Generator, n_nodes: int) -> Ints:
        rows = []
        for _ in range(n_nodes):
            cores, memory, gpus, pods = self.node
            # The chance is drawn before the GPUs are looked at: a full node costs a draw too.
            while draws.random() < self.occupied and gpus > 0:
                taken = min(int(draws.choice([1, 2, 4, 8])), gpus)
                cores -= taken * int(draws.integers(6, 14))
                memory -= taken * int(draws.integers(40, 100))
                gpus -= taken
                pods -= 1
            rows.append((cores, memory, gpus, pods))
        return np.maximum(np.array(rows, dtype=np.int64), 0)

    def _gang(self, draws: np.random.Generator) -> Gang:
        kind = draws.random()
        if kind < 0.45:
            gpus, sizes = 8, [1, 2, 4, 8, 16]
        elif kind < 0.75:
            gpus, sizes = 4, [2, 4, 8]
        else:
            gpus, sizes = int(draws.choice([1, 2])), [2, 4, 8, 16]
        roles: list[tuple[int, Vector]] = [
            (int(draws.choice(sizes)), (gpus * 12, gpus * 96, gpus, 1))
        ]
        if draws.random() < self.leaders:
            roles.append((1, (8, 32, 0, 1)))
        level = str(draws.choice(["rack", "block", "none"], p=[0.4, 0.3, 0.3]))
        return Gang(tuple(roles), level, int(draws.choice(self.priorities)))
