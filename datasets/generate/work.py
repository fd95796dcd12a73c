"""Running work drawn onto nodes: gangs that fall as one, gangs with spare pods, single pods."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.datasets.generate.draft import GPU, Vector, Work
from gangplan.models.arrays import Ints


@dataclass(frozen=True, slots=True)
class Filling:
    """How a cluster is filled; the order of the draws is part of the contract.

    Attributes
    ----------
    occupied : part of all GPUs that running work holds.
    sizes : pods of a group, each as likely.
    gpus : GPUs of a pod, each as likely.
    crossing : chance that the pods of a group stand on nodes drawn from the whole cluster; the
        others are side by side, as far as there is room.
    priorities, chances : of running work.
    whole, alone : chance that a group falls as one; that it is no group but single pods. The rest
        may lose pods one by one, down to half of them.
    guarded : chance that a PodDisruptionBudget guards a group and allows one victim.
    longest : minutes that work has run at most.
    """

    occupied: float = 0.9
    sizes: tuple[int, ...] = (1, 2, 2, 4, 4, 8, 16)
    gpus: tuple[int, ...] = (8, 8, 8, 4, 2)
    crossing: float = 0.4
    priorities: tuple[int, ...] = (100, 50, 10)
    chances: tuple[float, ...] = (0.25, 0.35, 0.4)
    whole: float = 0.6
    alone: float = 0.1
    guarded: float = 0.15
    longest: int = 10_000


def fill(draws: np.random.Generator, filling: Filling, free: Ints) -> tuple[Work, ...]:
    """Draw work until it holds its part of the GPUs; ``free`` (N, 4) shrinks in place.

    A group for which no room is left is drawn again, smaller in the end: the last ones are pods
    with the fewest GPUs.
    """
    wanted = filling.occupied * int(free[:, GPU].sum())
    found: list[Work] = []
    held, misses = 0, 0
    while held < wanted and misses < 50:
        pods, gpus = int(draws.choice(filling.sizes)), int(draws.choice(filling.gpus))
        across, kind = draws.random() < filling.crossing, draws.random()
        priority = int(draws.choice(filling.priorities, p=filling.chances))
        guarded = bool(draws.random() < filling.guarded)
        minutes = int(draws.integers(filling.longest))
        start = int(draws.integers(len(free)))
        order = draws.permutation(len(free)) if across else np.roll(np.arange(len(free)), -start)
        each = share(gpus)
        nodes = _room(free, order.tolist(), each, pods)
        if len(nodes) < pods:
            misses += 1
            continue
        np.subtract.at(free, nodes, np.array(each))
        held += pods * gpus
        whole = kind < filling.whole
        alone = filling.whole <= kind < filling.whole + filling.alone
        found.append(
            Work(tuple(nodes), each, priority, whole, alone, -(-pods // 2), guarded, minutes)
        )
    return tuple(found)


def share(gpus: int) -> Vector:
    """Return what a pod with so many GPUs asks, of a node with 8."""
    return (12 * gpus, 100 * gpus, gpus, 1)


def _room(free: Ints, order: Sequence[int], each: Vector, pods: int) -> list[int]:
    """Take nodes in order, each for as many pods as fit; too few where there is no room."""
    nodes: list[int] = []
    for n in order:
        fit = min(int(a) // b for a, b in zip(free[n], each, strict=True))
        nodes += [n] * min(fit, pods - len(nodes))
        if len(nodes) == pods:
            break
    return nodes
