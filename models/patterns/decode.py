"""From a point to a plan: nodes take patterns, slots go up the tree, groups take slots.

Every integral point decodes: each vertex has at least as many slots of a shape as its groups take
and its parent gets, and a slot names its node.
"""

from collections import deque

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.patterns.formulation import Model
from gangplan.models.patterns.leaving import evicted
from gangplan.models.plan import Plan
from gangplan.models.points import whole_point
from gangplan.models.shapes import claims, shares
from gangplan.models.shapes.types import Type

Pool = dict[tuple[int, int], deque[int]]
"""(vertex, shape) -> nodes with a slot for it, one entry a slot."""

NO_SLOT: deque[int] = deque()
"""Where nothing is taken nothing has to be there."""


def decode(model: Model, point: Floats | Ints) -> Plan:
    """Read the plan out of a point.

    Raises
    ------
    PlanError : see ``whole_point``.
    """
    x = whole_point(model.milp, point)
    pool = _slots(model, x)
    node = np.full(model.instance.n_pods, -1, dtype=np.int64)
    placed = np.zeros(len(model.instance.roles), dtype=np.int64)
    vertices = model.option[:, 1].tolist()
    serving: dict[int, list[int]] = {}
    for o, v in enumerate(vertices):
        serving.setdefault(v, []).append(o)
    handed = dict(zip(map(tuple, model.flow.tolist()), x[model.f.cols].tolist(), strict=True))
    done = [0] * len(model.types)
    split = _split(model, x)
    kept: dict[tuple[int, int], deque[int]] = {}

    def put(role: int, pods: int, slots: deque[int]) -> None:
        first = int(model.instance.pod_start[role] + placed[role])
        node[first : first + pods] = [slots.popleft() for _ in range(pods)]
        placed[role] += pods

    for v in range(len(model.tree) - 1, -1, -1):
        for o, i, pods in split.get(v, ()):
            there = pool.get((v, model.types[int(model.option[o, 0])].shape[i]), NO_SLOT)
            kept.setdefault((o, i), deque()).extend(there.popleft() for _ in range(pods))
        for o in serving.get(v, ()):
            j, times = int(model.option[o, 0]), int(x[model.t.cols[o]])
            one = model.types[j]
            for i, counts in enumerate(_shares(model, x, o, one, times)):
                for n, pods in enumerate(counts):
                    own = pool.get((v, one.shape[i]), NO_SLOT)
                    put(one.roles[done[j] + n][i], pods, kept.get((o, i), own))
            done[j] += times
        for at, loose in enumerate(model.loose):
            if loose.vertex == v:
                left = int(x[model.z.cols[at]])
                for k in loose.roles:
                    pods = min(left, int(model.instance.roles.wanted[k]))
                    put(k, pods, pool.get((v, loose.shape), NO_SLOT))
                    left -= pods
        for s in range(len(model.shapes)):
            slots = pool.get((v, s))
            if v and slots:
                up = pool.setdefault((int(model.tree.parent[v]), s), deque())
                up.extend(slots.popleft() for _ in range(min(handed.get((v, s), 0), len(slots))))
    instance, falls = model.instance, evicted(model.leaving, x)
    return Plan(node, *shares.named(instance, node), claims.named(instance, node), falls)


def _slots(model: Model, x: Ints) -> Pool:
    """Give nodes of a class its patterns, in order, and list the slots at its vertex."""
    pool: Pool = {}
    for c, nodes in enumerate(model.classes.nodes):
        times = x[model.start[c] : model.start[c + 1]]
        used = np.flatnonzero(times)
        pattern = np.repeat(used, times[used])
        for n, p in zip(nodes.tolist(), pattern.tolist(), strict=False):
            row = model.classes.patterns[c][p]
            for s in np.flatnonzero(row).tolist():
                slots = pool.setdefault((int(model.classes.vertex[c]), s), deque())
                slots.extend([n] * int(row[s]))
    return pool


def _shares(model: Model, x: Ints, option: int, one: Type, times: int) -> list[list[int]]:
    """Pods of each role for each of ``times`` groups, all of them within their bounds.

    What is beyond the least is dealt round, role after role: so each group gets as much of a role
    as any other, give or take one, and of all roles together, too.
    """
    if one.slices:
        return _slices(model, x, option, one, times)
    total = {i: times * one.most[i] for i in range(len(one.shape)) if one.follows(i)}
    first, last = np.searchsorted(model.part[:, 0], [option, option + 1]).tolist()
    for q in range(first, last):
        total[int(model.part[q, 1])] = int(x[model.x.cols[q]])
    shares, turn = [], 0
    for i, least in enumerate(one.least):
        counts = [least] * times
        for _ in range(total[i] - least * times):
            counts[turn % times] += 1
            turn += 1
        shares.append(counts)
    return shares


def _split(model: Model, x: Ints) -> dict[int, list[tuple[int, int, int]]]:
    """Pods of split groups by the vertex where they take slots: (option, role, pods)."""
    split: dict[int, list[tuple[int, int, int]]] = {}
    pods = x[model.slices.y.cols]
    for (o, i, d), n in zip(model.slices.cell.tolist(), pods.tolist(), strict=True):
        if n:
            split.setdefault(d, []).append((o, i, n))
    return split


def _slices(model: Model, x: Ints, option: int, one: Type, times: int) -> list[list[int]]:
    """Pods of each role for each of ``times`` groups: whole slices, dealt round."""
    pods = [0] * len(one.shape)
    for (o, i, _), n in zip(
        model.slices.cell.tolist(), x[model.slices.y.cols].tolist(), strict=True
    ):
        if o == option:
            pods[i] += n
    if len(one.groups) == 1:
        return [[n] * times for n in pods]
    size = one.slices[0].size
    each, more = divmod(pods[0] // size, max(times, 1))
    return [[size * (each + (n < more)) for n in range(times)]]
