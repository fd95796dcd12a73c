"""The same running work told otherwise, beside ``changed`` (clusters without devices)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.gone import without_units
from gangplan.models.instance import Instance
from gangplan.models.running import Running
from tests.differential.changed import with_groups, with_nodes


def with_nodes_of_units(instance: Instance, order: Sequence[int]) -> Instance:
    """Return the instance with nodes ``order``; running pods stay on the first of their name."""
    other = with_nodes(instance, order)
    place = np.array([*(order.index(n) for n in range(len(instance.nodes))), -1], dtype=np.int64)
    running, reserved = other.running, other.reserved
    return replace(
        other,
        running=replace(running, pod_node=place[running.pod_node]),
        reserved=replace(reserved, node=place[reserved.node]),
    )


def with_groups_of_units(
    instance: Instance, order: Sequence[int], role_key: Sequence[int]
) -> Instance:
    """Return the instance with groups in another order, and what protects their members."""
    other = with_groups(without_units(instance), order, role_key)
    said = instance.names
    new = np.append(np.argsort(np.array(order, dtype=np.int64)), -1)
    running, reserved = instance.running, instance.reserved
    floors = np.argsort(new[running.floor_group], kind="stable")
    number = np.argsort(floors)
    members = _table(number[running.member_floor], running.member_pod)
    return replace(
        other,
        running=replace(
            running,
            pod_group=new[running.pod_group],
            floor_group=new[running.floor_group][floors],
            floor_least=running.floor_least[floors],
            floor_running=running.floor_running[floors],
            member_floor=members[0],
            member_pod=members[1],
            never=np.sort(new[running.never]),
        ),
        reserved=replace(reserved, group=new[reserved.group]),
        names=replace(other.names, units=said.units, running=said.running, budgets=said.budgets),
    )


def with_units(instance: Instance, order: Sequence[int], pod_key: Sequence[int]) -> Instance:
    """Return the instance with units in another order, and the pods of a unit by ``pod_key``."""
    running, names = instance.running, instance.names
    take = np.array(order, dtype=np.int64)
    unit = np.argsort(take)[running.pod_unit]
    pods = np.lexsort((np.array(pod_key), unit))
    new = np.argsort(pods)
    members = _table(running.member_floor, new[running.member_pod])
    matches = _table(running.match_budget, new[running.match_pod])
    users = _table(running.user_hold, new[running.user_pod])
    columns = {name: getattr(running, name) for name in Running.__slots__}
    columns |= {name: columns[name][take] for name in ("priority", "kind")}
    columns |= {
        name: columns[name][pods]
        for name in ("pod_group", "pod_node", "pod_request", "pod_devices", "pod_minutes")
    }
    columns |= dict(
        pod_unit=unit[pods],
        member_floor=members[0],
        member_pod=members[1],
        match_budget=matches[0],
        match_pod=matches[1],
        user_hold=users[0],
        user_pod=users[1],
    )
    return replace(
        instance,
        running=Running(**columns),
        names=replace(
            names,
            units=tuple(f"u{v}" for v in range(len(take))),
            running=tuple(f"p{u}" for u in range(len(pods))),
        ),
    )


def raised(instance: Instance, unit: int, by: int) -> Instance:
    """Return the instance with one unit of a higher priority."""
    priority = instance.running.priority.copy()
    priority[unit] += by
    return replace(instance, running=replace(instance.running, priority=priority))


def _table(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    order = np.lexsort((second, first))
    return first[order], second[order]
