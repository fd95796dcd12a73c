"""Several GPU models under one DeviceClass: requests by least memory, or by model, best first.

A claim that asks for 40 GB may take an 80 GB GPU, which a claim for 80 GB may then lack. GPUs of
the smallest model may be shared: by any number of claims while their memory lasts (consumable
capacity).
"""

from dataclasses import dataclass

import numpy as np

from gangplan.datasets.devices import Choice, Offer, Request, Spec
from gangplan.datasets.generate.draft import Draft, Gang, Hardware, Vector, gangs_for, racks_for

GPUS = 8
"""GPUs of a node."""

MODELS: dict[str, int] = {"l4": 24, "a100": 40, "a100-80": 80, "h100": 80, "h200": 141}
"""Memory in GiB; nodes of a rack have one model."""

SHARED = "l4"
"""The model that claims may share."""

LEAST = (40, 80, 141)
"""Requests by least memory, of any model that is not shared."""

BEST: tuple[tuple[str, ...], ...] = (
    ("h200", "h100"),
    ("h100", "a100-80"),
    ("h100", "a100-80", "a100"),
)
"""Requests by model, best first."""

PARTS = (4, 6, 10, 16)
"""GiB of a shared GPU."""


@dataclass(frozen=True, slots=True)
class Models:
    """Parameters; the order of the draws is part of the contract, figures depend on it.

    Attributes
    ----------
    nodes : rounded to whole racks.
    groups : gangs that wait, exactly so many; None: until they ask ``load`` times the free GPUs.
    occupied : chance that a GPU is taken; of a shared one, that 4-20 GiB are.
    """

    nodes: int = 48
    groups: int | None = None
    nodes_per_rack: int = 4
    racks_per_block: int = 3
    load: float = 1.1
    occupied: float = 0.25
    priorities: tuple[int, ...] = (1, 2)
    node: Vector = (128, 1024, GPUS, 110)

    def draw(self, seed: int) -> Draft:
        """Draw models, what is taken, then the gangs."""
        draws = np.random.default_rng(seed)
        n_racks = racks_for(self.nodes, self.nodes_per_rack)
        chosen = draws.integers(0, len(MODELS), n_racks)
        model = [list(MODELS)[m] for m in np.repeat(chosen, self.nodes_per_rack)]
        busy = draws.random((len(model), GPUS)) < self.occupied
        parts = draws.integers(4, 21, busy.shape)
        free = np.tile(np.array(self.node, dtype=np.int64), (len(model), 1))
        free -= busy.sum(axis=1)[:, None] * np.array([8, 64, 1, 0])
        offers = [
            _gpu(n, i, word, bool(busy[n, i]), int(parts[n, i]))
            for n, word in enumerate(model)
            for i in range(GPUS)
        ]
        of = [word for word in model for _ in range(GPUS)]
        gpus = self.load * int(free[:, 2].sum())
        gangs = gangs_for(lambda: self._gang(draws), self.groups, gpus, _gpus)
        return Draft(
            free,
            GPUS,
            self.nodes_per_rack,
            self.racks_per_block,
            gangs,
            Hardware(tuple(offers), _specs(of)),
        )

    def _gang(self, draws: np.random.Generator) -> Gang:
        spec = int(draws.choice(len(_ASKS), p=_CHANCE))
        gpus = _ASKS[spec][1]
        pods = int(draws.choice([2, 4, 8] if gpus > 1 else [2, 4, 8, 16]))
        level = str(draws.choice(["rack", "block", "none"], p=[0.3, 0.4, 0.3]))
        vector = (8 * gpus, 64 * gpus, gpus, 1)
        return Gang(((pods, vector),), level, int(draws.choice(self.priorities)), ((spec,),))


_ASKS: tuple[tuple[object, int], ...] = (
    *((least, count) for least in LEAST for count in (1, 4)),
    *((names, count) for names in BEST for count in (1, 4)),
    *((part, 1) for part in PARTS),
)
"""What a claim asks, and GPUs: least memory, models, or GiB of a shared one; in this order."""

_WEIGHT = [2.0] * 6 + [1.0] * 6 + [1.5] * 4
_CHANCE = [w / sum(_WEIGHT) for w in _WEIGHT]


def _gpus(gang: Gang) -> float:
    """GPUs that all pods of a gang ask for; parts of one by their memory."""
    asked, _ = _ASKS[gang.claims[0][0]]
    part = gang.claims[0][0] >= len(_ASKS) - len(PARTS)
    return gang.gpus * (float(str(asked)) / MODELS[SHARED] if part else 1.0)


def _gpu(n: int, i: int, model: str, busy: bool, part: int) -> Offer:
    name = f"gpu.example.com/n{n:05d}/gpu-{i}"
    if model != SHARED:
        return Offer(name, node=n, taken=busy)
    return Offer(name, node=n, multi=True, pots={"memory": MODELS[model] - (part if busy else 0)})


def _specs(model: list[str]) -> tuple[Spec, ...]:
    memory = np.array([MODELS[word] for word in model], dtype=np.int64)
    kind = np.array(model)
    shared = kind == SHARED
    specs: list[tuple[Choice, ...]] = [
        (Choice(~shared & (memory >= least), count=count),) for least in LEAST for count in (1, 4)
    ]
    specs += [
        tuple(Choice(kind == word, word, count) for word in names)
        for names in BEST
        for count in (1, 4)
    ]
    devices = np.flatnonzero(shared).tolist()
    specs += [(Choice(shared, uses={i: {"memory": part} for i in devices}),) for part in PARTS]
    return tuple(Spec((Request("gpu", choices),)) for choices in specs)
