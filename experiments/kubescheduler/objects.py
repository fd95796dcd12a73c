"""An instance as API objects (scheduling.k8s.io/v1beta1), for a scheduler that is not ours.

A node's allocatable is what is free there: what runs already is not made. One required topology
rule a group is what a PodGroup can say (KEP-5732); preferred ones are left out, they cost nothing
in the tiers before ``preferred``.
"""

from collections.abc import Iterator
from typing import Any

from gangplan.models.columns import GANG
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.topology import REQUIRED

Obj = dict[str, Any]

LABEL = "topology.example.com/"
"""Before the name of a level in the key of its label."""

_COUNTED = {"cpu": "m", "memory": ""}
"""Suffix of a quantity in base units; other resources are whole numbers."""


def refuse(instance: Instance) -> None:
    """Raise where an instance has more than these objects can say.

    Raises
    ------
    FormulationError : naming what it is.
    """
    roles, groups, rules = instance.roles, instance.groups, instance.rules
    required = rules.owner[rules.mode == REQUIRED]
    faults = {
        "running work": len(instance.running) or len(instance.leaving) or groups.running.any(),
        "nominated pods": len(instance.reserved),
        "claims of devices": len(instance.claims.own_role) or instance.claims.n_shared,
        "shared devices": len(instance.shared),
        "composite groups": len(instance.composites),
        "groups other than gangs": (groups.kind != GANG).any(),
        "groups that are held": groups.held.any(),
        "minima of roles": roles.minimum.any(),
        "roles that may not use every node": not roles.eligible.all(),
        "slices": rules.slice.any(),
        "several required rules of one group": len(set(required.tolist())) < len(required),
    }
    for what, there in faults.items():
        if there:
            raise FormulationError(f"kube-scheduler: an instance with {what} is not loaded")


def nodes(instance: Instance) -> Iterator[Obj]:
    """Yield the nodes, with a label for each level."""
    names, topology = instance.names, instance.topology
    for n, name in enumerate(names.nodes):
        labels = {
            LABEL + level: names.domains[domain]
            for level, domain in zip(names.levels, topology.domain[:, n].tolist(), strict=True)
            if domain >= 0
        }
        room = _quantities(instance, instance.nodes.free[n].tolist())
        room.setdefault("pods", "110")
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady"}
        yield {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
            "status": {"capacity": room, "allocatable": room, "conditions": [ready]},
        }


def priority_classes(instance: Instance) -> Iterator[Obj]:
    """Yield a class for each priority."""
    for priority in sorted(set(instance.groups.priority.tolist())):
        yield {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": _class_of(priority)},
            "value": priority,
        }


def pod_groups(instance: Instance) -> Iterator[Obj]:
    """Yield the groups."""
    rules, groups = instance.rules, instance.groups
    level = {
        owner: instance.names.levels[at]
        for owner, at, mode in zip(
            rules.owner.tolist(), rules.level.tolist(), rules.mode.tolist(), strict=True
        )
        if mode == REQUIRED
    }
    for g, full_name in enumerate(instance.names.groups):
        spec: Obj = {
            "schedulingPolicy": {"gang": {"minCount": int(groups.minimum[g])}},
            "priorityClassName": _class_of(int(groups.priority[g])),
        }
        if g in level:
            spec["schedulingConstraints"] = {"topology": [{"key": LABEL + level[g]}]}
        namespace, name = full_name.split("/")
        yield {
            "apiVersion": "scheduling.k8s.io/v1beta1",
            "kind": "PodGroup",
            "metadata": {"name": name, "namespace": namespace},
            "spec": spec,
        }


def pods(instance: Instance) -> Iterator[Obj]:
    """Yield the waiting pods, in their order."""
    for p, role in enumerate(instance.pod_role.tolist()):
        namespace, name = instance.names.pods[p].split("/")
        group = int(instance.roles.group[role])
        asks = _quantities(instance, instance.roles.request[role].tolist())
        asks.pop("pods", None)
        asks = {resource: amount for resource, amount in asks.items() if amount[0] != "0"}
        limits = {resource: amount for resource, amount in asks.items() if "/" in resource}
        container = {
            "name": "main",
            "image": "registry.example/train:1",
            "resources": {"requests": asks, "limits": limits},
        }
        yield {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {
                "schedulingGroup": {"podGroupName": instance.names.groups[group].split("/")[1]},
                "priorityClassName": _class_of(int(instance.groups.priority[group])),
                "containers": [container],
            },
        }


def _quantities(instance: Instance, amounts: list[int]) -> dict[str, str]:
    return {
        resource: f"{amount}{_COUNTED.get(resource, '')}"
        for resource, amount in zip(instance.names.resources, amounts, strict=True)
    }


def _class_of(priority: int) -> str:
    return f"priority-{priority}"
