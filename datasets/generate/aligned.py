"""A GPU and a NIC on one PCIe root: nodes with 8 GPUs and 4 or 8 NICs, some of them partly taken.

What runs already took NICs and GPUs without looking at roots, so many free GPUs have no free NIC
beside them. Pods ask for GPUs with a NIC on their root, or for GPUs alone; those that ask for GPUs
alone had better take the GPUs whose NIC is gone.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.datasets.devices import Choice, Offer, Request, Rule, Spec
from gangplan.datasets.generate.draft import Draft, Gang, Hardware, Vector, gangs_for, racks_for
from gangplan.models.arrays import Flags

GPUS = 8
"""GPUs of a node."""

ROOT = "resource.kubernetes.io/pcieRoot"

PAIR, TWIN, ALONE = 0, 1, 2
"""Specs: a GPU and a NIC of one root; two GPUs and a NIC of one root; a GPU."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """Parameters; the order of the draws is part of the contract, figures depend on it.

    Attributes
    ----------
    nodes : rounded to whole racks.
    groups : gangs that wait, exactly so many; None: until they ask ``load`` times the free GPUs.
    sparse : chance that the nodes of a rack have 4 NICs, one for two GPUs; only where it is above 0
        do gangs ask for two GPUs beside a NIC.
    occupied : chance that a node is partly taken: 1-6 of its GPUs and 0-3 of its NICs.
    scale : times as many pods in each gang.
    """

    nodes: int = 64
    groups: int | None = None
    nodes_per_rack: int = 8
    racks_per_block: int = 4
    load: float = 1.1
    sparse: float = 0.4
    occupied: float = 0.4
    scale: int = 1
    priorities: tuple[int, ...] = (1, 2)
    node: Vector = (128, 1024, GPUS, 110)

    def draw(self, seed: int) -> Draft:
        """Draw the NICs of each rack, then what is taken, then the gangs."""
        draws = np.random.default_rng(seed)
        n_racks = racks_for(self.nodes, self.nodes_per_rack)
        sparse = draws.random(n_racks) < self.sparse
        nics = np.repeat(np.where(sparse, GPUS // 2, GPUS), self.nodes_per_rack).tolist()
        free = np.tile(np.array(self.node, dtype=np.int64), (len(nics), 1))
        offers: list[Offer] = []
        for n, count in enumerate(nics):
            gone = self._gone(draws, count)
            offers += _node(n, count, gone)
            free[n] -= int(gone[0].sum()) * np.array([10, 80, 1, 0])
        gpus = self.load * int(free[:, 2].sum())
        gangs = gangs_for(lambda: self._gang(draws), self.groups, gpus)
        return Draft(
            free,
            GPUS,
            self.nodes_per_rack,
            self.racks_per_block,
            gangs,
            Hardware(tuple(offers), _specs(offers)),
        )

    def _gone(self, draws: np.random.Generator, nics: int) -> tuple[Flags, Flags]:
        """(8,) GPUs and (nics,) NICs that are taken already."""
        gpu, nic = np.zeros(GPUS, dtype=np.bool_), np.zeros(nics, dtype=np.bool_)
        if draws.random() < self.occupied:
            gpu[draws.permutation(GPUS)[: int(draws.integers(1, 7))]] = True
            nic[draws.permutation(nics)[: int(draws.integers(0, 4))]] = True
        return gpu, nic

    def _gang(self, draws: np.random.Generator) -> Gang:
        kind = draws.random()
        if kind < 0.5:
            each = int(draws.choice([1, 2, 4, 8], p=[0.3, 0.3, 0.25, 0.15]))
            specs, gpus = (PAIR,) * each, each
        elif kind < 0.75 and self.sparse > 0.0:
            each = int(draws.choice([1, 2, 4]))
            specs, gpus = (TWIN,) * each, 2 * each
        else:
            each = int(draws.choice([1, 2, 4]))
            specs, gpus = (ALONE,) * each, each
        pods = self.scale * int(draws.choice([2, 4, 8, 16] if gpus < 8 else [1, 2, 4, 8]))
        level = str(draws.choice(["rack", "block", "none"], p=[0.3, 0.4, 0.3]))
        vector = (10 * gpus, 80 * gpus, gpus, 1)
        return Gang(((pods, vector),), level, int(draws.choice(self.priorities)), (specs,))


def _node(n: int, nics: int, gone: tuple[Flags, Flags]) -> list[Offer]:
    """GPUs and NICs of a node: root r has GPU r, or GPUs 2r and 2r + 1 where NICs are few."""
    parts = (("gpu", "gpu.example.com", GPUS, gone[0]), ("nic", "nic.example.com", nics, gone[1]))
    return [
        Offer(
            f"{driver}/n{n:05d}/{word}-{i}",
            node=n,
            taken=bool(taken[i]),
            traits={ROOT: (("string", f"n{n:05d}-root-{i * nics // count}"),)},
        )
        for word, driver, count, taken in parts
        for i in range(count)
    ]


def _specs(offers: list[Offer]) -> tuple[Spec, ...]:
    gpu = np.array([offer.name.startswith("gpu") for offer in offers], dtype=np.bool_)
    nic, rule = Request("nic", (Choice(~gpu),)), (Rule(ROOT, False, ((0, 0), (1, 0))),)
    return (
        Spec((Request("gpu", (Choice(gpu),)), nic), rule),
        Spec((Request("gpus", (Choice(gpu, count=2),)), nic), rule),
        Spec((Request("gpu", (Choice(gpu),)),)),
    )
