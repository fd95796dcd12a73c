"""From a solver's point to a plan, and from a plan to a point."""

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.assignment import allocation, falling
from gangplan.models.assignment.formulation import Model, owner_columns
from gangplan.models.assignment.places import Places
from gangplan.models.assignment.slices import left_over
from gangplan.models.errors import PlanError
from gangplan.models.plan import Plan
from gangplan.models.points import whole_point


def decode(model: Model, x: Floats | Ints) -> Plan:
    """Read the plan out of a point.

    Parameters
    ----------
    x : (n,) columns of ``model.milp``.

    Raises
    ------
    PlanError : see ``whole_point``, or a point with a pod on two nodes, or with devices that do not
        match its pods.
    """
    instance, pairs = model.instance, model.pairs
    point = whole_point(model.milp, x)
    chosen = np.flatnonzero(point[model.x.cols])
    pod = pairs.pod[chosen]
    if len(np.unique(pod)) < len(pod):
        raise PlanError("a point with a pod on two nodes")
    node = np.full(instance.n_pods, -1, dtype=np.int64)
    node[pod] = pairs.node[chosen]
    held = np.flatnonzero(point[model.z.cols])
    holder, device = pairs.pod[model.holds.pair[held]], model.holds.device[held]
    if model.formulation.shares:
        roles = instance.roles
        each = np.where(roles.share > 0, 1, roles.whole)[instance.pod_role]
        has = np.bincount(holder, minlength=instance.n_pods)
        away = node[holder] != instance.shared.node[device]
        if away.any() or (has != np.where(node >= 0, each, 0)).any():
            raise PlanError("the devices of a point do not match its pods")
    evicted = falling.decode(model.falls, point)
    return Plan(node, holder, device, allocation.decode(model.claims, point, node), evicted)


def encode(model: Model, plan: Plan) -> Ints:
    """Write a plan as a point: it satisfies every row whenever the plan keeps the rules.

    Raises
    ------
    PlanError : a pod on a node, or with a device, or a unit that is evicted, that the formulation
        has no column for.
    """
    instance, pairs = model.instance, model.pairs
    plan.fits(instance)
    point = np.zeros(model.milp.n_cols, dtype=np.int64)
    pod = np.flatnonzero(plan.node >= 0)
    chosen = _pairs(model, pod, plan.node[pod])
    if (chosen < 0).any():
        p = int(pod[chosen < 0][0])
        name, node = instance.names.pods[p], instance.names.nodes[plan.node[p]]
        raise PlanError(f"{name}: no column on node {node}")
    point[model.x.cols[chosen]] = 1
    placed = instance.owners_above(plan.placed_per_group(instance) > 0).astype(np.int64)
    point[owner_columns(model.y, model.w)] = placed
    owner = instance.rules.owner
    point[model.u.cols] = _pods(model, model.whole, point) > 0
    members = (model.soft.members > 0) & (placed[owner[model.soft.rule]] > 0)
    point[model.v.cols] = (_pods(model, model.soft, point) > 0) | members
    begun = left_over(instance, model.sliced) * placed[owner[model.sliced.rule]]
    size = instance.rules.slice[model.sliced.rule]
    point[model.q.cols] = (_pods(model, model.sliced, point) + begun) // size
    opening = chosen[instance.roles.devices[pairs.role[chosen]] > 0]
    point[model.o.cols] = np.isin(model.opened, pairs.node[opening])
    if model.formulation.shares:
        _encode_devices(model, point, plan)
    if model.formulation.claims:
        allocation.encode(instance, model.claims, point, plan)
    falling.encode(instance, model.falls, point, plan)
    return point


def _pairs(model: Model, pod: Ints, node: Ints) -> Ints:
    """Pair of each (pod, node); -1 where there is none."""
    n_nodes = max(len(model.instance.nodes), 1)
    return _found(model.pairs.pod * n_nodes + model.pairs.node, pod * n_nodes + node)


def _found(have: Ints, want: Ints) -> Ints:
    """Position of each wanted key in the sorted ``have``; -1 where it is not."""
    if not len(have):
        return np.full(len(want), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(have, want), len(have) - 1)
    return np.where(have[at] == want, at, -1)


def _pods(model: Model, places: Places, point: Ints) -> Ints:
    """(m,) new pods in each place."""
    here = point[model.x.cols[places.pair]]
    return np.bincount(places.at, weights=here, minlength=len(places)).astype(np.int64)


def _encode_devices(model: Model, point: Ints, plan: Plan) -> None:
    """Fill z from the devices that the plan names."""
    n_devices = max(len(model.instance.shared), 1)
    pair = _pairs(model, plan.device_pod, model.instance.shared.node[plan.device])
    column = _found(
        model.holds.pair * n_devices + model.holds.device, pair * n_devices + plan.device
    )
    if (pair < 0).any() or (column < 0).any():
        raise PlanError("a pod holds a device that the formulation has no column for")
    np.add.at(point, model.z.cols[column], 1)
