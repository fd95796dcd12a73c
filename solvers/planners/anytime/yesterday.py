"""What is left of a plan when the cluster has changed: names, by which it is found again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan

Device = tuple[str, int]
"""A shared device: its node, and its number there from 0."""


@dataclass(frozen=True, slots=True)
class Yesterday:
    """A plan by names; devices of claims are not among them.

    Attributes
    ----------
    node : pod -> node.
    devices : pod -> shared devices.
    evicted : units that fall.
    """

    node: Mapping[str, str]
    devices: Mapping[str, tuple[Device, ...]]
    evicted: frozenset[str] = frozenset()


def named(instance: Instance, plan: Plan) -> Yesterday:
    """Write a plan by names."""
    names, shared = instance.names, instance.shared
    node = {names.pods[p]: names.nodes[plan.node[p]] for p in np.flatnonzero(plan.node >= 0)}
    number = _numbers(shared.node)
    devices: dict[str, tuple[Device, ...]] = {}
    for p, j in zip(plan.device_pod.tolist(), plan.device.tolist(), strict=True):
        one = (names.nodes[shared.node[j]], int(number[j]))
        devices[names.pods[p]] = (*devices.get(names.pods[p], ()), one)
    return Yesterday(node, devices, frozenset(names.units[v] for v in plan.evicted.tolist()))


def from_document(document: Mapping[str, Any]) -> Yesterday:
    """Read the names out of a plan file's content (``gangplan/plan/v1``).

    Whatever is not written as such a file is written is passed over: it is a wish for a place to
    begin, and what comes of it is checked.
    """
    node: dict[str, str] = {}
    devices: dict[str, tuple[Device, ...]] = {}
    for group in _rows(document.get("groups")):
        for pod in _rows(group.get("pods")):
            name = str(pod.get("pod"))
            node[name] = str(pod.get("node"))
            held = [
                (str(one.get("node")), int(one["device"]))
                for one in _rows(pod.get("devices"))
                if isinstance(one.get("device"), int)
            ]
            if held:
                devices[name] = tuple(held)
    fallen = frozenset(str(one.get("unit")) for one in _rows(document.get("evictions")))
    return Yesterday(node, devices, fallen)


def found_again(instance: Instance, before: Yesterday) -> Plan:
    """Return the plan as far as its names are still there; nothing is checked.

    A name that several pods or nodes have is none.
    """
    nodes, pods = _unique(instance.names.nodes), _unique(instance.names.pods)
    units = _unique(instance.names.units)
    claims = instance.claims
    asks = np.zeros(len(instance.roles), dtype=np.bool_)
    asks[claims.own_role] = asks[claims.user_role] = True
    node = np.full(instance.n_pods, -1, dtype=np.int64)
    for pod, where in before.node.items():
        p, n = pods.get(pod, -1), nodes.get(where, -1)
        if p >= 0 and n >= 0 and not asks[instance.pod_role[p]]:
            node[p] = n
    first = np.searchsorted(instance.shared.node, np.arange(len(instance.nodes) + 1)).tolist()
    held = set()
    for pod, devices in before.devices.items():
        p = pods.get(pod, -1)
        for where, number in devices:
            n = nodes.get(where, -1)
            if p >= 0 and n >= 0 and node[p] == n and 0 <= number < first[n + 1] - first[n]:
                held.add((p, first[n] + number))
    pairs = np.array(sorted(held), dtype=np.int64).reshape(-1, 2)
    fallen = np.array(sorted({units[u] for u in before.evicted if u in units}), dtype=np.int64)
    return Plan(node, pairs[:, 0], pairs[:, 1], evicted=fallen)


def _numbers(node: Ints) -> Ints:
    """(J,) number of each shared device on its node, from 0."""
    return np.arange(len(node)) - np.searchsorted(node, node, side="left")


def _unique(names: tuple[str, ...]) -> dict[str, int]:
    found = {name: n for n, name in enumerate(names)}
    if len(found) < len(names):
        twice = {name for n, name in enumerate(names) if found[name] != n}
        for name in twice:
            del found[name]
    return found


def _rows(value: object) -> list[Mapping[str, Any]]:
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []
