"""Groups in a plan file: their status, and where their pods go; written, and read back strictly.

A shared device is named by its node and its number there. Pods without a PodGroup are listed one by
one, each as a group of its own name.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gangplan.datasets.allocation_entries import Reader, allocation_entries
from gangplan.datasets.json_file import refuse
from gangplan.datasets.plan_fields import number, objects
from gangplan.models.arrays import Ints
from gangplan.models.columns import BARE
from gangplan.models.instance import Instance
from gangplan.models.marks import marks
from gangplan.models.plan import Plan
from gangplan.models.result import Result
from gangplan.models.status import ADMITTED, PENDING, statuses


def group_entries(instance: Instance, result: Result) -> list[dict[str, object]]:
    """Return the ``groups`` list of a plan file, in the instance's order."""
    status = statuses(instance, result.plan)
    placed = _placed_pods(instance, result.plan)
    group = instance.roles.group[instance.pod_role]
    first = np.searchsorted(group, np.arange(len(instance.groups) + 1)).tolist()
    entries: list[dict[str, object]] = []
    for g, name in enumerate(instance.names.groups):
        pods = range(first[g], first[g + 1])
        reason = result.reasons.get(g) or instance.names.held[g] or None
        if int(instance.groups.kind[g]) == BARE:
            for p in pods:
                here = [placed[p]] if p in placed else []
                why = None if here else reason
                entries.append(
                    _entry(instance.names.pods[p], ADMITTED if here else PENDING, here, why)
                )
            continue
        here = [placed[p] for p in pods if p in placed]
        entries.append(_entry(name, status[g], here, reason if len(here) < len(pods) else None))
    return entries


def _entry(
    name: str, status: str, pods: list[dict[str, object]], why: str | None
) -> dict[str, object]:
    return {"group": name, "status": status, "pods": pods, "reason": why}


def _placed_pods(instance: Instance, plan: Plan) -> dict[int, dict[str, object]]:
    mark = marks(instance, plan).tolist()
    number = _device_numbers(instance)
    devices: dict[int, list[dict[str, object]]] = {}
    for p, j in zip(plan.device_pod.tolist(), plan.device.tolist(), strict=True):
        on = instance.names.nodes[int(instance.shared.node[j])]
        devices.setdefault(p, []).append({"node": on, "device": int(number[j])})
    where = plan.node.tolist()
    own = allocation_entries(instance, plan)[0]
    return {
        p: {
            "pod": instance.names.pods[p],
            "node": instance.names.nodes[where[p]],
            "devices": devices.get(p, []),
            "mark": mark[p],
            **({"claims": own[p]} if p in own else {}),
        }
        for p in np.flatnonzero(plan.node >= 0).tolist()
    }


def _device_numbers(instance: Instance) -> Ints:
    """(J,) number of each shared device on its node, from 0."""
    node = instance.shared.node
    return np.arange(len(node)) - np.searchsorted(node, node, side="left")


@dataclass(slots=True)
class _Names:
    """Names to numbers, for one file."""

    pods: dict[str, int]
    nodes: dict[str, int]
    devices: dict[tuple[int, int], int]


def _lookup(path: str, instance: Instance) -> _Names:
    numbers = _device_numbers(instance).tolist()
    names = _Names(
        {name: p for p, name in enumerate(instance.names.pods)},
        {name: n for n, name in enumerate(instance.names.nodes)},
        {
            (n, number): j
            for j, (n, number) in enumerate(
                zip(instance.shared.node.tolist(), numbers, strict=True)
            )
        },
    )
    if len(names.pods) < instance.n_pods or len(names.nodes) < len(instance.nodes):
        raise refuse(path, "instance", "two pods or two nodes have the same name")
    return names


Held = list[tuple[int, int]]
"""Pods, and the shared devices that they get."""


def placed_of(
    path: str,
    entries: Sequence[Mapping[str, Any]],
    instance: Instance,
    claims: Callable[[], Reader],
) -> tuple[Ints, Held]:
    """Read the node of each pod (-1: none), and the shared devices.

    Parameters
    ----------
    claims : gives the reader that devices of a pod's own claims go to.

    Raises
    ------
    InputError : a pod, node or device that the instance does not have, or a pod that stands twice.
    """
    names = _lookup(path, instance)
    node = np.full(instance.n_pods, -1, dtype=np.int64)
    held: Held = []
    for g, entry in enumerate(entries):
        for i, pod in enumerate(objects(path, f"groups[{g}].pods", entry.get("pods"))):
            field = f"groups[{g}].pods[{i}]"
            p = number(path, f"{field}.pod", pod.get("pod"), names.pods, "pending pod")
            if node[p] >= 0:
                raise refuse(path, f"{field}.pod", f"{pod['pod']} is placed twice")
            node[p] = number(path, f"{field}.node", pod.get("node"), names.nodes, "node")
            for device in objects(path, f"{field}.devices", pod.get("devices")):
                n = number(path, f"{field}.devices", device.get("node"), names.nodes, "node")
                index = device.get("device")
                j = names.devices.get((n, index)) if type(index) is int else None
                if j is None:
                    said = f"{device.get('node')} has no device {device.get('device')}"
                    raise refuse(path, f"{field}.devices", said)
                held.append((p, j))
            if "claims" in pod:
                claims().pod(f"{field}.claims", p, objects(path, f"{field}.claims", pod["claims"]))
    return node, held


def reasons_of(
    path: str, entries: Sequence[Mapping[str, Any]], instance: Instance
) -> dict[int, str]:
    """Read why groups wait, by group."""
    numbers = {name: g for g, name in enumerate(instance.names.groups)}
    bare = instance.groups.kind == BARE
    owner = instance.roles.group[instance.pod_role]
    for p in np.flatnonzero(bare[owner]).tolist():
        numbers[instance.names.pods[p]] = int(owner[p])
    reasons: dict[int, str] = {}
    for i, entry in enumerate(entries):
        g = number(path, f"groups[{i}].group", entry.get("group"), numbers, "group")
        if entry.get("reason"):
            reasons[g] = str(entry["reason"])
    return reasons
