"""Vector packing: three node generations, shapes that want much memory or much cpu per GPU."""

from dataclasses import dataclass

import numpy as np

from gangplan.datasets.generate.draft import GPU, Draft, Gang, Vector, gangs_for, racks_for
from gangplan.models.arrays import Ints

GENERATIONS: tuple[Vector, ...] = ((96, 768, 8, 110), (128, 1024, 8, 110), (192, 1536, 8, 110))
"""Nodes of a rack are of one generation."""

WORKERS: tuple[Vector, ...] = tuple(
    (cores * gpus, memory * gpus, gpus, 1)
    for gpus in (1, 2, 4, 8)
    for cores, memory in ((6, 180), (22, 60), (12, 96))
)

LEADERS: tuple[Vector, ...] = ((16, 128, 0, 1), (32, 64, 0, 1))


@dataclass(frozen=True, slots=True)
class Vectors:
    """Parameters; the order of the draws is part of the contract, figures depend on it.

    Attributes
    ----------
    nodes : rounded to whole racks.
    groups : gangs that wait, exactly so many; None: until they ask ``load`` times the free GPUs.
    occupied : chance, at each step, that one more pod is tried on a node.
    leaders : chance that a gang has 1-3 leaders without GPUs.
    """

    nodes: int = 512
    groups: int | None = None
    nodes_per_rack: int = 32
    racks_per_block: int = 4
    load: float = 1.15
    occupied: float = 0.25
    leaders: float = 0.3
    priorities: tuple[int, ...] = (1, 2)

    def draw(self, seed: int) -> Draft:
        """Draw the cluster, then the gangs."""
        draws = np.random.default_rng(seed)
        free = self._free(draws, racks_for(self.nodes, self.nodes_per_rack))
        gpus = self.load * int(free[:, GPU].sum())
        gangs = gangs_for(lambda: self._gang(draws), self.groups, gpus)
        return Draft(free, 8, self.nodes_per_rack, self.racks_per_block, gangs)

    def _free(self, draws: np.random.Generator, n_racks: int) -> Ints:
        kinds = draws.integers(0, len(GENERATIONS), n_racks)
        shapes = np.array(WORKERS + LEADERS, dtype=np.int64)
        rows = []
        for kind in np.repeat(kinds, self.nodes_per_rack):
            room = np.array(GENERATIONS[kind], dtype=np.int64)
            while draws.random() < self.occupied:
                shape = shapes[draws.integers(len(shapes))]
                if (room >= shape).all():
                    room -= shape
            rows.append(room)
        return np.stack(rows)

    def _gang(self, draws: np.random.Generator) -> Gang:
        pods = int(draws.choice([2, 3, 4, 6, 8, 12, 16, 24]))
        roles = [(pods, WORKERS[draws.integers(len(WORKERS))])]
        if draws.random() < self.leaders:
            leaders = int(draws.integers(1, 4))
            roles.append((leaders, LEADERS[draws.integers(len(LEADERS))]))
        level = str(draws.choice(["rack", "block", "none"], p=[0.5, 0.3, 0.2]))
        return Gang(tuple(roles), level, int(draws.choice(self.priorities)))
