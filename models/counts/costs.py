"""Costs of the tiers over the columns, to be minimised; integers, one function a kind of tier."""

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.counts.indexed import Indexed
from gangplan.models.counts.pairs import Pairs
from gangplan.models.counts.preferred import Places
from gangplan.models.instance import Instance
from gangplan.models.milp import VarBlock
from gangplan.models.needs import Needs
from gangplan.models.tiers import Tier, worth_of


def admitted(
    instance: Instance, tier: Tier, needs: Needs, n: int, pairs: Pairs, x: VarBlock, y: Indexed,
    w: Indexed,
) -> tuple[Floats, int]:  # fmt: skip
    """Minus the worth of admissions and placed pods (``admitted`` and ``elastic`` tiers)."""
    worth = worth_of(instance, tier, needs)
    cost = np.zeros(n)
    cost[x.cols] = -worth.pod[pairs.role]
    cost[y.cols] = -worth.group[y.index[:, 0]]
    cost[w.cols] = -worth.composite[w.index[:, 0]]
    return cost, 0


def preferred(instance: Instance, n: int, places: Places, owner_column: Ints) -> tuple[Floats, int]:
    """Sum of v, and (m_t - 1) on the yes/no column of each rule's owner."""
    cost = np.zeros(n)
    cost[places.v.cols] = 1
    for t in np.flatnonzero(places.counted & (places.members != 1)):
        cost[owner_column[instance.rules.owner[t]]] += int(places.members[t]) - 1
    return cost, 0


def fragmentation(n: int, o: Indexed) -> tuple[Floats, int]:
    """Sum of o."""
    cost = np.zeros(n)
    cost[o.cols] = 1
    return cost, 0


def rank(n: int, late: Indexed) -> tuple[Floats, int]:
    """Sum of late."""
    cost = np.zeros(n)
    cost[late.cols] = 1
    return cost, 0
