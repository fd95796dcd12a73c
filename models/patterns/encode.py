"""From a plan to a point that keeps every row."""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.errors import PlanError
from gangplan.models.patterns import leaving, serving, together
from gangplan.models.patterns.formulation import Model
from gangplan.models.plan import Plan


def encode(model: Model, plan: Plan) -> Ints:
    """Write a plan as a point.

    Raises
    ------
    PlanError : a pod where the formulation has no column for it, or a unit that falls.
    """
    instance = model.instance
    plan.fits(instance)
    point = np.zeros(model.milp.n_cols, dtype=np.int64)
    placed = plan.placed_per_role(instance)
    leaving.encode(instance, model.leaving, plan.evicted, point)
    supply = _patterns(model, plan, point)
    _groups(model, plan, point, placed, supply)
    serving.encode(model.serving, model.classes, model.start, point)
    together.encode(model.together, model.option, model.t, point)
    _loose(model, point, placed, supply)
    columns = {tuple(key): int(c) for key, c in zip(model.flow.tolist(), model.f.cols, strict=True)}
    for v in range(len(model.tree) - 1, 0, -1):
        for s in range(len(model.shapes)):
            left = int(supply[v, s])
            if left < 0:
                raise PlanError("a plan takes more slots than its patterns have")
            column = columns.get((v, s))
            if column is not None:
                up = min(left, int(model.milp.upper[column]))
                point[column] = up
                supply[model.tree.parent[v], s] += up
    if (supply[0] < 0).any():
        raise PlanError("a plan takes more slots than its patterns have")
    return point


def _patterns(model: Model, plan: Plan, point: Ints) -> Ints:
    """Choose a pattern that covers each node; return (V, S) slots at each vertex."""
    instance, n_shapes = model.instance, len(model.shapes)
    used = np.zeros((len(instance.nodes), n_shapes), dtype=np.int64)
    pod = np.flatnonzero(plan.node >= 0)
    np.add.at(used, (plan.node[pod], model.shapes.of_role[instance.pod_role[pod]]), 1)
    supply = np.zeros((len(model.tree), n_shapes), dtype=np.int64)
    covered = np.zeros(len(instance.nodes), dtype=np.bool_)
    for c, nodes in enumerate(model.classes.nodes):
        patterns = model.classes.patterns[c]
        stays = ~np.isin(model.classes.units[c], plan.evicted)
        waits = model.classes.gone[c][:, stays].any(axis=1)
        for n in nodes[used[nodes].any(axis=1)].tolist():
            fits = np.flatnonzero((patterns >= used[n]).all(axis=1) & ~waits)
            if not len(fits):
                raise PlanError(f"node {instance.names.nodes[n]}: no pattern covers its pods")
            point[model.start[c] + fits[0]] += 1
            supply[model.classes.vertex[c]] += patterns[fits[0]]
            covered[n] = True
    if (used.any(axis=1) & ~covered).any():
        n = int(np.flatnonzero(used.any(axis=1) & ~covered)[0])
        raise PlanError(f"node {instance.names.nodes[n]}: it has no pattern")
    return supply


def _groups(model: Model, plan: Plan, point: Ints, placed: Ints, supply: Ints) -> None:
    option = {tuple(key): o for o, key in enumerate(model.option.tolist())}
    part = {tuple(key): q for q, key in enumerate(model.part.tolist())}
    for j, one in enumerate(model.types):
        for g, roles in zip(one.groups, one.roles, strict=True):
            if not placed[list(roles)].any():
                continue
            vertex = _vertex(model, plan, roles, one.vertices)
            if vertex < 0:
                name = model.instance.names.groups[g]
                raise PlanError(f"{name}: no column for the domain it is placed in")
            o = option[j, vertex]
            point[model.t.cols[o]] += 1
            if one.slices:
                _slices(model, plan, point, supply, o, roles)
                continue
            for i, k in enumerate(roles):
                q = part.get((o, i))
                if q is not None:
                    point[model.x.cols[q]] += placed[k]
                supply[vertex, one.shape[i]] -= placed[k]


def _slices(
    model: Model, plan: Plan, point: Ints, supply: Ints, option: int, roles: tuple[int, ...]
) -> None:
    """Count the pods of a split group at its places, and its slices."""
    cell, piece, start = model.slices.cell, model.slices.piece, model.instance.pod_start
    one = model.types[int(model.option[option, 0])]
    mine = np.flatnonzero(cell[:, 0] == option).tolist()
    at = {tuple(cell[c, 1:].tolist()): c for c in mine}
    inside = dict.fromkeys(range(len(model.tree)), 0)
    for i, k in enumerate(roles):
        nodes = plan.node[start[k] : start[k + 1]]
        for n in nodes[nodes >= 0].tolist():
            path = model.tree.path(int(model.tree.of_node[n]))
            place = next((v for v in path if (i, v) in at), -1)
            if place < 0:
                name = model.instance.names.nodes[n]
                raise PlanError(f"node {name}: no column for a pod of a slice")
            point[model.slices.y.cols[at[i, place]]] += 1
            supply[place, one.shape[i]] -= 1
            for v in model.tree.path(place):
                inside[v] += 1
    for z in np.flatnonzero(piece[:, 0] == option).tolist():
        _, r, v = piece[z].tolist()
        rule = one.slices[r]
        point[model.slices.q.cols[z]] += (inside[v] + rule.left_at(v)) // rule.size


def _vertex(model: Model, plan: Plan, roles: tuple[int, ...], may: tuple[int, ...]) -> int:
    """Return the one of the vertices ``may`` that the group's first placed pod is below."""
    start = model.instance.pod_start
    for k in roles:
        nodes = plan.node[start[k] : start[k + 1]]
        for n in nodes[nodes >= 0][:1].tolist():
            for v in model.tree.path(int(model.tree.of_node[n])):
                if v in may:
                    return v
    return -1


def _loose(model: Model, point: Ints, placed: Ints, supply: Ints) -> None:
    for at, loose in enumerate(model.loose):
        pods = int(placed[list(loose.roles)].sum())
        point[model.z.cols[at]] = pods
        supply[loose.vertex, loose.shape] -= pods
