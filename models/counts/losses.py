r"""What a plan gives up of running work (paper, eq. losses).

    viol[b, p] in Z+     victims of priority p or higher that budget b does not allow
    viol[b, p]  >=  sum_{v: priority >= p} match[b, v] e[v] - allowed[b]      (preemption.beyond)

The cost of lost-budgets(p) is the sum of viol[b, p] over b; that of lost-gpus(p), lost-pods(p) and
lost-hours(p) what the units of priority p hold, times e[v]. Columns only where a budget can be
passed, and is not hard. Part of the preemption family.
"""

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.counts.indexed import Indexed, indexed
from gangplan.models.counts.preemption import Evictions
from gangplan.models.instance import Instance
from gangplan.models.losses import beyond_budgets, losses_of
from gangplan.models.milp import Columns, RowBlock, row_block
from gangplan.models.tier import Tier
from gangplan.models.victims import victims_of


def columns(instance: Instance, cols: Columns) -> Indexed:
    """viol[b, p], by budget and the number of the priority: the place of p among those of units."""
    levels, can = _levels(instance), victims_of(instance).can
    found, most = [], []
    for number, p in enumerate(levels.tolist()):
        beyond = beyond_budgets(instance, can & (instance.running.priority >= p))
        budget = np.flatnonzero((beyond > 0) & ~instance.running.budget_hard)
        found.append(np.column_stack([budget, np.full(len(budget), number)]))
        most.append(beyond[budget])
    index = np.concatenate([np.zeros((0, 2), dtype=np.int64), *found])
    upper = np.concatenate([np.zeros(0, dtype=np.int64), *most])
    order = np.lexsort(index.T[::-1])
    return indexed(cols, "viol", index[order], upper[order])


def rows(instance: Instance, evictions: Evictions, viol: Indexed) -> list[RowBlock]:
    """Write preemption.beyond."""
    if not len(viol):
        return []
    unit = evictions.e.index[:, 0]
    budget, number = viol.index.T
    above = instance.running.priority[unit] >= _levels(instance)[number][:, None]
    matches = losses_of(instance).matches[:, unit][budget] * above
    row, at = np.nonzero(matches)
    n = len(viol)
    return [
        row_block(
            "preemption.beyond",
            np.concatenate([row, np.arange(n)]),
            np.concatenate([evictions.e.cols[at], viol.cols]),
            np.concatenate([matches[row, at], np.full(n, -1, dtype=np.int64)]),
            -np.inf,
            instance.running.budget_allowed[budget],
            n,
            viol.index,
        )
    ]


def cost(
    instance: Instance, tier: Tier, n: int, evictions: Evictions, viol: Indexed
) -> tuple[Floats, int]:
    """Cost (n,) of a ``lost`` tier."""
    ((p, _),) = tier.weights
    found = np.zeros(n)
    if tier.unit == "budgets":
        # Of a priority that no unit has, viol(p) is that of the next one above it.
        number = int(np.searchsorted(_levels(instance), p))
        found[viol.cols[viol.index[:, 1] == number]] = 1
        return found, 0
    unit = evictions.e.index[:, 0]
    each = losses_of(instance).each(tier.unit) * (instance.running.priority == p)
    found[evictions.e.cols] = each[unit]
    return found, 0


def encode(instance: Instance, evicted: Ints, viol: Indexed, point: Ints) -> None:
    """Fill viol from the units that fall, in place."""
    falls = np.zeros(len(instance.running), dtype=np.bool_)
    falls[evicted] = True
    for number, p in enumerate(_levels(instance).tolist()):
        mine = viol.index[:, 1] == number
        if mine.any():
            beyond = beyond_budgets(instance, falls & (instance.running.priority >= p))
            point[viol.cols[mine]] = beyond[viol.index[mine, 0]]


def _levels(instance: Instance) -> Ints:
    """Priorities of units, ascending."""
    return np.unique(instance.running.priority)
