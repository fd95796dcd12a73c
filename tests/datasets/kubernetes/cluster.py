"""A small cluster that has something of everything: groups, a tree, Jobs, bare pods, others."""

import json
from typing import Any

from tests.datasets.kubernetes.objects import (
    basic,
    child,
    composite,
    gang,
    job,
    node,
    obj,
    pod,
    pods,
)

_ANTI = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}}
        ]
    }
}
_AFFINITY = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {"matchExpressions": [{"key": "rack", "operator": "NotIn", "values": ["r9"]}]}
            ]
        }
    }
}
_TEMPLATE = {"name": "t", "schedulingPolicy": {"gang": {"minCount": 2}}}
_REFERENCE = {"workload": {"workloadName": "old", "podGroupTemplateName": "t"}}
_SLICES = {
    "gangplan.io/required-topology": "block",
    "gangplan.io/slice-size": "2",
    "gangplan.io/slice-required-topology": "rack",
}


def objects() -> list[dict[str, Any]]:
    """Give the objects, fresh each time."""
    found = [
        *(
            node(f"n{n}", labels={"block": f"b{n // 4}", "rack": f"r{n // 2}", "zone": "z"})
            for n in range(8)
        ),
        node("odd", spec={"unschedulable": True, "taints": [{"key": "t", "effect": "NoExecute"}]}),
        node("down", ready=False),
        obj("scheduling.k8s.io/v1", "PriorityClass", "high") | {"value": 100},
        obj("kueue.x-k8s.io/v1beta2", "Topology", "t", {"levels": [{"nodeLabel": "block"}]}),
        gang("old", 2, "v1alpha2", spec={"podGroupTemplateRef": _REFERENCE}),
        *pods("old", 3, creationTimestamp="2026-01-01T00:00:00Z"),
        gang("sliced", 2, annotations=_SLICES, spec={"priorityClassName": "high"}),
        *pods("sliced", 4),
        gang("roles", 2, annotations={"gangplan.io/role-minimum": "lead=1"}),
        pod("roles-0", "roles", labels={"gangplan.io/role": "lead"}, gpus=2),
        pod("roles-1", "roles", "n1"),
        basic("loose", spec={"schedulingConstraints": {"topology": [{"key": "rack"}]}}),
        *pods("loose", 2, spec={"affinity": _AFFINITY}),
        composite("top", 1),
        composite("inner", 2, parent="top", schedulingConstraints={"topology": [{"key": "block"}]}),
        child("left", "inner", 2),
        child("right", "inner", 1),
        *pods("left", 2),
        *pods("right", 2),
        child("orphan", "ghost"),
        pod("orphan-0", "orphan"),
        obj("scheduling.k8s.io/v1beta1", "Workload", "w", {"podGroupTemplates": [_TEMPLATE]}),
        job("batch", 3, 5, scheduling={"schedulingPolicy": {"gang": {"minCount": 2}}}),
        job("asleep", 3, suspend=True),
        pod("bare-0"),
        pod("bare-1"),
        pod("web-0", labels={"app": "web"}),
        pod("guard", on="n2", spec={"affinity": _ANTI}),
        pod("guard-2", on="n3", spec={"affinity": _ANTI}),
        pod("leaving", "old", "n4", deletionTimestamp="2026-01-01T00:00:00Z"),
        pod("lost", "nobody"),
        pod("gated", spec={"schedulingGates": [{"name": "x"}]}),
        *_running(),
        obj("scheduling.x-k8s.io/v1alpha1", "PodGroup", "plugin", {"minMember": 2}),
        obj("v1", "ConfigMap", "c"),
    ]
    # Fields of one object may be shared above; mutations must not reach a second one.
    return [json.loads(json.dumps(one)) for one in found]


def _running() -> list[dict[str, Any]]:
    """Give what can be evicted, what protects it, and a pod that room is on its way to."""
    waits = pod("next", gpus=2, spec={"priority": 9, "preemptionPolicy": "Never"})
    budget = {"minAvailable": "50%", "selector": {"matchLabels": {"app": "whole"}}}
    status = {"disruptionsAllowed": 1, "disruptedPods": {"whole-1": "2026-01-01T00:00:00Z"}}
    return [
        obj("scheduling.k8s.io/v1", "PriorityClass", "meek")
        | {"value": 1, "preemptionPolicy": "Never"},
        gang("whole", 2, spec={"disruptionMode": {"all": {}}, "priorityClassName": "meek"}),
        *pods("whole", 2, on="n5", labels={"app": "whole"}),
        obj("policy/v1", "PodDisruptionBudget", "b", budget) | {"status": status},
        obj("policy/v1", "PodDisruptionBudget", "none", {"selector": {}, "maxUnavailable": 1}),
        waits | {"status": {"phase": "Pending", "nominatedNodeName": "n4"}},
        pod("agent", on="n5", ownerReferences=[{"kind": "DaemonSet", "name": "agent"}]),
    ]
