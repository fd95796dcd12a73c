"""From a solver's point to a plan, and from a plan to a point.

Any integral point that keeps the rows decodes: pods of a role are alike, and so are the shares of
one size on a node, so that counts are handed out in pod order.
"""

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.counts import holdings, kept, losses, preemption, rank, serving
from gangplan.models.counts.claim_decode import allocations
from gangplan.models.counts.claim_encode import encode_claims
from gangplan.models.counts.formulation import Model
from gangplan.models.counts.preferred import place_of
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, plan_from_counts
from gangplan.models.points import whole_point


def decode(model: Model, x: Floats | Ints) -> Plan:
    """Read the plan out of a point.

    Parameters
    ----------
    x : (n,) columns of ``model.milp``.

    Raises
    ------
    PlanError : see ``whole_point``, or a point whose devices do not match its pods.
    """
    counts = whole_point(model.milp, x)
    pods = counts[model.x.cols]
    placed = np.flatnonzero(pods)
    role, node = model.pairs.role[placed], model.pairs.node[placed]
    plan = plan_from_counts(model.instance, role, node, pods[placed])
    claimed, shared = model.claimed, (plan.device_pod, plan.device)
    e = model.evictions.e
    falls = e.index[counts[e.cols] > 0, 0]
    if model.formulation.shares and len(model.instance.shared):
        shared = _devices(model, counts, plan)
    if claimed.options is None:
        return Plan(plan.node, *shared, evicted=falls)
    given = allocations(model.seen, claimed, counts, plan.node, model.f)
    return Plan(plan.node, *shared, given, falls)


def _devices(model: Model, counts: Ints, plan: Plan) -> tuple[Ints, Ints]:
    """Hand the devices of each node to its pods: (pod, device), sorted by pod."""
    instance = model.instance
    placed = np.flatnonzero(plan.node >= 0)
    role = instance.pod_role[placed]
    share, whole = instance.roles.share[role], instance.roles.whole[role]
    z, h = model.devices.z, model.devices.h
    sharing = placed[share > 0]
    sharing = sharing[np.lexsort((sharing, share[share > 0], plan.node[sharing]))]
    at = np.repeat(np.arange(len(z)), counts[z.cols])
    at = at[np.lexsort((z.index[at, 1], z.index[at, 0], instance.shared.node[z.index[at, 1]]))]
    holding = np.repeat(placed[whole > 0], whole[whole > 0])
    holding = holding[np.argsort(plan.node[holding], kind="stable")]
    held = h.index[counts[h.cols] > 0, 0]
    pod = np.concatenate([sharing, holding])
    device = np.concatenate([z.index[at, 1], held])
    if len(pod) != len(device) or (plan.node[pod] != instance.shared.node[device]).any():
        raise PlanError("the devices of a point do not match its pods")
    order = np.lexsort((device, pod))
    return pod[order], device[order]


def encode(model: Model, plan: Plan) -> Ints:
    """Write a plan as a point: it satisfies every row whenever the plan keeps the rules.

    Raises
    ------
    PlanError : a pod on a node, or on a device, or a unit that falls, that the formulation has no
        column for.
    """
    plan.fits(model.instance)
    instance = model.seen
    point = np.zeros(model.milp.n_cols, dtype=np.int64)
    role, node, pods = plan.counts(instance)
    n_nodes = max(len(instance.nodes), 1)
    key = model.pairs.role * n_nodes + model.pairs.node
    want = role * n_nodes + node
    at = np.searchsorted(key, want)
    lost = at >= len(key)
    lost[~lost] = key[at[~lost]] != want[~lost]
    if lost.any():
        k, n = int(role[lost][0]), int(node[lost][0])
        name = instance.names.groups[instance.roles.group[k]]
        raise PlanError(f"{name}: role {k} has no column on node {instance.names.nodes[n]}")
    point[model.x.cols[at]] = pods
    _encode_owners(model, point, role)
    _encode_rules(model, point, role, node, pods)
    _encode_devices(model, point, plan)
    _encode_falls(model, point, plan)
    encode_claims(instance, model.claimed, point, plan)
    rank.encode(model.claimed, model.late, point)
    opened = np.zeros(len(instance.nodes), dtype=np.bool_)
    opened[node[instance.roles.devices[role] > 0]] = True
    point[model.o.cols] = opened[model.o.index[:, 0]]
    return point


def _encode_owners(model: Model, point: Ints, role: Ints) -> None:
    """y, w and p: owners that get pods."""
    placing = _placing(model.instance, role)
    for owner in np.flatnonzero(placing & (model.owner_column >= 0)):
        point[model.owner_column[owner]] = 1


def _placing(instance: Instance, role: Ints) -> Flags:
    """(G + H,) owners with a placed role below them."""
    groups = np.zeros(len(instance.groups), dtype=np.bool_)
    groups[instance.roles.group[role]] = True
    return instance.owners_above(groups)


def _encode_rules(model: Model, point: Ints, role: Ints, node: Ints, pods: Ints) -> None:
    """u, q and v, rule by rule that has columns."""
    instance, rules = model.instance, model.instance.rules
    q, v, u = model.slices.q, model.places.v, model.u
    owner_placed = _placing(instance, role)
    written = np.unique(np.concatenate([u.index[:, 0], q.index[:, 0], v.index[:, 0]]))
    for t in written:
        mine = np.isin(role, instance.roles_of(int(rules.owner[t])))
        place = place_of(instance, int(rules.level[t]))[node[mine]]
        width = instance.topology.n_domains + len(instance.nodes)
        total = np.bincount(place, weights=pods[mine], minlength=width).astype(np.int64)
        for block in (u, v):
            of_rule = slice(*np.searchsorted(block.index[:, 0], [t, t + 1]))
            point[block.cols[of_rule]] = total[block.index[of_rule, 1]] > 0
        of_rule = slice(*np.searchsorted(q.index[:, 0], [t, t + 1]))
        begun = model.slices.left_over[of_rule] * owner_placed[rules.owner[t]]
        members = total[q.index[of_rule, 1]] + begun
        point[q.cols[of_rule]] = members // max(int(rules.slice[t]), 1)


def _encode_falls(model: Model, point: Ints, plan: Plan) -> None:
    """Fill e and what follows from it; after x and u."""
    instance, evicted = model.seen, plan.evicted
    if not model.formulation.preemption:
        if len(evicted):
            raise PlanError("a unit falls, and the formulation leaves preemption out")
        return
    preemption.encode(instance, model.evictions, evicted, point)
    losses.encode(instance, evicted, model.viol, point)
    serving.encode(model.serving, point)
    kept.encode(instance, model.pairs, model.x, model.made, point)
    holdings.encode(instance, model.f, point, plan)


def _encode_devices(model: Model, point: Ints, plan: Plan) -> None:
    """Fill z and h from the devices that the plan names."""
    roles = model.instance.roles
    role = model.instance.pod_role[plan.device_pod]
    z, h = model.devices.z, model.devices.h
    if not model.formulation.shares:
        return
    sharing = roles.share[role] > 0
    column = z.find(roles.share[role[sharing]], plan.device[sharing])
    whole = h.spread(len(model.instance.shared))[plan.device[~sharing]]
    if (column < 0).any() or (whole < 0).any():
        raise PlanError("a pod holds a device that the formulation has no column for")
    np.add.at(point, column, 1)
    np.add.at(point, whole, 1)
