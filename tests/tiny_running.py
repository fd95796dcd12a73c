"""Running work for small hand-made instances: ``with_running(instance, pods=[...])``.

::

    with_running(
        make_instance(
            nodes=[{"gpu": 0}],
            groups=[
                {"name": "old", "minimum": 2, "running": [0, 0], "roles": []},
                {"name": "new", "priority": 5, "request": {"gpu": 8}},
            ],
        ),
        pods=[
            {"node": 0, "request": {"gpu": 4}, "group": 0},
            {"node": 0, "request": {"gpu": 4}, "group": 0},
        ],
    )

Members of a group with the same ``unit`` fall together; else each pod is a unit of its own. A key
that is misspelt is an error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gangplan.datasets.running import Budget, Floor, Hold, Pod, Unit, running
from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.running import GROUP, POD, TREE, UNKNOWN, Reserved

Row = Mapping[str, Any]

POD_KEYS = {"node", "request", "group", "priority", "unit", "devices", "minutes", "name"}
BUDGET_KEYS = {"allowed", "pods", "hard", "name"}
HOLD_KEYS = {"users", "shared", "devices", "counters", "pots"}
RESERVED_KEYS = {"node", "priority", "group", "request"}


def with_running(
    instance: Instance,
    pods: Sequence[Row],
    budgets: Sequence[Row] = (),
    holds: Sequence[Row] = (),
    *,
    floors: Sequence[tuple[int, int, Sequence[int]]] = (),
    never: Sequence[int] = (),
    reserved: Sequence[Row] = (),
    device: str = "gpu",
) -> Instance:
    """Give an instance units that can be evicted.

    Parameters
    ----------
    pods : ``node`` (-1: not in the snapshot), ``request`` {resource: amount}, ``group`` (a number;
        -1), ``priority`` (default: that of the group's root, else 0), ``unit`` (any key; pods of
        one key fall as one), ``devices`` (default: those of the request), ``minutes``, ``name``.
    budgets : ``allowed`` (0), ``pods`` (numbers), ``hard`` (False).
    holds : ``users`` (numbers of pods), ``shared`` (-1), ``devices``, ``counters``, ``pots``.
    floors : (group, least, pods) beside the one that each gang with a minimum gets.
    never : groups that evict nobody.
    reserved : ``node``, ``priority``, ``group`` (-1), ``request``.
    device : the resource that counts as devices.
    """
    for rows, known in (
        (pods, POD_KEYS), (budgets, BUDGET_KEYS), (holds, HOLD_KEYS), (reserved, RESERVED_KEYS),
    ):  # fmt: skip
        for row in rows:
            if strange := set(row) - known:
                raise KeyError(f"unknown keys {sorted(strange)}")
    names = [row.get("name", f"test/run{u}") for u, row in enumerate(pods)]
    said = [_pod(instance, row, name, device) for row, name in zip(pods, names, strict=True)]
    keys = [row.get("unit", ("alone", u)) for u, row in enumerate(pods)]
    units = []
    for key in dict.fromkeys(keys):
        mine = [u for u, other in enumerate(keys) if other == key]
        units.append(_unit(instance, pods, said, mine, alone="unit" not in pods[mine[0]]))
    table = [
        Floor(g, int(instance.groups.minimum[g]), int(instance.groups.running[g]), members)
        for g in np.flatnonzero(instance.groups.kind == GANG).tolist()
        if (members := tuple(pod.name for pod in said if pod.group == g))
    ]
    table += [
        Floor(g, least, len(mine), tuple(names[u] for u in mine)) for g, least, mine in floors
    ]
    made = running(
        len(instance.names.resources),
        units,
        table,
        [
            Budget(
                row.get("name", f"test/pdb{b}"), row.get("allowed", 0),
                tuple(names[u] for u in row["pods"]), row.get("hard", False),
            )
            for b, row in enumerate(budgets)
        ],
        [
            Hold(
                tuple(names[u] for u in row["users"]), row.get("shared", -1),
                tuple(row.get("devices", ())), row.get("counters", {}), row.get("pots", {}),
            )
            for row in holds
        ],
        never,
    )  # fmt: skip
    return replace(
        instance,
        running=made.running,
        reserved=_reserved(instance, reserved),
        names=replace(instance.names, **made.names),
    )


def _request(instance: Instance, row: Row) -> tuple[int, ...]:
    asked = row.get("request", {})
    if strange := set(asked) - set(instance.names.resources):
        raise KeyError(f"unknown resources {sorted(strange)}")
    return tuple(asked.get(name, 0) for name in instance.names.resources)


def _pod(instance: Instance, row: Row, name: str, device: str) -> Pod:
    devices = row.get("devices", row.get("request", {}).get(device, 0))
    return Pod(
        name, row["node"], _request(instance, row), devices, row.get("group", -1),
        row.get("minutes", UNKNOWN),
    )  # fmt: skip


def _unit(
    instance: Instance,
    rows: Sequence[Row],
    said: Sequence[Pod],
    mine: Sequence[int],
    *,
    alone: bool,
) -> Unit:
    first = rows[mine[0]]
    group = first.get("group", -1)
    priority = first.get("priority", _root_priority(instance, group))
    pods = tuple(said[u] for u in mine)
    if alone:
        return Unit(pods[0].name, priority, pods, POD)
    several = len({pod.group for pod in pods}) > 1
    name = f"unit/{first['unit']}"
    return Unit(name, priority, pods, TREE if several else GROUP)


def _root_priority(instance: Instance, group: int) -> int:
    if group < 0:
        return 0
    above = instance.ancestors(group)
    if above:
        return int(instance.composites.priority[above[-1]])
    return int(instance.groups.priority[group])


def _reserved(instance: Instance, rows: Sequence[Row]) -> Reserved:
    request = [_request(instance, row) for row in rows]
    return Reserved(
        np.array([row["node"] for row in rows], dtype=np.int64),
        np.array([row["priority"] for row in rows], dtype=np.int64),
        np.array([row.get("group", -1) for row in rows], dtype=np.int64),
        np.array(request, dtype=np.int64).reshape(
            len(rows), len(instance.names.resources) if rows else 0
        ),
    )
