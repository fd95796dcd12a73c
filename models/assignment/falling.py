"""All that a model has of running work that can fall: columns, and the way to a plan and back."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import MOST, Flags, Floats, Ints
from gangplan.models.errors import PlanError
from gangplan.models.formulation import Formulation
from gangplan.models.instance import Instance
from gangplan.models.losses import losses_of
from gangplan.models.milp import Columns, VarBlock
from gangplan.models.plan import NOBODY, Plan
from gangplan.models.tier import Tier
from gangplan.models.victims import Victims, victims_of

NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Rooms:
    """Room that comes free on nodes, where a unit falls; sorted by unit, node, each pair once.

    Attributes
    ----------
    unit, node : (m,) the pair.
    request : (m, R) how much; cut to ``gone.MOST``.
    """

    unit: Ints
    node: Ints
    request: Ints

    def __len__(self) -> int:
        """Return the number of pairs m."""
        return len(self.unit)


@dataclass(frozen=True, slots=True, eq=False)
class Falling:
    """Index sets, and the columns over them.

    Attributes
    ----------
    rooms : what falls, where.
    part_rule, part_domain : (m,) slices rules t and the domains d where units of the owner run.
    part_pods : (m,) pods of units of the owner there.
    over_budget, over_priority : (m,) budgets b that the units of priority p or higher can pass.
    e : (V,) columns: unit v falls.
    whole : (G + H,) columns: all running members of the owner fall.
    s : columns of parts.
    f : (H,) columns of holdings.
    viol : columns of budgets passed.
    """

    rooms: Rooms
    part_rule: Ints
    part_domain: Ints
    part_pods: Ints
    over_budget: Ints
    over_priority: Ints
    e: VarBlock
    whole: VarBlock
    s: VarBlock
    f: VarBlock
    viol: VarBlock

    def __bool__(self) -> bool:
        """Tell whether anybody can fall."""
        return bool(len(self.e.cols))


NOBODY_FALLS = Falling(
    Rooms(NONE, NONE, NONE.reshape(0, 0)), NONE, NONE, NONE, NONE, NONE,
    *(VarBlock(name, NONE) for name in ("e", "whole", "s", "f", "viol")),
)  # fmt: skip
"""The family is off, or nobody can be evicted: no block at all."""


def columns(instance: Instance, cols: Columns, on: Formulation) -> Falling:
    """Add the columns of the family preemption."""
    victims, running = victims_of(instance), instance.running
    if not (on.preemption and victims.can.any()):
        return NOBODY_FALLS
    rule, domain, pods = _parts(instance, on)
    budget, priority, most = _over(instance, victims)
    return Falling(
        rooms_of(instance, victims), rule, domain, pods, budget, priority,
        cols.add("e", np.zeros(len(running), dtype=np.int64), victims.can),
        _add_whole(instance, victims, cols),
        cols.add("s", np.zeros_like(pods), pods // np.maximum(instance.rules.slice[rule], 1)),
        cols.add("f", np.zeros(len(running.hold_shared), dtype=np.int64), 1),
        cols.add("viol", np.zeros_like(most), most),
    )  # fmt: skip


def rooms_of(instance: Instance, victims: Victims) -> Rooms:
    """Add up, node by node, what the pods of units that can fall hold."""
    running = instance.running
    mine = np.flatnonzero(victims.can[running.pod_unit] & (running.pod_node >= 0))
    pairs, at = np.unique(
        np.column_stack([running.pod_unit[mine], running.pod_node[mine]]),
        axis=0,
        return_inverse=True,
    )
    # Python integers: the pods of one unit may hold more than int64 can.
    request = np.zeros((len(pairs), running.pod_request.shape[1]), dtype=object)
    np.add.at(request, at.reshape(-1), running.pod_request[mine].astype(object))
    return Rooms(pairs[:, 0], pairs[:, 1], np.minimum(request, MOST).astype(np.int64))


def _add_whole(instance: Instance, victims: Victims, cols: Columns) -> VarBlock:
    """(G + H,) columns; fixed at 0 where nobody runs, or somebody who runs cannot fall."""
    below, running = _below(instance), instance.groups.running
    stays = (victims.members < running).astype(np.int64)
    able = (below @ running > 0) & (below @ stays == 0)
    return cols.add("whole", np.zeros(len(able), dtype=np.int64), able)


def _below(instance: Instance) -> Ints:
    """(G + H, G) 1 where group g is the owner, or below it."""
    groups, owners = len(instance.groups), len(instance.groups) + len(instance.composites)
    below = np.zeros((owners, groups), dtype=np.int64)
    for owner in range(owners):
        below[owner, instance.groups_of(owner)] = 1
    return below


def _parts(instance: Instance, on: Formulation) -> tuple[Ints, Ints, Ints]:
    """Rule, domain and running pods of units, wherever slices run."""
    rules, running = instance.rules, instance.running
    found = [np.zeros((0, 2), dtype=np.int64)]
    for t in np.flatnonzero((rules.slice > 0) & on.topology).tolist():
        mine = (running.pod_group == rules.owner[t]) & (running.pod_node >= 0)
        domain = instance.topology.domain[rules.level[t], running.pod_node[mine]]
        there = domain[domain >= 0]
        found.append(np.column_stack([np.full(len(there), t), there]))
    pairs, pods = np.unique(np.concatenate(found), axis=0, return_counts=True)
    return pairs[:, 0], pairs[:, 1], pods.astype(np.int64)


def _over(instance: Instance, victims: Victims) -> tuple[Ints, Ints, Ints]:
    """Budget, priority, and by how many victims it can be passed; those that can alone."""
    running, matches = instance.running, losses_of(instance).matches
    found = [np.zeros((0, 3), dtype=np.int64)]
    for p in np.unique(running.priority[victims.can]).tolist():
        most = matches[:, victims.can & (running.priority >= p)].sum(axis=1)
        beyond = most - running.budget_allowed
        b = np.flatnonzero(beyond > 0)
        found.append(np.column_stack([b, np.full(len(b), p), beyond[b]]))
    table = np.concatenate(found)
    return table[:, 0], table[:, 1], table[:, 2]


def decode(falls: Falling, point: Ints) -> Ints:
    """Read the units that fall out of a whole point."""
    return np.flatnonzero(point[falls.e.cols]) if falls else NOBODY


def encode(instance: Instance, falls: Falling, point: Ints, plan: Plan) -> None:
    """Fill in the columns of what the plan evicts.

    Raises
    ------
    PlanError : a unit that nobody can evict.
    """
    running = instance.running
    can = victims_of(instance).can if falls else np.zeros(len(running), dtype=np.bool_)
    stuck = plan.evicted[~can[plan.evicted]]
    if len(stuck):
        raise PlanError(f"{instance.names.units[stuck[0]]}: no column for its eviction")
    if not falls:
        return
    point[falls.e.cols[plan.evicted]] = 1
    fall = running.falling(plan.evicted)
    lost = np.bincount(
        running.pod_group[fall & (running.pod_group >= 0)], minlength=len(instance.groups)
    )
    below, runs = _below(instance), instance.groups.running
    whole = (below @ runs > 0) & (below @ (runs - lost) == 0)
    point[falls.whole.cols] = whole
    _fill_parts(instance, falls, point, fall)
    point[falls.f.cols] = running.freed(plan.evicted) & ~_used(instance, plan)
    matches = losses_of(instance).matches[:, plan.evicted]
    victims = running.priority[plan.evicted]
    for b, p, col in zip(
        falls.over_budget.tolist(), falls.over_priority.tolist(), falls.viol.cols.tolist(),
        strict=True,
    ):  # fmt: skip
        point[col] = max(int(matches[b, victims >= p].sum() - running.budget_allowed[b]), 0)


def add_cost(instance: Instance, falls: Falling, tier: Tier, cost: Floats) -> None:
    """Add what a ``lost`` tier costs to its columns."""
    if not falls:
        return
    ((p, _),) = tier.weights
    if tier.unit == "budgets":
        # Of a priority that no unit has, viol(p) is that of the next one above it.
        above = falls.over_priority[falls.over_priority >= p]
        cost[falls.viol.cols[falls.over_priority == above.min(initial=2**62)]] = 1
        return
    each = losses_of(instance).each(tier.unit)
    cost[falls.e.cols] = each * (victims_of(instance).can & (instance.running.priority == p))


def _fill_parts(instance: Instance, falls: Falling, point: Ints, fall: Flags) -> None:
    rules, running = instance.rules, instance.running
    for t, d, col in zip(
        falls.part_rule.tolist(), falls.part_domain.tolist(), falls.s.cols.tolist(), strict=True
    ):
        mine = fall & (running.pod_group == rules.owner[t]) & (running.pod_node >= 0)
        domain = instance.topology.domain[rules.level[t], running.pod_node[mine]]
        point[col] = int((domain == d).sum()) // int(rules.slice[t])


def _used(instance: Instance, plan: Plan) -> Flags:
    """(H,) allocations of shared claims that a placed pod uses."""
    claims = instance.claims
    placed = plan.placed_per_role(instance)[claims.user_role] > 0
    used: Flags = np.isin(instance.running.hold_shared, claims.user_shared[placed])
    return used
