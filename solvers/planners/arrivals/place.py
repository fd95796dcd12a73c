"""Where arrived pods go: one by one in their order, or a batch of them together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.solvers.planners.arrivals.room import Spot
from gangplan.solvers.planners.arrivals.scores import Scores

PASSES = 2
"""Most rounds in which every pod of a batch may move to a better place."""


def one_by_one(scores: Scores, batch: Sequence[int]) -> list[Spot | None]:
    """Place each pod where it costs least, in order; None: it fits nowhere."""
    return _placed(scores, batch, range(len(batch))).spots


def together(scores: Scores, batch: Sequence[int]) -> list[Spot | None]:
    """Place a batch: the best of several orders, then each pod may move while others stay.

    Better is: more pods, then more GPUs, then less cost in all. Costs of a rule that measures
    states of nodes add up to the change of the cluster, whatever the order.
    """
    best: _Try | None = None
    for order in _orders(scores, batch):
        tried = _placed(scores, batch, order)
        _moved(scores, batch, tried)
        if best is None or tried.rank < best.rank:
            best = tried
        _undo(scores, tried)
    assert best is not None
    for spot in best.spots:
        if spot is not None:
            scores.take(spot)
    return best.spots


@dataclass(slots=True, eq=False)
class _Try:
    """One way to place a batch, and how good it is: smaller is better."""

    spots: list[Spot | None]
    cost: float
    pods: int
    devices: int

    @property
    def rank(self) -> tuple[int, int, float]:
        return (-self.pods, -self.devices, self.cost)


def _orders(scores: Scores, batch: Sequence[int]) -> list[list[int]]:
    """As they came; and those that ask most first, by GPUs and by the resource."""
    roles = scores.room.instance.roles
    rows = np.asarray(batch, dtype=np.int64)
    devices, column = roles.devices[rows], roles.request[rows, scores.resource]
    wide = np.maximum(roles.whole[rows] - 1, 0)
    return [
        list(range(len(batch))),
        np.lexsort((-column, -devices)).tolist(),
        np.lexsort((-wide,)).tolist(),
    ]


def _placed(scores: Scores, batch: Sequence[int], order: Sequence[int]) -> _Try:
    tried = _Try([None] * len(batch), 0.0, 0, 0)
    for i in order:
        _put(scores, batch, tried, i)
    return tried


def _put(scores: Scores, batch: Sequence[int], tried: _Try, i: int) -> None:
    spot = scores.spot(batch[i])
    if spot is not None:
        tried.spots[i] = spot
        tried.cost += scores.take(spot)
        tried.pods += 1
        tried.devices += int(scores.room.instance.roles.devices[batch[i]])


def _moved(scores: Scores, batch: Sequence[int], tried: _Try) -> None:
    """Lift every pod once a round and put it where it now costs least; then those left over."""
    for _ in range(PASSES):
        before = list(tried.spots)
        for i, spot in enumerate(before):
            if spot is not None:
                scores.give(spot)
                back = float(scores.cost[spot.role, spot.node])
                found = scores.spot(spot.role)
                if found is None or scores.cost[found.role, found.node] >= back:
                    found = spot
                tried.spots[i] = found
                tried.cost += scores.take(found) - back
        for i, spot in enumerate(before):
            if spot is None:
                _put(scores, batch, tried, i)
        if tried.spots == before:
            return


def _undo(scores: Scores, tried: _Try) -> None:
    for spot in tried.spots:
        if spot is not None:
            scores.give(spot)
