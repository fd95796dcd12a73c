"""Names and secrets are gone, and a plan has the same values."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

import gangplan
from examples.make_cluster.listing import cluster as example
from gangplan.cluster.anonymise import anonymise
from gangplan.cluster.instances import instance_of
from gangplan.cluster.world import World
from gangplan.datasets.kubernetes.objects.annotations import ROLE_LABEL
from gangplan.models.instance import Instance
from tests.cluster.paper.worlds import OURS, changed, world
from tests.datasets.kubernetes.cluster import objects
from tests.datasets.kubernetes.devices.claims import (
    asks,
    claim,
    device,
    device_class,
    request,
    slice_,
    template,
)
from tests.datasets.kubernetes.devices.world import world as device_objects
from tests.datasets.kubernetes.objects import basic, gang, node, obj, pod, pods

SECRET = "hunter2-sekret"


def ours(found: list[dict[str, Any]]) -> World:
    """Everything as pods of ours; kinds that no snapshot has are left out."""
    kept = [one for one in found if one["kind"] not in ("Job", "ConfigMap", "Workload")]
    kept = [one for one in kept if not one["apiVersion"].startswith("scheduling.x-k8s.io")]
    for one in kept:
        if one["kind"] == "Pod":
            one["spec"]["schedulerName"] = "gangplan"
    return world(*kept)


def generated(seed: int) -> World:
    """A small world of everything, with names that differ from one another and sort oddly."""
    rng = random.Random(seed)
    taint = {"key": "corp.test/team", "value": "physics", "effect": "NoSchedule"}
    racks = rng.sample(["alpha", "beta-2", "beta-10", "gamma"], 3)
    nodes = [
        node(
            f"worker-{n}.corp",
            rng.choice([1, 2, 4]),
            labels={
                "corp.test/rack": rng.choice(racks),
                "corp.test/zone-id": str(rng.randint(1, 9)),
            },
            spec={"taints": [taint]} if rng.random() < 0.2 else {},
        )
        for n in rng.sample(range(20), 6)
    ]
    team = {"tolerations": [{"key": "corp.test/team", "operator": "Equal", "value": "physics"}]}
    far = {"nodeSelector": {"corp.test/rack": rng.choice(racks)}}
    above = {"key": "corp.test/zone-id", "operator": "Gt", "values": ["4"]}
    term = {"nodeSelectorTerms": [{"matchExpressions": [above]}]}
    high = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": term}}}
    found: list[dict[str, Any]] = [obj("scheduling.k8s.io/v1", "PriorityClass", "urgent-corp")]
    found[0] |= {"value": 7}
    del found[0]["metadata"]["namespace"]
    for g in range(rng.randint(2, 4)):
        name, least = f"train-{rng.randint(1, 99)}-{g}", rng.randint(1, 3)
        spec: dict[str, Any] = {"schedulingConstraints": {"topology": [{"key": "corp.test/rack"}]}}
        if rng.random() < 0.5:
            spec |= {"priorityClassName": "urgent-corp", "priority": 7}
        extra: dict[str, Any] = rng.choice([{}, team, far, high])
        notes = {"gangplan.io/role-minimum": "boss=1"} if rng.random() < 0.3 else {}
        found.append(gang(name, least, spec=spec, annotations=notes))
        role = {ROLE_LABEL: "boss"} if notes else {}
        found += pods(name, least + rng.randint(0, 2), spec=OURS | extra, labels=role)
    for n, on in enumerate(rng.sample(nodes, 3)):
        label = {"corp.test/app": rng.choice(["portal", "db"])}
        name = on["metadata"]["name"]
        found.append(pod(f"runs-{n}", on=name, spec=OURS, labels=label, namespace="prod"))
    selector = {"matchLabels": {"corp.test/app": "portal"}}
    budget = obj("policy/v1", "PodDisruptionBudget", "guard-corp", {"selector": selector})
    budget["metadata"]["namespace"] = "prod"
    budget["spec"]["minAvailable"] = 1
    return world(*nodes, *found, budget)


def with_devices(seed: int) -> World:
    """Devices that selectors tell apart by text, by part of a text, by number and by version."""
    rng = random.Random(seed)
    models = ["H100-corp", "A100-corp", "L4-corp"]
    hosts = ["rack-a-1", "rack-a-2"]
    slices = [
        slice_(
            f"slice-of-{host}",
            *(
                device(
                    f"card-{n}",
                    attributes={
                        "model": rng.choice(models),
                        "uuid": f"{SECRET}-{host}-{n}",
                        "index": n,
                        "numa": rng.choice(["left-corp", "right-corp"]),
                    },
                )
                for n in range(3)
            ),
            on=host,
            pool=host,
        )
        for host in hosts
    ]
    exact = 'device.attributes["gpu.example.com"].model == "H100-corp"'
    part = 'device.attributes["gpu.example.com"].model.startsWith("A1")'
    wishes = [
        asks(request("card", "cards", exact)),
        asks(request("card", "cards", part)),
        asks(
            request("card", "cards", count=2),
            constraints=[{"matchAttribute": "gpu.example.com/numa"}],
        ),
    ]
    found: list[dict[str, Any]] = []
    for n in range(4):
        name = f"job-{n}-corp"
        spec = OURS | {"resourceClaims": [{"name": "dev", "resourceClaimName": f"{name}-dev"}]}
        found += [claim(f"{name}-dev", rng.choice(wishes)), pod(name, gpus=0, spec=spec)]
    held = [
        {"request": "card", "driver": "gpu.example.com", "pool": "rack-a-1", "device": "card-0"}
    ]
    taken = claim("taken-corp", wishes[2], held, on="rack-a-1", reserved=["uid-of-user"])
    return world(
        *(node(host, 0) for host in hosts), *slices, device_class("cards"), *found, taken,
        template("unused-corp", wishes[0]),
    )  # fmt: skip


def tiers(instance: Instance) -> list[tuple[str, int, bool]]:
    """Values of a plan, and that they are proven."""
    result = gangplan.plan(instance, "exact")
    return [(tier.name, tier.value, tier.proven) for tier in result.tiers]


WORLDS = [
    *(pytest.param(generated(seed), id=f"generated-{seed}") for seed in range(12)),
    *(pytest.param(with_devices(seed), id=f"devices-{seed}") for seed in range(6)),
    pytest.param(ours(objects()), id="everything"),
    pytest.param(ours(device_objects()), id="every-device"),
    pytest.param(ours(example()["items"]), id="example"),
]


@pytest.mark.parametrize("original", WORLDS)
def test_a_plan_has_the_same_values(original: World) -> None:
    before, after = instance_of(original), instance_of(anonymise(original))
    assert before.n_pods
    assert tiers(before) == tiers(after)
    assert before.groups.held.tolist() == after.groups.held.tolist()
    assert len(before.running) == len(after.running)
    assert before.nodes.free.tolist() == after.nodes.free.tolist()


def names(value: Any, key: str = "") -> Iterator[str]:
    """Names, label values and the like: all texts of fields that hold any."""
    if isinstance(value, dict):
        for inner, one in value.items():
            if key in ("labels", "matchLabels", "nodeSelector") and isinstance(one, str):
                yield one
            else:
                yield from names(one, inner)
    elif isinstance(value, list):
        for one in value:
            yield from names(one, key)
    elif isinstance(value, str) and (key in ("value", "name", "uid") or key.endswith("Name")):
        yield value


KEPT = {"gangplan", "Exists", "kubernetes.io/hostname", "linux"}
IN_KEYS = {"ports"}
"""A value that occurs in the name of a field."""


@pytest.mark.parametrize(
    "original", [*(generated(seed) for seed in range(6)), ours(example()["items"])]
)
def test_no_name_and_no_label_value_occurs_in_the_file(original: World) -> None:
    text = json.dumps(list(anonymise(original).documents()))
    words = set(text.replace('"', " ").replace("/", " ").split())
    kinds = list(original.objects)
    found = set(names([obj for kind in kinds for obj in original.objects[kind]]))
    secret = {one for one in found if not one.isdigit() and "/" not in one} - KEPT - IN_KEYS
    secret = {one for one in secret if not one.startswith("system-")}
    assert len(secret) > 20
    left = {one for one in secret if one in words or (len(one) > 5 and one in text)}
    assert not left


@pytest.mark.parametrize("original", [generated(seed) for seed in range(6)])
def test_no_domain_of_the_user_occurs_in_the_file(original: World) -> None:
    assert "corp.test/" in json.dumps(list(original.documents()))
    assert "corp.test" not in json.dumps(list(anonymise(original).documents()))


def test_keys_of_labels_are_the_same_wherever_a_rule_reads_them() -> None:
    key = "corp.test/rack"
    seek = {"matchExpressions": [{"key": key, "operator": "Exists"}]}
    field = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    far = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [seek, field]}}
    spread = {"topologyKey": key, "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"}
    spec = OURS | {
        "nodeSelector": {key: "r"},
        "affinity": {"nodeAffinity": far},
        "topologySpreadConstraints": [{**spread, "matchLabelKeys": [key]}],
    }
    notes = {"gangplan.io/required-topology": key}
    after = anonymise(world(node("n1", labels={key: "r"}), pod("p", spec=spec, annotations=notes)))
    (at,) = after.objects["Node"]
    (mine,) = (name for name in at["metadata"]["labels"] if name.startswith("x"))
    told = json.dumps(after.objects["Pod"])
    assert key not in told
    assert told.count(f'"{mine}"') == 5
    assert '"metadata.name"' in told


def test_what_only_containers_and_drivers_know_is_dropped() -> None:
    holder = pod("p", spec=OURS)
    holder["metadata"]["annotations"] = {"corp.test/owner": SECRET}
    holder["metadata"]["labels"] = {"corp.test/cost-center": SECRET}
    holder["metadata"]["managedFields"] = [{"manager": SECRET}]
    told = {"type": SECRET, "status": "True", "reason": SECRET, "message": SECRET}
    holder["status"] = {"conditions": [told, {"type": "Ready", "status": "False"}]}
    holder["spec"]["containers"][0] |= {
        "image": SECRET,
        "args": [SECRET],
        "command": [SECRET],
        "env": [{"name": SECRET, "value": SECRET}],
        "ports": [{"containerPort": 80, "name": SECRET}],
    }
    holder["spec"]["volumes"] = [{"name": "v", "secret": {"secretName": SECRET}}]
    tied = pod("q", spec=OURS)
    tied["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": SECRET}}]
    opaque = [{"opaque": {"driver": "gpu.example.com", "parameters": {SECRET: SECRET}}}]
    wish = asks(request())
    wish["devices"]["config"] = opaque
    data = claim("c", wish, [{"request": "r", "driver": "d.io", "pool": "p", "device": "d"}])
    data["status"]["devices"] = [
        {"driver": "d.io", "pool": "p", "device": "d", "data": {SECRET: 1}}
    ]
    original = world(
        node("n1", labels={"corp.test/unread": SECRET}),
        holder,
        tied,
        data,
        device_class("gpu", "true", config=opaque),
        slice_("s", device("d", attributes={"serial": SECRET})),
    )
    assert SECRET not in json.dumps(list(anonymise(original).documents()))


def test_the_same_world_gives_the_same_names_in_the_same_order() -> None:
    original = world(*(node(name) for name in ("n10", "n9", "m")), node("n9-a"))
    one, two = anonymise(original), anonymise(original)
    assert json.dumps(list(one.documents())) == json.dumps(list(two.documents()))
    before, after = instance_of(original), instance_of(one)
    order = [original.objects["Node"].index(original.find("Node", n)) for n in before.names.nodes]
    assert [one.objects["Node"][i]["metadata"]["name"] for i in order] == list(after.names.nodes)


def test_pods_of_others_stay_those_of_others() -> None:
    original = world(
        node("n1"), pod("a", spec=OURS), pod("b"), pod("c", spec={"schedulerName": "x"})
    )
    after = anonymise(original)
    names_of = [one["spec"].get("schedulerName") for one in after.objects["Pod"]]
    assert names_of[0] == after.scheduler == "gangplan"
    assert names_of[1] is None
    assert names_of[2] not in ("x", "gangplan")
    assert instance_of(after).n_pods == 1


def test_references_still_lead_to_their_objects() -> None:
    claims = [{"name": "gpu", "resourceClaimTemplateName": "t"}]
    group = gang("g", 1, spec={"resourceClaims": claims})
    group["status"] = {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "g-gpu"}]}
    member = pod("g-0", "g", gpus=0, spec=OURS | {"resourceClaims": claims})
    made = claim("g-gpu", owner=("PodGroup", "g"))
    original = world(
        node("n1"), device_class(), slice_("s", "d1"), template("t"), group, member, made,
        basic("other"), pod("other-0", "other", spec=OURS),
    )  # fmt: skip
    before, after = instance_of(original), instance_of(anonymise(original))
    assert not before.groups.held.any()
    assert not after.groups.held.any()
    broken = changed(original, "ResourceClaim", "g-gpu", metadata__name="lost")
    assert instance_of(anonymise(broken)).groups.held.any()
