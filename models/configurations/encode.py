"""From a plan to a point that keeps every row: each place takes a configuration that covers it.

What a place holds is grown until nothing can be added, and is then one of the listed: rooms that
nobody takes, and elastic groups that get more pods. So the point can be better than the plan.
"""

from collections import Counter

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.configurations.formulation import Model
from gangplan.models.errors import PlanError
from gangplan.models.plan import Plan

At = tuple[int, int]
"""Class of a place, and its number there."""


def encode(model: Model, plan: Plan) -> Ints:
    """Write a plan as a point.

    Raises
    ------
    PlanError : a group that no place can take as the plan has it.
    """
    plan.fits(model.instance)
    point = np.zeros(model.milp.n_cols, dtype=np.int64)
    known = [
        {row.tobytes(): q for q, row in enumerate(listed)} for listed in model.layout.configurations
    ]
    for (c, _), forms in _forms(model, plan).items():
        counts = _grown(model, c, forms)
        q = known[c].get(counts.tobytes())
        if q is None:
            raise PlanError("no configuration covers what a plan has in one domain")
        point[model.start[c] + q] += 1
        for f, times in forms.items():
            point[model.t.cols[f]] += times
    return point


def _forms(model: Model, plan: Plan) -> dict[At, Counter[int]]:
    """Count the forms that a plan has in each place."""
    layout, instance = model.layout, model.instance
    thing, pods = layout.sizes.thing.tolist(), layout.sizes.pods
    known = {form: f for f, form in enumerate(zip(thing, pods, strict=True))}
    found: dict[At, Counter[int]] = {}
    for j, one in enumerate(layout.types):
        for g, roles in zip(one.groups, one.roles, strict=True):
            nodes = [_nodes(model, plan, k) for k in roles]
            where = np.unique(layout.places.of_node[np.concatenate(nodes)], axis=0)
            if not len(where):
                continue
            f = known.get((j, tuple(len(mine) for mine in nodes)))
            if f is None or len(where) > 1 or where[0, 0] < 0:
                raise PlanError(f"{instance.names.groups[g]}: no form for what it is given")
            at = int(where[0, 0]), int(where[0, 1])
            found.setdefault(at, Counter())[f] += 1
    for j, one_loose in enumerate(layout.loose, len(layout.types)):
        mine = np.concatenate([_nodes(model, plan, k) for k in one_loose.roles])
        where, times = np.unique(layout.places.of_node[mine], axis=0, return_counts=True)
        for (c, i), n in zip(where.tolist(), times.tolist(), strict=True):
            if c < 0:
                raise PlanError("a pod where no place is for it")
            found.setdefault((c, i), Counter())[known[j, (1,)]] += n
    return found


def _nodes(model: Model, plan: Plan, role: int) -> Ints:
    mine = plan.node[model.instance.pod_start[role] : model.instance.pod_start[role + 1]]
    return mine[mine >= 0]


def _grown(model: Model, c: int, forms: Counter[int]) -> Ints:
    """(Z,) rooms of each size, grown until nothing can be added; ``forms`` grow with them."""
    sizes, places = model.layout.sizes, model.layout.places
    holds, mine = places.holds[c], places.sizes[c].tolist()
    rooms = np.zeros(len(sizes), dtype=np.int64)
    for f, times in forms.items():
        rooms[sizes.size[f]] += times
    left = holds - rooms @ sizes.takes
    left = left[(left >= 0).all(axis=1)]

    def room_for(pods: Ints) -> bool:
        return bool((left >= pods).all(axis=1).any())

    growing = True
    while growing:
        growing = False
        for z in mine:
            while rooms[z] < sizes.most[z] and room_for(sizes.takes[z]):
                rooms[z] += 1
                left = left[(left >= sizes.takes[z]).all(axis=1)] - sizes.takes[z]
        for z in mine:
            for to, grown in sizes.larger[z]:
                more = sizes.takes[to] - sizes.takes[z]
                while rooms[z] and rooms[to] < sizes.most[to] and room_for(more):
                    left = left[(left >= more).all(axis=1)] - more
                    _grow(forms, rooms, sizes.size, z, to, grown)
                    growing = True
    return rooms


def _grow(
    forms: Counter[int], rooms: Ints, size: Ints, z: int, to: int, grown: dict[int, int]
) -> None:
    """Turn a room of size ``z`` into one of size ``to``; one that nobody takes, if there is one."""
    takers = [f for f, times in forms.items() if times and size[f] == z]
    if sum(forms[f] for f in takers) == rooms[z]:
        forms[takers[0]] -= 1
        forms[grown[takers[0]]] += 1
    rooms[z] -= 1
    rooms[to] += 1
