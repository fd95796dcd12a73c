"""From a point to a plan: places take configurations, groups take places of their size, pods nodes.

Every integral point decodes: there are at least as many places of a size as groups take, and what
a place takes together is within one of its configurations, so it can be packed.
"""

from collections import deque

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.configurations.formulation import Model
from gangplan.models.configurations.places import Place
from gangplan.models.plan import Plan
from gangplan.models.points import whole_point

Handed = list[tuple[int, int]]
"""Role and pods of it, in the order in which they come."""


def decode(model: Model, point: Floats | Ints) -> Plan:
    """Read the plan out of a point.

    Raises
    ------
    PlanError : see ``whole_point``.
    """
    x = whole_point(model.milp, point)
    node = np.full(model.instance.n_pods, -1, dtype=np.int64)
    placed = np.zeros(len(model.instance.roles), dtype=np.int64)
    for (c, i), handed in _dealt(model, x).items():
        _put(model, model.layout.places.members[c][i], handed, node, placed)
    none = np.zeros(0, dtype=np.int64)
    return Plan(node, none, none)


def _rooms(model: Model, x: Ints) -> list[deque[tuple[int, int]]]:
    """Give places their configurations, in order: class and place of each room of a size."""
    rooms: list[deque[tuple[int, int]]] = [deque() for _ in range(len(model.layout.sizes))]
    for c, listed in enumerate(model.layout.configurations):
        times = x[model.start[c] : model.start[c + 1]]
        for i, q in enumerate(np.repeat(np.arange(len(listed)), times).tolist()):
            for z in np.flatnonzero(listed[q]).tolist():
                rooms[z].extend([(c, i)] * int(listed[q, z]))
    return rooms


def _dealt(model: Model, x: Ints) -> dict[tuple[int, int], Handed]:
    """Deal groups and loose pods out to the rooms of their size."""
    layout, sizes = model.layout, model.layout.sizes
    rooms = _rooms(model, x)
    loose = [deque(_roles_of_loose(model, j)) for j in range(len(layout.loose))]
    done = [0] * len(layout.types)
    dealt: dict[tuple[int, int], Handed] = {}
    for f, times in enumerate(x[model.t.cols].tolist()):
        j = int(sizes.thing[f])
        for _ in range(times):
            mine = dealt.setdefault(rooms[int(sizes.size[f])].popleft(), [])
            if j < len(layout.types):
                roles = layout.types[j].roles[done[j]]
                done[j] += 1
                mine += [(k, n) for k, n in zip(roles, sizes.pods[f], strict=True) if n]
            else:
                mine.append((loose[j - len(layout.types)].popleft(), 1))
    return dealt


def _roles_of_loose(model: Model, number: int) -> Ints:
    """Return the role of each loose pod of one sort."""
    roles = np.array(model.layout.loose[number].roles, dtype=np.int64)
    return np.repeat(roles, model.instance.roles.wanted[roles])


def _put(model: Model, place: Place, handed: Handed, node: Ints, placed: Ints) -> None:
    """Pack what a place was handed; write it to ``node``, and count it in ``placed``."""
    shape = model.layout.shapes.of_role
    pods = np.zeros(len(model.layout.shapes), dtype=np.int64)
    for k, n in handed:
        pods[shape[k]] += n
    slots: list[list[int]] = [[] for _ in range(len(pods))]
    for n, taken in zip(place.nodes.tolist(), place.filling.pack(pods), strict=False):
        for s in np.flatnonzero(taken).tolist():
            slots[s] += [n] * int(taken[s])
    used = [0] * len(pods)
    for k, n in handed:
        s, first = int(shape[k]), int(model.instance.pod_start[k] + placed[k])
        node[first : first + n] = slots[s][used[s] : used[s] + n]
        used[s] += n
        placed[k] += n
