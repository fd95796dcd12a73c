"""Units, floors and budgets of a part, in the numbers of the part."""

from dataclasses import replace

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.part.cut import Cut
from gangplan.models.running import NO_RUNNING, Running


def running_of(
    cut: Cut, kept: Flags, falls: Flags, number: Ints
) -> tuple[Running, Ints, Ints, Ints]:
    """Return the section, and the numbers in the whole of its units v, pods u and budgets b.

    Pods of its units on nodes that are not of the part are on node -1: they fall with the unit.
    What a floor or a budget loses by units that stay evicted is taken off beforehand.

    Parameters
    ----------
    kept : (V,) units of the part. falls : (U,) pods of units that stay evicted.
    number : (G + 1,) number of each group in the part; -1 for the others, and for group -1.
    """
    running = cut.instance.running
    unit, pods = np.flatnonzero(kept), np.flatnonzero(kept[running.pod_unit])
    pod = _numbers(pods, len(running.pod_unit))
    never = number[running.never]
    none = np.zeros(0, dtype=np.int64)
    if not len(unit):
        return NO_RUNNING, unit, pods, none
    floors, floor_rows = _rows(running.member_floor, pod[running.member_pod] >= 0)
    budgets, budget_rows = _rows(running.match_budget, pod[running.match_pod] >= 0)
    f, b = len(running.floor_group), len(running.budget_allowed)
    gone = np.bincount(running.member_floor[falls[running.member_pod]], minlength=f)
    hit = np.bincount(running.match_budget[falls[running.match_pod]], minlength=b)
    section = replace(
        NO_RUNNING,
        priority=running.priority[unit],
        kind=running.kind[unit],
        pod_unit=np.searchsorted(unit, running.pod_unit[pods]),
        pod_group=number[running.pod_group[pods]],
        pod_node=cut.local[running.pod_node[pods]],
        pod_request=running.pod_request[pods],
        pod_devices=running.pod_devices[pods],
        pod_minutes=running.pod_minutes[pods],
        floor_group=number[running.floor_group[floors]],
        floor_least=running.floor_least[floors],
        floor_running=(running.floor_running - gone)[floors],
        member_floor=np.searchsorted(floors, running.member_floor[floor_rows]),
        member_pod=pod[running.member_pod[floor_rows]],
        budget_allowed=np.maximum(running.budget_allowed - hit, 0)[budgets],
        budget_hard=running.budget_hard[budgets],
        match_budget=np.searchsorted(budgets, running.match_budget[budget_rows]),
        match_pod=pod[running.match_pod[budget_rows]],
        never=never[never >= 0],
    )
    return section, unit, pods, budgets


def _rows(key: Ints, kept: Flags) -> tuple[Ints, Ints]:
    """Return the keys that kept rows have, and the rows."""
    rows = np.flatnonzero(kept)
    return np.unique(key[rows]), rows


def _numbers(chosen: Ints, count: int) -> Ints:
    number = np.full(count, -1, dtype=np.int64)
    number[chosen] = np.arange(len(chosen))
    return number
