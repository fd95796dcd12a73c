r"""Who makes room, and what is lost (paper, eq. leaving).

    e[v]      in {0, 1}    unit v falls; only units that somebody may evict have a column
    w[g]      in {0, 1}    all running members of group g fall; where they are several units
    viol[b, p] in Z+       victims of priority p or higher that budget b does not allow

    sum_{p: v in E_p} lambda[c, p]  <=  m_c e[v]       each unit v on nodes of class c
                                                                                 (patterns.falls)
    sum_{u in f} e  <=  spare_f (1 - w[g]) + n_f w[g]  each floor f of g         (patterns.floor)
    w[g]            <=  e[v]                           each unit v of g          (patterns.whole)
    e[v] + sum_d t[j, d]  <=  1                        v is of the group of type j
                                                                                 (patterns.either)
    sum_v match e         <=  allowed                  each hard budget          (patterns.budget)
    viol[b, p]  >=  sum_{v: priority >= p} match[b, v] e[v] - allowed[b]         (patterns.beyond)

A group that can lose pods, and has some that wait, is a type by itself. Off (preemption): no unit
is on any node, and there is no column.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.losses import beyond_budgets, losses_of
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block
from gangplan.models.shapes.classes import Classes
from gangplan.models.shapes.types import Type
from gangplan.models.tier import Tier
from gangplan.models.victims import victims_of


@dataclass(frozen=True, slots=True, eq=False)
class Leaving:
    """The columns of units.

    Attributes
    ----------
    unit, e : (E,) units that can fall, and their columns.
    group, w : (W,) groups, and their columns.
    over, viol : (B, 2) budget and number of the priority among those of units; their columns.
    column : (V,) the column of each unit; -1 where it has none.
    whole : (G,) the column that is 1 where all running members of a group fall; -1: they never do.
    """

    unit: Ints
    e: VarBlock
    group: Ints
    w: VarBlock
    over: Ints
    viol: VarBlock
    column: Ints
    whole: Ints


def columns(instance: Instance, cols: Columns) -> Leaving | None:
    """Append e, w and viol; None where nobody can fall."""
    victims, running = victims_of(instance), instance.running
    if not victims.can.any():
        return None
    unit = np.flatnonzero(victims.can)
    e = _yes_or_no(cols, "e", len(unit))
    column = np.full(len(running), -1, dtype=np.int64)
    column[unit] = e.cols
    # Where one unit holds all members its e is w; where a member cannot fall w = 0.
    whole = np.where(victims.whole >= 0, np.append(column, -1)[victims.whole], -1)
    tied = np.zeros(len(instance.groups), dtype=np.bool_)
    tied[running.floor_group] = True
    all_can = (victims.members > 0) & (victims.members == instance.groups.running)
    group = np.flatnonzero(tied & all_can & (whole < 0))
    w = _yes_or_no(cols, "fallen", len(group))
    whole[group] = w.cols
    over, most = _over(instance)
    viol = cols.add("viol", np.zeros(len(over), dtype=np.int64), most)
    return Leaving(unit, e, group, w, over, viol, column, whole)


def rows(
    instance: Instance, leaving: Leaving, nodes: Classes, start: Ints,
    types: Sequence[Type], option: Ints, t: VarBlock,
) -> list[RowBlock]:  # fmt: skip
    """Write the rows."""
    return [
        _falls(leaving, nodes, start),
        _floor(instance, leaving),
        _whole(instance, leaving),
        _either(instance, leaving, types, option, t),
        _budget(instance, leaving),
        _beyond(instance, leaving),
    ]


def cost(instance: Instance, leaving: Leaving | None, tier: Tier, n: int) -> Floats:
    """Cost (n,) of a ``lost`` tier, to be minimised."""
    found = np.zeros(n)
    if leaving is None:
        return found
    ((p, _),) = tier.weights
    if tier.unit == "budgets":
        found[leaving.viol.cols[_levels(instance)[leaving.over[:, 1]] == p]] = 1
        return found
    each = losses_of(instance).each(tier.unit) * (instance.running.priority == p)
    found[leaving.e.cols] = each[leaving.unit]
    return found


def encode(instance: Instance, leaving: Leaving | None, evicted: Ints, point: Ints) -> None:
    """Fill e, w and viol from the units that fall, in place.

    Raises
    ------
    PlanError : a unit that nobody can evict.
    """
    column = np.full(len(evicted), -1) if leaving is None else leaving.column[evicted]
    if (column < 0).any():
        raise PlanError(f"unit {int(evicted[column < 0][0])}: no column says that it falls")
    if leaving is None:
        return
    point[column] = 1
    running = instance.running
    falls = running.falling(evicted)
    member = running.pod_group[falls]
    lost = np.bincount(member[member >= 0], minlength=len(instance.groups))
    point[leaving.w.cols] = lost[leaving.group] == instance.groups.running[leaving.group]
    fallen = np.zeros(len(running), dtype=np.bool_)
    fallen[evicted] = True
    for number, p in enumerate(_levels(instance).tolist()):
        mine = leaving.over[:, 1] == number
        if mine.any():
            beyond = beyond_budgets(instance, fallen & (running.priority >= p))
            point[leaving.viol.cols[mine]] = beyond[leaving.over[mine, 0]]


def evicted(leaving: Leaving | None, point: Ints) -> Ints:
    """Units that fall at a point, ascending."""
    if leaving is None:
        return np.zeros(0, dtype=np.int64)
    return leaving.unit[point[leaving.e.cols] > 0]


def _yes_or_no(cols: Columns, name: str, count: int) -> VarBlock:
    return cols.add(name, np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.int64))


def _levels(instance: Instance) -> Ints:
    """Priorities of units, ascending."""
    return np.unique(instance.running.priority)


def _over(instance: Instance) -> tuple[Ints, Ints]:
    """(B, 2) budgets that can be passed and are not hard, with the priority; and by how much."""
    running, can = instance.running, victims_of(instance).can
    found, most = [np.zeros((0, 2), dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for number, p in enumerate(_levels(instance).tolist()):
        beyond = beyond_budgets(instance, can & (running.priority >= p))
        budget = np.flatnonzero((beyond > 0) & ~running.budget_hard)
        found.append(np.column_stack([budget, np.full(len(budget), number)]))
        most.append(beyond[budget])
    return np.concatenate(found), np.concatenate(most)


def _falls(leaving: Leaving, nodes: Classes, start: Ints) -> RowBlock:
    """Write patterns.falls: a pattern that needs a unit gone waits for its fall."""
    row: list[Ints] = []
    col: list[Ints] = []
    coef: list[Ints] = []
    about: list[tuple[int, int]] = []
    for c, (units, gone) in enumerate(zip(nodes.units, nodes.gone, strict=True)):
        for i, v in enumerate(units.tolist()):
            mine = np.flatnonzero(gone[:, i])
            row.append(np.full(len(mine) + 1, len(about)))
            col.append(np.append(start[c] + mine, leaving.column[v]))
            coef.append(np.append(np.ones(len(mine), dtype=np.int64), -len(nodes.nodes[c])))
            about.append((c, v))
    none = np.zeros(0, dtype=np.int64)
    return row_block(
        "patterns.falls", np.concatenate([none, *row]), np.concatenate([none, *col]),
        np.concatenate([none, *coef]), -np.inf, 0.0, len(about),
        np.array(about, dtype=np.int64).reshape(len(about), 2),
    )  # fmt: skip


def _floor(instance: Instance, leaving: Leaving) -> RowBlock:
    """Write patterns.floor where more members can leave than are spare."""
    running = instance.running
    of_pod = leaving.column[running.pod_unit]
    spare = np.maximum(running.floor_running - running.floor_least, 0)
    can = of_pod[running.member_pod] >= 0
    leave = np.bincount(running.member_floor[can], minlength=len(spare))
    alone = np.isin(leaving.whole, leaving.e.cols)[running.floor_group]
    floor = np.flatnonzero((leave > spare) & ~alone)
    number = np.full(len(spare), -1, dtype=np.int64)
    number[floor] = np.arange(len(floor))
    mine = np.flatnonzero(can & (number[running.member_floor] >= 0))
    column = leaving.whole[running.floor_group[floor]]
    tied = np.flatnonzero(column >= 0)
    more = (running.floor_running - spare)[floor]
    return row_block(
        "patterns.floor",
        np.concatenate([number[running.member_floor[mine]], tied]),
        np.concatenate([of_pod[running.member_pod[mine]], column[tied]]),
        np.concatenate([np.ones(len(mine), dtype=np.int64), -more[tied]]),
        -np.inf, spare[floor], len(floor), floor[:, None],
    )  # fmt: skip


def _whole(instance: Instance, leaving: Leaving) -> RowBlock:
    """Write patterns.whole, unit by unit: tighter than their sum."""
    running = instance.running
    column = np.full(len(instance.groups) + 1, -1, dtype=np.int64)
    column[leaving.group] = leaving.w.cols
    pod = np.flatnonzero(column[running.pod_group] >= 0)
    links = np.unique(np.column_stack([running.pod_group[pod], running.pod_unit[pod]]), axis=0)
    links = links.reshape(-1, 2)
    n = len(links)
    return row_block(
        "patterns.whole", np.tile(np.arange(n), 2),
        np.concatenate([column[links[:, 0]], leaving.column[links[:, 1]]]),
        np.repeat([1, -1], n), -np.inf, 0.0, n, links,
    )  # fmt: skip


def _either(
    instance: Instance, leaving: Leaving, types: Sequence[Type], option: Ints, t: VarBlock
) -> RowBlock:
    """Write patterns.either: who loses pods gains none."""
    running = instance.running
    of_group: dict[int, list[int]] = {}
    for o, j in enumerate(option[:, 0].tolist()):
        of_group.setdefault(types[j].groups[0], []).append(int(t.cols[o]))
    loses = victims_of(instance).members > 0
    pod = np.flatnonzero((running.pod_group >= 0) & (leaving.column[running.pod_unit] >= 0))
    links = np.unique(np.column_stack([running.pod_group[pod], running.pod_unit[pod]]), axis=0)
    row: list[int] = []
    col: list[int] = []
    about: list[tuple[int, int]] = []
    for g, v in links.reshape(-1, 2).tolist():
        gains = of_group.get(g, []) if loses[g] else []
        if gains:
            row += [len(about)] * (len(gains) + 1)
            col += [int(leaving.column[v]), *gains]
            about.append((g, v))
    return row_block(
        "patterns.either", np.array(row, dtype=np.int64), np.array(col, dtype=np.int64), 1,
        -np.inf, 1.0, len(about), np.array(about, dtype=np.int64).reshape(len(about), 2),
    )  # fmt: skip


def _budget(instance: Instance, leaving: Leaving) -> RowBlock:
    running = instance.running
    matches = losses_of(instance).matches[:, leaving.unit]
    budget = np.flatnonzero(running.budget_hard & (matches.sum(axis=1) > running.budget_allowed))
    row, at = np.nonzero(matches[budget])
    return row_block(
        "patterns.budget", row, leaving.e.cols[at], matches[budget][row, at], -np.inf,
        running.budget_allowed[budget], len(budget), budget[:, None],
    )  # fmt: skip


def _beyond(instance: Instance, leaving: Leaving) -> RowBlock:
    running = instance.running
    budget, number = leaving.over.T
    above = running.priority[leaving.unit] >= _levels(instance)[number][:, None]
    matches = losses_of(instance).matches[:, leaving.unit][budget] * above
    row, at = np.nonzero(matches)
    n = len(budget)
    return row_block(
        "patterns.beyond",
        np.concatenate([row, np.arange(n)]),
        np.concatenate([leaving.e.cols[at], leaving.viol.cols]),
        np.concatenate([matches[row, at], np.full(n, -1, dtype=np.int64)]),
        -np.inf, running.budget_allowed[budget], n, leaving.over,
    )  # fmt: skip
