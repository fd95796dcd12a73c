from typing import Any

import pytest

from tests.datasets.kubernetes.manifests import read_pod

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def container(**more: Any) -> dict[str, Any]:
    return {"name": "main", **more}


TERM = {"topologyKey": "zone", "labelSelector": {}}
SOFT = "ScheduleAnyway"
DEVICE = "deviceclass.resource.kubernetes.io/gpu"


@pytest.mark.parametrize(
    ("spec", "paths"),
    [
        (
            {"containers": [container(ports=[{"containerPort": 80, "hostPort": 80}])]},
            ["spec.containers[].ports[].hostPort"],
        ),
        (
            {
                "initContainers": [
                    container(ports=[{"containerPort": 80, "hostPort": 80}], restartPolicy="Always")
                ]
            },
            ["spec.initContainers[].ports[].hostPort"],
        ),
        (
            {"hostNetwork": True, "containers": [container(ports=[{"containerPort": 80}])]},
            ["spec.hostNetwork"],
        ),
        (
            {"affinity": {"podAffinity": {REQUIRED: [TERM]}}},
            [f"spec.affinity.podAffinity.{REQUIRED}"],
        ),
        (
            {"affinity": {"podAntiAffinity": {REQUIRED: [TERM]}}},
            [f"spec.affinity.podAntiAffinity.{REQUIRED}"],
        ),
        (
            {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone"}]},
            ["spec.topologySpreadConstraints"],
        ),
        (
            {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "x"}}]},
            ["spec.volumes[].persistentVolumeClaim"],
        ),
        (
            {"volumes": [{"name": "v", "ephemeral": {}}, {"name": "w", "iscsi": {}}]},
            ["spec.volumes[].ephemeral", "spec.volumes[].iscsi"],
        ),
        ({"runtimeClassName": "kata"}, ["spec.runtimeClassName"]),
        ({"hostNetwork": True, "hostUsers": False}, ["spec.hostUsers"]),
        (
            {
                "containers": [
                    container(restartPolicyRules=[{"action": "RestartAllContainers"}]),
                ]
            },
            ["spec.containers[].restartPolicyRules[].action"],
        ),
    ],
)
def test_a_hard_rule_that_is_not_honoured_is_named(spec: dict[str, Any], paths: list[str]) -> None:
    assert list(read_pod(spec).unsupported) == paths


@pytest.mark.parametrize(
    "spec",
    [
        {"hostNetwork": True},
        {"hostUsers": False},
        {"containers": [container(ports=[{"containerPort": 80}])]},
        {"initContainers": [container(ports=[{"hostPort": 80, "containerPort": 80}])]},
        {"affinity": {"podAffinity": {PREFERRED: [{"weight": 1, "podAffinityTerm": TERM}]}}},
        {"affinity": {"podAntiAffinity": {REQUIRED: []}}},
        {"affinity": {"podAffinity": None}},
        {
            "topologySpreadConstraints": [
                {"topologyKey": "z", "whenUnsatisfiable": "ScheduleAnyway"}
            ]
        },
        {"tolerations": [{"key": "a", "effect": "PreferNoSchedule", "operator": "Exists"}]},
        {"volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "nfs": {}, "iscsi": None}]},
        {"resourceClaims": []},
        {
            "containers": [container(resources={"claims": [{"name": "c"}]})],
            "resourceClaims": [{"name": "c", "resourceClaimTemplateName": "x"}],
        },
        {"containers": [container(resources={"limits": {DEVICE: "1"}})]},
        {"containers": [container(restartPolicyRules=[{"action": "Restart"}])]},
    ],
)
def test_what_forbids_no_node_is_no_hard_rule(spec: dict[str, Any]) -> None:
    assert read_pod(spec).unsupported == ()


def test_a_runtime_class_is_settled_once_the_server_has_admitted_the_pod() -> None:
    record = read_pod({"runtimeClassName": "kata"}, metadata={"name": "a", "uid": "1"})
    assert record.unsupported == ()


def test_several_rules_are_sorted_and_named_once() -> None:
    claim = {"name": "v", "persistentVolumeClaim": {"claimName": "x"}}
    record = read_pod({"volumes": [claim, claim], "runtimeClassName": "kata"})
    paths = ("spec.runtimeClassName", "spec.volumes[].persistentVolumeClaim")
    assert record.unsupported == paths
