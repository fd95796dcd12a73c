"""Partitioned GPUs: nodes with 8 A100s, a device for every placement of every MIG profile.

Placements overlap, so they share counters: multiprocessors of a GPU, and each of its 8 memory
slices. Profiles and placements are NVIDIA's for an A100 of 40 GB (MIG user guide, "A100 MIG
profiles"). Some GPUs carry partitions already, where they fell.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.datasets.devices import Choice, Offer, Request, Spec
from gangplan.datasets.generate.draft import Draft, Gang, Hardware, Vector, gangs_for, racks_for

GPUS = 8
"""GPUs of a node."""

PROFILES: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "1g.5gb": (14, 1, (0, 1, 2, 3, 4, 5, 6)),
    "1g.10gb": (14, 2, (0, 2, 4, 6)),
    "2g.10gb": (28, 2, (0, 2, 4)),
    "3g.20gb": (42, 4, (0, 4)),
    "4g.20gb": (56, 4, (0,)),
    "7g.40gb": (98, 8, (0,)),
}
"""Multiprocessors, memory slices, and first memory slices where it may begin."""

ASKS: tuple[tuple[str, ...], ...] = (
    *((name,) for name in PROFILES),
    ("2g.10gb", "1g.10gb"),
    ("3g.20gb", "4g.20gb", "7g.40gb"),
    ("4g.20gb", "3g.20gb"),
)
"""What a claim asks: one profile, or the first of several that can be had."""


@dataclass(frozen=True, slots=True)
class Mig:
    """Parameters; the order of the draws is part of the contract, figures depend on it.

    Attributes
    ----------
    nodes : rounded to whole racks.
    groups : gangs that wait, exactly so many; None: until they ask ``load`` times the
        multiprocessors that are free.
    occupied : chance, at each step, that a GPU carries one more partition.
    """

    nodes: int = 16
    groups: int | None = None
    nodes_per_rack: int = 4
    racks_per_block: int = 4
    load: float = 1.1
    occupied: float = 0.3
    priorities: tuple[int, ...] = (1, 2)
    node: Vector = (128, 1024, GPUS, 110)

    def draw(self, seed: int) -> Draft:
        """Draw what the GPUs carry, then the gangs."""
        draws = np.random.default_rng(seed)
        n_nodes = racks_for(self.nodes, self.nodes_per_rack) * self.nodes_per_rack
        free = np.tile(np.array(self.node, dtype=np.int64), (n_nodes, 1))
        offers: list[Offer] = []
        counters: dict[str, int] = {}
        for n in range(n_nodes):
            for i in range(GPUS):
                held = self._held(draws)
                free[n] -= np.array([2 * len(held), 16 * len(held), int(bool(held)), 0])
                offers += _gpu(f"n{n:05d}", i, n, held, counters)
        whole = PROFILES["7g.40gb"][0]
        left = sum(v for name, v in counters.items() if name.endswith("multiprocessors")) / whole
        gangs = gangs_for(lambda: self._gang(draws), self.groups, self.load * left, _gpus)
        return Draft(
            free,
            GPUS,
            self.nodes_per_rack,
            self.racks_per_block,
            gangs,
            Hardware(tuple(offers), _specs(offers), counters),
        )

    def _held(self, draws: np.random.Generator) -> set[tuple[str, int]]:
        """Partitions that a GPU carries: (profile, first memory slice)."""
        held: set[tuple[str, int]] = set()
        busy: set[int] = set()
        left = PROFILES["7g.40gb"][0]
        while draws.random() < self.occupied:
            name = str(draws.choice(["1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb"]))
            units, slices, starts = PROFILES[name]
            begin = int(draws.choice(starts))
            place = set(range(begin, begin + slices))
            if units <= left and not place & busy:
                held.add((name, begin))
                busy |= place
                left -= units
        return held

    def _gang(self, draws: np.random.Generator) -> Gang:
        chance = [0.22, 0.12, 0.16, 0.12, 0.06, 0.08, 0.08, 0.08, 0.08]
        ask = int(draws.choice(len(ASKS), p=chance))
        pods = int(draws.choice([2, 4, 8, 16]))
        level = str(draws.choice(["rack", "block", "none"], p=[0.4, 0.3, 0.3]))
        priority = int(draws.choice(self.priorities))
        return Gang(((pods, (2, 16, 1, 1)),), level, priority, ((ask,),))


def _gpus(gang: Gang) -> float:
    """GPUs that all pods of a gang ask for, by multiprocessors of their first choices."""
    units = PROFILES[ASKS[gang.claims[0][0]][0]][0] / PROFILES["7g.40gb"][0]
    return units * gang.gpus


def _gpu(
    node: str, i: int, n: int, held: set[tuple[str, int]], counters: dict[str, int]
) -> list[Offer]:
    """All placements on a GPU, and what is left of its counters."""
    at = f"gpu.example.com/{node}/gpu-{i}"
    busy = {s for name, begin in held for s in range(begin, begin + PROFILES[name][1])}
    units = f"{at}/multiprocessors"
    counters[units] = PROFILES["7g.40gb"][0] - sum(PROFILES[name][0] for name, _ in held)
    counters |= {f"{at}/memory-slice-{s}": int(s not in busy) for s in range(8)}
    offers = []
    for name, (multiprocessors, slices, starts) in PROFILES.items():
        for begin in starts:
            draws = {f"{at}/memory-slice-{s}": 1 for s in range(begin, begin + slices)}
            taken = (name, begin) in held
            device = f"{at}-mig-{name.replace('.', '-')}-{begin}"
            offers.append(
                Offer(
                    device,
                    node=n,
                    taken=taken,
                    draws={} if taken else {units: multiprocessors, **draws},
                )
            )
    return offers


def _specs(offers: list[Offer]) -> tuple[Spec, ...]:
    profile = [offer.name.split("-mig-")[1].rpartition("-")[0] for offer in offers]
    words = {name: name.replace(".", "-") for name in PROFILES}
    fits = {
        name: np.array([p == word for p in profile], dtype=np.bool_) for name, word in words.items()
    }
    return tuple(
        Spec(
            (
                Request(
                    "partition",
                    tuple(Choice(fits[p], words[p] if len(ask) > 1 else "") for p in ask),
                ),
            )
        )
        for ask in ASKS
    )
