"""From counts of options to devices by name: which claim gets which devices.

Claims of one part at one node are alike, so options are handed out in order of pods. What an
option gives all its claims together is split among them by an edge colouring: on the left a choice
has ``count`` ends, on the right a cap has ``bound`` ends, each with at most one edge a claim. Caps
of an option never overlap, unless it is written for a single claim.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts.claim_columns import Claimed
from gangplan.models.counts.colouring import coloured
from gangplan.models.counts.holdings import usable
from gangplan.models.counts.indexed import Indexed
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import Allocations

Owner = tuple[int, int]
"""A claim: (pod, its number w), or (-1, shared claim c)."""


@dataclass(slots=True)
class Given:
    """Devices by cell that claims get: one row a (owner, choice, cell), ``many`` devices each."""

    owner: list[Owner]
    choice: list[int]
    cell: list[int]
    many: list[int]


def allocations(instance: Instance, d: Claimed, point: Ints, node: Ints, f: Indexed) -> Allocations:
    """Name the devices of every claim.

    Parameters
    ----------
    point : (n,) whole numbers. node : (P,) where the pods go. f : columns by holding.

    Raises
    ------
    PlanError : a point whose options do not match its pods, or that takes more than there is.
    """
    given = Given([], [], [], [])
    queues = _waiting(instance, d, node)
    for o in np.flatnonzero(point[d.b.cols]).tolist():
        n, claim = int(point[d.b.cols[o]]), int(d.table.claim[o])
        if claim >= 0:
            users = instance.claims.user_role[instance.claims.user_shared == claim]
            if not np.isin(instance.pod_role[node >= 0], users).any():
                continue  # allocated for nobody: no plan allocates it
            _share(d, point, o, [(-1, claim)], given)
            continue
        queue = queues[int(d.table.part[o]), int(d.table.node[o])]
        if len(queue) < n:
            raise PlanError("the claims of a point do not match its pods")
        owners, queue[:n] = queue[:n], []
        _share(d, point, o, owners, given)
    if any(queues.values()):
        raise PlanError("the claims of a point do not match its pods")
    return _named(instance, d, given, usable(instance, f, point))


def _waiting(instance: Instance, d: Claimed, node: Ints) -> dict[tuple[int, int], list[Owner]]:
    """Own claims by (part, node), in order of pods."""
    assert d.options is not None
    claims = instance.claims
    queues: dict[tuple[int, int], list[Owner]] = defaultdict(list)
    role = instance.pod_role
    has = np.isin(role, claims.own_role) & (node >= 0)
    for pod in np.flatnonzero(has).tolist():
        for w in claims.own_of(int(role[pod])):
            for part in d.options.of_spec[claims.own_spec[w]]:
                queues[part, int(node[pod])].append((pod, w))
    return queues


def _share(d: Claimed, point: Ints, option: int, owners: list[Owner], given: Given) -> None:
    """Split what an option gives among its claims."""
    table, n = d.table, len(owners)
    first, last = np.searchsorted(table.demand_option, [option, option + 1]).tolist()
    begin, end = np.searchsorted(table.entry_demand, [first, last]).tolist()
    cap_of: dict[int, int] = {}
    low, high = np.searchsorted(table.cap_option, [option, option + 1]).tolist()
    for at in range(*np.searchsorted(table.member_cap, [low, high]).tolist()):
        cap_of[int(table.member_entry[at])] = int(table.member_cap[at])
    edges: list[tuple[int, int]] = []
    what: list[tuple[int, int]] = []
    room: dict[tuple[int, int], int] = {}
    names: dict[tuple[int, int, int], int] = {}
    for y in range(begin, end):
        demand, cell = int(table.entry_demand[y]), int(table.entry_cell[y])
        choice = int(table.demand_choice[demand])
        fixed = int(table.entry_fixed[y])
        for owner in owners if fixed else ():
            _give(given, owner, choice, cell, fixed)
        for _ in range(0 if fixed else int(point[d.col[y]])):
            pair = []
            # One end takes an edge of every claim; the next one follows when it is full.
            for side, key in ((0, demand), (1, cap_of.get(y, -1 - y))):
                room[side, key] = room.get((side, key), 0) + 1
                index = (side, key, (room[side, key] - 1) // n)
                pair.append(names.setdefault(index, len(names)))
            edges.append((pair[0], pair[1]))
            what.append((choice, cell))
    for (choice, cell), colour in zip(what, coloured(edges, n), strict=True):
        _give(given, owners[colour], choice, cell, 1)


def _give(given: Given, owner: Owner, choice: int, cell: int, many: int) -> None:
    given.owner.append(owner)
    given.choice.append(choice)
    given.cell.append(cell)
    given.many.append(many)


def _named(instance: Instance, d: Claimed, given: Given, able: Flags) -> Allocations:
    """Hand the ``able`` (I,) devices of each cell out, those that are free already first.

    adminAccess comes last; it takes any device, but the claim's own.
    """
    cells, admin = d.cells, instance.claims.choice_admin
    held = instance.devices.taken.tolist()
    left: dict[int, Iterator[int]] = {}
    own: dict[tuple[Owner, int], set[int]] = defaultdict(set)
    rows: list[tuple[int, int, int, int]] = []
    for late in (False, True):
        for owner, b, e, many in zip(
            given.owner, given.choice, given.cell, given.many, strict=True
        ):
            if admin[b] != late:
                continue
            devices = cells.devices(e)
            if late:
                chosen = [i for i in devices if i not in own[owner, e]][:many]
            elif cells.multi[e]:
                chosen = devices * many
            else:
                if e not in left:
                    mine = sorted((i for i in devices if able[i]), key=held.__getitem__)
                    left[e] = iter(mine)
                chosen = list(islice(left[e], many))
            if len(chosen) < many:
                raise PlanError("a point takes more devices than there are")
            own[owner, e].update(chosen)
            rows += [(*owner, b, i) for i in chosen]
    table = np.array(rows, dtype=np.int64).reshape(-1, 4)
    return Allocations(*table.T)
