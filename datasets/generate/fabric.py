"""A channel of a rack's fabric that a whole gang shares (IMEX), beside GPUs of each pod's own.

A channel is a network device: all nodes of its rack reach it, and no other. A claim of a PodGroup
takes one, once for all pods of the gang, and so holds the gang in the rack; which gangs get the few
channels is the decision. Gangs without fabric fill what is left.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.datasets.devices import Choice, Offer, Request, Spec
from gangplan.datasets.generate.draft import Draft, Gang, Hardware, Vector, gangs_for, racks_for
from gangplan.models.arrays import Ints

GPUS = 4
"""GPUs of a node."""

ONE, TWO, FOUR, CHANNEL = 0, 1, 2, 3
"""Specs: so many GPUs of a node; a channel."""


@dataclass(frozen=True, slots=True)
class Fabric:
    """Parameters; the order of the draws is part of the contract, figures depend on it.

    Attributes
    ----------
    nodes : rounded to whole racks.
    groups : gangs that wait, exactly so many; None: until they ask ``load`` times the free GPUs.
    channels : of each rack; one of them is taken in every fourth rack, on average.
    joined : chance that a gang shares a channel.
    occupied : mean part of a rack's nodes that are busy; half of their GPUs is taken.
    """

    nodes: int = 54
    groups: int | None = None
    nodes_per_rack: int = 9
    racks_per_block: int = 3
    load: float = 1.15
    channels: int = 2
    joined: float = 0.6
    occupied: float = 0.2
    priorities: tuple[int, ...] = (1, 2)
    node: Vector = (144, 960, GPUS, 110)

    def draw(self, seed: int) -> Draft:
        """Draw what is taken, then the gangs."""
        draws = np.random.default_rng(seed)
        size, n_racks = self.nodes_per_rack, racks_for(self.nodes, self.nodes_per_rack)
        busy = draws.random(n_racks * size) < self.occupied * np.repeat(
            2 * draws.random(n_racks), size
        )
        free = np.tile(np.array(self.node, dtype=np.int64), (len(busy), 1))
        free[busy] -= np.array([36, 240, GPUS // 2, 0])
        offers = [
            Offer(f"gpu.example.com/n{n:05d}/gpu-{i}", node=n, taken=bool(held and i < GPUS // 2))
            for n, held in enumerate(busy.tolist())
            for i in range(GPUS)
        ]
        for rack, lost in enumerate((draws.random(n_racks) < 0.25).tolist()):
            offers += [
                Offer(
                    f"fabric.example.com/rack-{rack:03d}/channel-{i}",
                    zone=rack,
                    taken=lost and not i,
                )
                for i in range(self.channels)
            ]
        gpus = self.load * int(free[:, 2].sum())
        gangs = gangs_for(lambda: self._gang(draws), self.groups, gpus)
        zones = tuple(np.arange(len(busy)) // size == rack for rack in range(n_racks))
        return Draft(
            free,
            GPUS,
            size,
            self.racks_per_block,
            gangs,
            Hardware(tuple(offers), _specs(offers), zones=zones),
        )

    def _gang(self, draws: np.random.Generator) -> Gang:
        size = self.nodes_per_rack
        each: Ints = np.array([1, 2, 4])
        common: tuple[int, ...] = ()
        if draws.random() < self.joined:
            spec = int(draws.choice([TWO, FOUR], p=[0.3, 0.7]))
            pods = int(draws.integers(max(2, size // 4), max(3, int(0.8 * size) + 1)))
            pods, level, common = pods * 4 // int(each[spec]), "block", (CHANNEL,)
        else:
            spec, pods = int(draws.choice([ONE, TWO, FOUR])), int(draws.choice([1, 2, 4, 8]))
            level = str(draws.choice(["rack", "block", "none"]))
        gpus = int(each[spec])
        vector = (32 * gpus, 200 * gpus, gpus, 1)
        priority = int(draws.choice(self.priorities))
        return Gang(((pods, vector),), level, priority, ((spec,),), common)


def _specs(offers: list[Offer]) -> tuple[Spec, ...]:
    gpu = np.array([offer.node >= 0 for offer in offers], dtype=np.bool_)
    own = tuple(Spec((Request("gpus", (Choice(gpu, count=n),)),)) for n in (1, 2, 4))
    return (*own, Spec((Request("channel", (Choice(~gpu),)),)))
