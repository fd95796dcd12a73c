"""Written: the steps of a run as a plan, pods numbered in order of their nodes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, plan_from_counts


@dataclass(frozen=True, slots=True, eq=False)
class Put:
    """One step: ``pods[e]`` pods of ``role`` on ``nodes[e]``; devices of each pod, in order."""

    role: int
    nodes: Ints
    pods: Ints
    devices: list[Ints]


def written(instance: Instance, puts: Sequence[Put]) -> Plan:
    """Return the plan of some steps, with the devices of shared pools."""
    if not puts:
        none = np.zeros(0, dtype=np.int64)
        return plan_from_counts(instance, none, none, none)
    role = np.concatenate([np.full(len(p.nodes), p.role, dtype=np.int64) for p in puts])
    node = np.concatenate([p.nodes for p in puts])
    pods = np.concatenate([p.pods for p in puts])
    # What was released cancels out.
    n_nodes = len(instance.nodes)
    cell, entry = np.unique(role * n_nodes + node, return_inverse=True)
    total = np.zeros(len(cell), dtype=np.int64)
    np.add.at(total, entry.reshape(-1), pods)
    cell, total = cell[total > 0], total[total > 0]
    holder, device = _devices(instance, puts)
    return plan_from_counts(instance, cell // n_nodes, cell % n_nodes, total, holder, device)


def _devices(instance: Instance, puts: Sequence[Put]) -> tuple[Ints, Ints]:
    """Give devices to pods numbered as ``plan_from_counts`` will hand them out."""
    held: dict[int, list[tuple[int, Ints]]] = {}
    for put in puts:
        if put.devices:
            at = np.repeat(put.nodes, put.pods).tolist()
            held.setdefault(put.role, []).extend(zip(at, put.devices, strict=True))
    holder: list[int] = []
    device: list[int] = []
    for role in sorted(held):
        first = int(instance.pod_start[role])
        for i, (_, mine) in enumerate(sorted(held[role], key=lambda pair: pair[0])):
            holder += [first + i] * len(mine)
            device += mine.tolist()
    return np.array(holder, dtype=np.int64), np.array(device, dtype=np.int64)
