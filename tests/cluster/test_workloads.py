"""The objects of the tests are accepted by the server as they are written, field by field."""

import pytest

from tests.cluster import devices, workloads
from tests.cluster.live import Live
from tests.cluster.workloads import Object

pytestmark = pytest.mark.cluster


def test_the_server_keeps_every_field_of_nodes_groups_and_pods(cluster: Live) -> None:
    version = cluster.served.group_version
    head, *members = workloads.gang(
        version, "g", 2, minimum=1, priority_class="high", gpus=1, labels={"app": "a"},
        group={"topology": workloads.RACK, "whole": True, "workload": "w"},
    )  # fmt: skip
    objects: list[Object] = [
        *workloads.racks(2, 2, gpus=4),
        workloads.priority_class("high", 1000),
        workloads.budget("few", {"app": "a"}, 1),
        workloads.workload(version, "w", head["spec"]),
        head,
        *members,
    ]
    for made, asked in zip(cluster.create(*objects), objects, strict=True):
        assert not _missing(made, asked)


def test_the_server_keeps_every_field_of_devices_and_claims(cluster: Live) -> None:
    version = cluster.served.group_version
    shared = {"fabric": devices.from_template("one")}
    objects: list[Object] = [
        devices.device_class(),
        devices.gpus_of("n0", 4, model="a"),
        devices.resource_slice("fabric", [devices.device("f")], nodes={workloads.RACK: "r0"}),
        *devices.partitions_of("n1", 8, {"whole": 8, "half-0": 4, "half-1": 4}),
        devices.claim("c", 2, selector='device.attributes["gpu.example.com"].model == "a"'),
        devices.claim_template("one"),
        *workloads.gang(version, "g", 2, claims=shared),
        workloads.pod("p", claims={"c": devices.named("c")}),
    ]
    for made, asked in zip(cluster.create(*objects), objects, strict=True):
        assert not _missing(made, asked)
    cluster.wait(lambda: len(cluster.all("ResourceClaim")) == 2)


@pytest.mark.versions("1.37")
def test_the_server_keeps_every_field_of_a_tree_and_of_a_job_that_asks(cluster: Live) -> None:
    objects: list[Object] = [
        *workloads.tree("t", 2, {"a": 2, "b": 1}, topology=workloads.BLOCK, inner=workloads.RACK),
        workloads.job("j", 3, minimum=2, topology=workloads.RACK),
    ]
    for made, asked in zip(cluster.create(*objects), objects, strict=True):
        assert not _missing(made, asked)
    cluster.wait(lambda: len(cluster.all("PodGroup")) == 3)
    group = next(g for g in cluster.all("PodGroup") if g["metadata"]["name"].startswith("j-"))
    assert group["spec"]["schedulingPolicy"] == {"gang": {"minCount": 2}}
    cluster.wait(lambda: len(cluster.all("Pod")) == 6)
    assert {pod["spec"]["schedulerName"] for pod in cluster.all("Pod")} == {"gangplan"}


@pytest.mark.versions("1.36")
def test_an_indexed_job_is_a_gang_on_1_36(cluster: Live) -> None:
    cluster.create(workloads.job("j", 3))
    (group,) = cluster.wait(lambda: cluster.all("PodGroup"))
    assert group["spec"]["schedulingPolicy"] == {"gang": {"minCount": 3}}


def _missing(made: Object, asked: object, at: str = "") -> list[str]:
    """Fields that were asked for and are not there any more, or are another way."""
    if isinstance(asked, dict):
        inner = made if isinstance(made, dict) else {}
        return [m for k, v in asked.items() for m in _missing(inner.get(k), v, f"{at}.{k}")]  # type: ignore[arg-type]
    if isinstance(asked, list):
        if not isinstance(made, list) or len(made) < len(asked):
            return [f"{at}: {made}"]
        return [m for i, v in enumerate(asked) for m in _missing(made[i], v, f"{at}[{i}]")]
    return [] if made == asked else [f"{at}: {made!r} for {asked!r}"]
