"""Clusters full of running work, and urgent gangs that get in only if others make room."""

from dataclasses import dataclass, field

import numpy as np

from gangplan.datasets.generate.draft import GPU, Draft, Gang, Vector, gangs_for, racks_for
from gangplan.datasets.generate.work import Filling, fill, share
from gangplan.models.arrays import Ints


@dataclass(frozen=True, slots=True)
class Victims:
    """Parameters; the order of the draws is part of the contract, figures depend on it.

    Urgent gangs are bound to racks, and ask for more than fits with every lower unit gone: which of
    them get in, and for whom, is the question.

    Attributes
    ----------
    nodes : rounded to whole racks.
    groups : urgent gangs, exactly so many; None: until they ask ``load`` times the GPUs that are
        free or held by lower work.
    urgent : their priority.
    sizes, gpus : pods of an urgent gang, GPUs of a pod; each as likely.
    """

    nodes: int = 128
    groups: int | None = None
    nodes_per_rack: int = 16
    racks_per_block: int = 4
    load: float = 1.15
    urgent: int = 100
    sizes: tuple[int, ...] = (2, 4, 6, 8, 12)
    gpus: tuple[int, ...] = (8, 8, 4)
    filling: Filling = field(default_factory=Filling)
    node: Vector = (128, 1024, 8, 110)

    def draw(self, seed: int) -> Draft:
        """Draw the work that runs, then the gangs."""
        draws = np.random.default_rng(seed)
        free = _empty(self.node, racks_for(self.nodes, self.nodes_per_rack) * self.nodes_per_rack)
        work = fill(draws, self.filling, free)
        lower = sum(len(one.nodes) * one.each[GPU] for one in work if one.priority < self.urgent)
        asked = self.load * (int(free[:, GPU].sum()) + lower)
        gangs = gangs_for(lambda: self._gang(draws), self.groups, asked)
        return Draft(
            free, self.node[GPU], self.nodes_per_rack, self.racks_per_block, gangs, work=work
        )

    def _gang(self, draws: np.random.Generator) -> Gang:
        pods, gpus = int(draws.choice(self.sizes)), int(draws.choice(self.gpus))
        return Gang(((pods, share(gpus)),), "rack", self.urgent)


FULL = Filling(occupied=1.0, priorities=(50, 10, 0), chances=(0.3, 0.4, 0.3))
"""No GPU is left, and an urgent gang may evict everybody."""


@dataclass(frozen=True, slots=True)
class Storm:
    """One urgent gang on a full cluster.

    Attributes
    ----------
    nodes : rounded to whole racks.
    groups : gangs of this size.
    part : part of the cluster's GPUs that the gang asks, or of a rack's where ``level`` is one.
    level : ``rack``: all its pods in one; ``none``: one block is preferred.
    """

    nodes: int = 128
    groups: int | None = 1
    nodes_per_rack: int = 16
    racks_per_block: int = 4
    part: float = 0.1
    level: str = "none"
    urgent: int = 100
    filling: Filling = FULL
    node: Vector = (128, 1024, 8, 110)

    def draw(self, seed: int) -> Draft:
        """Draw the work that runs; the gangs are not drawn."""
        draws = np.random.default_rng(seed)
        free = _empty(self.node, racks_for(self.nodes, self.nodes_per_rack) * self.nodes_per_rack)
        work = fill(draws, self.filling, free)
        whole = self.nodes_per_rack if self.level == "rack" else len(free)
        pods = max(round(self.part * whole), 1)
        gang = Gang(((pods, share(self.node[GPU])),), self.level, self.urgent)
        gangs = (gang,) * (1 if self.groups is None else self.groups)
        return Draft(
            free, self.node[GPU], self.nodes_per_rack, self.racks_per_block, gangs, work=work
        )


def _empty(node: Vector, nodes: int) -> Ints:
    return np.tile(np.array(node, dtype=np.int64), (nodes, 1))
