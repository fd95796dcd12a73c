"""The same cluster told otherwise, and clusters with more room."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from gangplan.models.columns import Groups, Nodes, Roles, Shared
from gangplan.models.instance import Instance
from gangplan.models.topology import Topology
from tests.differential.changed_devices import device_parts, on_nodes, with_roles

Order = npt.NDArray[np.int64]


def with_nodes(instance: Instance, order: Sequence[int]) -> Instance:
    """Return the instance with nodes ``order``: a permutation, or with a node named twice."""
    take = np.array(order, dtype=np.int64)
    nodes, shared = instance.nodes, instance.shared
    devices = [
        (new, int(free))
        for new, old in enumerate(order)
        for free in shared.free[shared.node == old]
    ]
    parts = device_parts(instance, on_nodes(instance, order), order)
    return replace(
        instance,
        devices=parts["devices"],
        claims=parts["claims"],
        nodes=Nodes(nodes.free[take], nodes.node_class[take], nodes.intact[take]),
        topology=Topology(instance.topology.domain[:, take], instance.topology.level),
        shared=Shared(
            np.array([n for n, _ in devices], dtype=np.int64),
            np.array([free for _, free in devices], dtype=np.int64),
        ),
        names=replace(parts["names"], nodes=tuple(f"m{n}" for n in range(len(order)))),
    )


def with_groups(instance: Instance, order: Sequence[int], role_key: Sequence[int]) -> Instance:
    """Return the instance with groups in another order, and roles of a group by ``role_key``."""
    take = np.array(order, dtype=np.int64)
    new = np.argsort(take)
    roles = np.lexsort((np.array(role_key), new[instance.roles.group]))
    owner = instance.rules.owner.copy()
    own = owner < len(take)
    owner[own] = new[owner[own]]
    columns = {name: getattr(instance.roles, name)[roles] for name in Roles.__slots__}
    columns["group"] = new[instance.roles.group][roles]
    names = instance.names
    of_roles = with_roles(instance, roles)
    pods = [
        names.pods[p]
        for k in roles.tolist()
        for p in range(instance.pod_start[k], instance.pod_start[k + 1])
    ]
    return replace(
        instance,
        roles=Roles(**columns),
        groups=Groups(**{name: getattr(instance.groups, name)[take] for name in Groups.__slots__}),
        rules=replace(instance.rules, owner=owner),
        claims=of_roles["claims"],
        names=replace(
            names,
            own=of_roles["own"],
            groups=_pick(names.groups, take),
            held=_pick(names.held, take),
            roles=_pick(names.roles, roles),
            pods=tuple(pods),
        ),
    )


def _pick(names: tuple[str, ...], order: npt.NDArray[Any]) -> tuple[str, ...]:
    return tuple(names[i] for i in order.tolist())


def freed(instance: Instance, node: int) -> Instance:
    """Return the instance with much more room on one node."""
    free = instance.nodes.free.copy()
    free[node] += 100
    room = np.where(instance.shared.node == node, 1000, instance.shared.free)
    return replace(
        instance,
        nodes=replace(instance.nodes, free=free),
        shared=replace(instance.shared, free=room),
    )
