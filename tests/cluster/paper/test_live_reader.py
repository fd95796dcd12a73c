"""Objects as real servers write them: read without a fault, relied on, anonymised."""

import json
from typing import Any

import pytest

import gangplan
from gangplan.cluster.anonymise import anonymise
from gangplan.cluster.instances import instance_of, tolerant
from gangplan.cluster.kinds import POD
from gangplan.cluster.listing import take
from gangplan.cluster.relied import changes, relied_on
from gangplan.cluster.world import World
from gangplan.datasets.plan_file import plan_document
from tests.cluster import devices as dra
from tests.cluster import workloads as make
from tests.cluster.live import Live

pytestmark = pytest.mark.cluster

FULL_SPEC: dict[str, Any] = {
    "activeDeadlineSeconds": 3600,
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {
                        "matchExpressions": [{"key": make.RACK, "operator": "Exists"}],
                        "matchFields": [
                            {"key": "metadata.name", "operator": "NotIn", "values": ["nobody"]}
                        ],
                    }
                ]
            },
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {
                    "weight": 1,
                    "preference": {
                        "matchExpressions": [{"key": "x", "operator": "Gt", "values": ["3"]}]
                    },
                }
            ],
        },
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {
                    "weight": 1,
                    "podAffinityTerm": {
                        "topologyKey": make.HOST,
                        "labelSelector": {"matchLabels": {"app": "x"}},
                        "namespaceSelector": {},
                    },
                }
            ]
        },
    },
    "automountServiceAccountToken": False,
    "dnsConfig": {"nameservers": ["192.0.2.1"]},
    "dnsPolicy": "None",
    "enableServiceLinks": False,
    "hostAliases": [{"ip": "192.0.2.2", "hostnames": ["h"]}],
    "hostname": "h",
    "imagePullSecrets": [{"name": "pull"}],
    "initContainers": [
        {
            "name": "side",
            "image": "example.invalid/s",
            "restartPolicy": "Always",
            "resources": {"requests": {"cpu": "100m"}},
            "startupProbe": {"exec": {"command": ["true"]}},
        }
    ],
    "os": {"name": "linux"},
    "readinessGates": [{"conditionType": "example.com/ready"}],
    "restartPolicy": "Never",
    "securityContext": {"runAsUser": 1000, "fsGroup": 1000},
    "setHostnameAsFQDN": False,
    "shareProcessNamespace": True,
    "subdomain": "s",
    "tolerations": [{"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}],
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": make.HOST,
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": "x"}},
        }
    ],
    "volumes": [{"name": "v", "emptyDir": {}}, {"name": "c", "configMap": {"name": "c"}}],
}


def fill(live: Live) -> None:
    """Create one of each kind that planning needs, with what a careful user could write."""
    version = live.served.group_version
    claims = {"gpu": dra.from_template("one")}
    shared = {"all": dra.from_template("one")}
    live.create(
        make.priority_class("urgent", 100),
        *make.racks(2, 2, gpus=2, memory="64Gi"),
        dra.device_class(selector='device.attributes["gpu.example.com"].model == "h"'),
        *(dra.gpus_of(f"n{i}", 2, model="h") for i in range(4)),
        dra.claim_template("one"),
        dra.claim("by-name"),
        make.budget("guard", {"app": "x"}, 1),
        make.pod_group(version, "run", 1, whole=True),
        make.pod("run-0", group="run", node="n0", gpus=1, labels={"app": "x"}),
        make.pod("theirs", node="n1", scheduler="default-scheduler"),
        make.pod("waits-there", scheduler="default-scheduler"),
        make.pod("full", labels={"app": "x"}, **FULL_SPEC),
        make.pod("own", claims=claims),
        make.pod("named", claims={"gpu": dra.named("by-name")}),
        *make.gang(version, "trainrun", 2, priority_class="urgent", claims=shared),
    )
    if version != make.OLD:
        live.create(*make.tree("forest", 1, {"a": 1, "b": 2}, topology=make.BLOCK))
    live.wait(lambda: all(_made(pod) for pod in live.all("Pod")))
    train = "default/trainrun"
    live.wait(lambda: live.get("PodGroup", train).get("status", {}).get("resourceClaimStatuses"))
    running = ("run-0", "theirs")
    live.wait(lambda: all(_phase(live, name) == "Running" for name in running))


def _phase(live: Live, name: str) -> str:
    return str(live.get("Pod", f"default/{name}")["status"]["phase"])


def _made(pod: dict[str, Any]) -> bool:
    """Whether the claims of a pod of no group are made."""
    entries = pod["spec"].get("resourceClaims") or ()
    alone = "schedulingGroup" not in pod["spec"]
    wanted = {e["name"] for e in entries if alone and "resourceClaimTemplateName" in e}
    made = {e["name"] for e in pod["status"].get("resourceClaimStatuses") or ()}
    return wanted <= made


def test_everything_is_read_planned_relied_on_and_anonymised(cluster: Live) -> None:
    fill(cluster)
    world = take(cluster.client, cluster.served)
    instance, aside = tolerant(world)
    assert aside == {}
    assert "default/waits-there" not in instance.names.pods
    assert not instance.names.held[instance.names.groups.index("default/trainrun")]
    result = gangplan.plan(instance, "exact")
    placed = {instance.names.pods[p] for p in (result.plan.node >= 0).nonzero()[0]}
    assert {"default/full", "default/own", "default/named", "default/trainrun-0"} <= placed
    document = json.loads(json.dumps(plan_document(instance, result)))
    entry = json.loads(json.dumps(relied_on(world, document)))
    assert entry["relied"]["Device"]
    again = take(cluster.client, cluster.served)
    assert changes(again, entry) == ()
    assert changes(_untrimmed(cluster, again), entry) == ()
    bare = anonymise(world)
    values = [(t.name, t.value) for t in gangplan.plan(instance_of(bare), "exact").tiers]
    assert values == [(t.name, t.value) for t in result.tiers]
    text = json.dumps(list(bare.documents()))
    assert not [name for name in ("forest", "trainrun", "run-0", "by-name", "example.invalid")
                if name in text]  # fmt: skip
    cluster.admin.patch("/api/v1/nodes/n0", {"spec": {"unschedulable": True}})
    cluster.admin.delete(POD.path_of("default/own"), {"gracePeriodSeconds": 0})
    found = changes(take(cluster.client, cluster.served), entry)
    assert "Pod default/own: it is not there any more" in found
    used = "n0" in entry["relied"]["Node"]
    assert ("Node n0: its taints changed" in found) == used


def _untrimmed(live: Live, world: World) -> World:
    """The same world as the server writes it."""
    full = {
        kind: [
            {"apiVersion": live.served[kind].api_version, "kind": kind, **obj}
            for obj in live.all(kind)
        ]
        for kind in world.objects
    }
    return world.with_objects(full)


def test_a_world_that_is_not_trimmed_gives_the_same_instance(cluster: Live) -> None:
    fill(cluster)
    world = take(cluster.client, cluster.served)
    assert instance_of(_untrimmed(cluster, world)).digest() == instance_of(world).digest()
