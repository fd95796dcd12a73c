"""Our allocations are those that the real kube-scheduler writes for the same devices."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from gangplan.cluster import claims
from gangplan.cluster.client import Object
from gangplan.cluster.errors import Changed
from gangplan.cluster.flight import Allocating, Flight
from gangplan.cluster.flights.allocation import allocation_of
from gangplan.cluster.world import World
from tests.cluster.devices import (
    DRIVER,
    claim,
    device,
    device_class,
    named,
    partitions_of,
    resource_slice,
)
from tests.cluster.live import Live
from tests.cluster.sites import site_of
from tests.cluster.workloads import RACK, node, pod
from tests.controlplane.plane import ControlPlane


@dataclass(frozen=True, slots=True)
class Case:
    """What a claim asks, and the devices there are."""

    requests: list[Object]
    slices: list[Object]
    config: list[Object] = field(default_factory=list)
    class_config: list[Object] = field(default_factory=list)
    labels: Mapping[str, str] = field(default_factory=dict)


def exactly(name: str = "main", **fields: Any) -> Object:
    return {"name": name, "exactly": {"deviceClassName": "gpu", **fields}}


def opaque(word: str, driver: str = DRIVER) -> Object:
    return {"opaque": {"driver": driver, "parameters": {"word": word}}}


def capacity(value: str, **policy: Any) -> Object:
    return {"value": value, **({"requestPolicy": policy} if policy else {})}


_TOLERATION = {"key": "example.com/old", "operator": "Exists"}
_TAINT = {"key": "example.com/old", "value": "yes", "effect": "NoSchedule"}
_SHARED = {
    "memory": capacity(
        "40Gi", default="1Gi", validRange={"min": "1Gi", "max": "8Gi", "step": "512Mi"}
    ),
    "cores": capacity("16", default="2", validValues=["2", "4", "8"]),
    "slots": capacity("100"),
    "lanes": capacity("64", default="4"),
    f"{DRIVER}/bandwidth": capacity("10G", default="1G", validRange={"min": "500M"}),
}  # fmt: skip
_WANTED = {"memory": "1300Mi", "cores": "3", "slots": "7", f"{DRIVER}/bandwidth": "1500M"}

CASES = {
    "exclusive": Case(
        [exactly(count=2, tolerations=[_TOLERATION])],
        [resource_slice("s", [device(f"gpu-{i}", taints=[_TAINT]) for i in range(2)], node="n0")],
    ),
    "several requests with configuration": Case(
        [exactly("one"), exactly("two"), exactly("three", deviceClassName="other")],
        [resource_slice("s", [device(f"gpu-{i}") for i in range(3)], node="n0")],
        config=[opaque("all"), {"requests": ["two"], **opaque("some")}],
        class_config=[opaque("of the class"), opaque("of the class too")],
    ),
    "an alternative": Case(
        [
            {
                "name": "any",
                "firstAvailable": [
                    {
                        "name": "best",
                        "deviceClassName": "gpu",
                        "selectors": [
                            {"cel": {"expression": f'device.attributes["{DRIVER}"].model == "b"'}}
                        ],
                    },
                    {
                        "name": "good",
                        "deviceClassName": "other",
                        "count": 2,
                        "tolerations": [_TOLERATION],
                    },
                ],
            },
            exactly("more"),
        ],
        [resource_slice("s", [device(f"gpu-{i}", model="a") for i in range(3)], node="n0")],
        config=[
            {"requests": ["any/best"], **opaque("unused")},
            {"requests": ["any/good"], **opaque("used")},
            {"requests": ["any"], **opaque("main")},
            {"requests": ["any", "more"], **opaque("both")},
        ],
        class_config=[opaque("of the class")],
    ),
    "shares": Case(
        [exactly(capacity={"requests": _WANTED}), exactly("default")],
        [
            resource_slice(
                "s", [device("gpu-0", allowMultipleAllocations=True, capacity={
                    **_SHARED, "slots": capacity("100", default="5")})], node="n0",
            )
        ],
    ),
    "a share without a policy": Case(
        [exactly(capacity={"requests": {"slots": "7"}})],
        [resource_slice("s", [device("g", allowMultipleAllocations=True, capacity=_SHARED)])],
    ),
    "reached through a network": Case(
        [exactly(count=3)],
        [
            resource_slice("s1", [device("a")], nodes={RACK: "r0"}),
            resource_slice("s2", [device("b")], nodes={RACK: "r0", "kubernetes.io/os": "linux"}),
            resource_slice("s3", [device("c")]),
        ],
    ),
    "reached by all": Case([exactly()], [resource_slice("s", [device("a")])]),
    "each device with nodes of its own": Case(
        [exactly(count=2)],
        [
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceSlice",
                "metadata": {"name": "s"},
                "spec": {
                    "driver": DRIVER,
                    "pool": {"name": "pool", "generation": 1, "resourceSliceCount": 1},
                    "perDeviceNodeSelection": True,
                    "devices": [
                        device("a", nodeName="n0"),
                        device("b", allNodes=True),
                    ],
                },
            }
        ],
    ),
    "parts of a card": Case([exactly(count=2)], partitions_of("n0", 10, {"half": 5, "third": 3})),
    "all there are": Case(
        [exactly(allocationMode="All")],
        [resource_slice("s", [device(f"gpu-{i}") for i in range(3)], node="n0")],
    ),
    "for administrators": Case(
        [exactly(adminAccess=True)],
        [resource_slice("s", [device("gpu-0")], node="n0")],
        labels={"resource.kubernetes.io/admin-access": "true"},
    ),
    "to be made ready, on its node": Case(
        [exactly()],
        [
            resource_slice(
                "s",
                [
                    device(
                        "gpu-0",
                        bindsToNode=True,
                        bindingConditions=["example.com/Attached"],
                        bindingFailureConditions=["example.com/Broken"],
                    )
                ],
            )
        ],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def kube_scheduler(plane: ControlPlane) -> Iterator[ControlPlane]:
    plane.start_scheduler()
    yield plane
    plane.end("kube-scheduler")


def rows_of(allocation: Object) -> list[Object]:
    keys = ("request", "driver", "pool", "device")
    return [{key: result[key] for key in keys} for result in allocation["devices"]["results"]]


def plain(allocation: Object, names: list[str]) -> Object:
    """Leave out what is new each time, and orders and words that say the same.

    1.36 writes all names of requests where 1.37 writes none, and one entry twice.
    """
    results = [
        {key: value for key, value in result.items() if key != "shareID"}
        for result in allocation["devices"]["results"]
    ]
    config: list[Object] = []
    for entry in allocation["devices"].get("config", ()):
        served = {name.partition("/")[0] for name in entry.get("requests", names)}
        if served == set(names):
            entry = {key: value for key, value in entry.items() if key != "requests"}
        if entry not in config:
            config.append(entry)
    results.sort(key=lambda result: (names.index(result["request"].partition("/")[0]), str(result)))
    return {
        "results": results, "config": config, "nodeSelector": allocation.get("nodeSelector")
    }  # fmt: skip


@pytest.mark.cluster
@pytest.mark.parametrize("name", CASES)
def test_an_allocation_is_the_one_kube_scheduler_writes(
    cluster: Live, kube_scheduler: ControlPlane, name: str
) -> None:
    case = CASES[name]
    space = f"space-{list(CASES).index(name)}"
    asked = claim("c", namespace=space)
    asked["spec"]["devices"] = {"requests": case.requests, "config": case.config}
    classes = [device_class("gpu"), device_class("other")]
    classes[0]["spec"]["config"] = case.class_config
    namespace = {"apiVersion": "v1", "kind": "Namespace"}
    cluster.create({**namespace, "metadata": {"name": space, "labels": dict(case.labels)}})
    cluster.create(node("n0", rack="r0"), *classes, *case.slices, asked)
    uses = {"c": named("c")}
    cluster.create(pod("p", namespace=space, claims=uses, scheduler="default-scheduler"))
    full = f"{space}/c"
    theirs = cluster.wait(lambda: _status(cluster, full).get("allocation"))
    assert theirs.pop("allocationTimestamp")

    cluster.admin.delete(f"/api/v1/namespaces/{space}/pods/p", {"gracePeriodSeconds": 0})
    cluster.wait(lambda: not _status(cluster, full).get("allocation"))
    site = site_of(cluster)
    world = site.world()
    now = cluster.get("ResourceClaim", full)
    ours = allocation_of(world, now, rows_of(theirs), "n0")
    (user,) = cluster.create(pod("q", namespace=space, claims=uses))
    uid = user["metadata"]["uid"]
    users = ({"resource": "pods", "name": "q", "uid": uid},)
    allocating = Allocating(full, now["metadata"]["uid"], ours, users)
    claims.allocate(site, Flight("key", 0, (), (), allocatings=(allocating,)))

    stored = _status(cluster, full)
    names = [request["name"] for request in case.requests]
    assert plain(stored["allocation"], names) == plain(theirs, names)
    assert plain(ours, names)["config"] == plain(theirs, names)["config"]
    assert stored["allocation"]["allocationTimestamp"]
    assert stored["reservedFor"] == [{"resource": "pods", "name": "q", "uid": uid}]
    shares = [result.get("shareID") for result in stored["allocation"]["devices"]["results"]]
    assert len(set(shares)) == len(shares) if "share" in name else not any(shares)


def _status(live: Live, full_name: str) -> Object:
    return dict(live.get("ResourceClaim", full_name).get("status") or {})


# -- what a plan may not say -----------------------------------------------------------------------


def world_of(*objects: Object) -> World:
    kinds: dict[str, list[Object]] = {}
    for obj in objects:
        kinds.setdefault(obj["kind"], []).append(obj)
    return World("uid", "v1.37.2", 0.0, "1", "gangplan", kinds)


def row(request: str = "main", name: str = "gpu-0", **fields: Any) -> Object:
    return {"request": request, "driver": DRIVER, "pool": "n0", "device": name, **fields}


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([row("other")], "has no request other"),
        ([row("main/sub")], "has no request main/sub"),
        ([row(name="gpu-7")], f"device {DRIVER}/n0/gpu-7 is not there any more"),
        ([], "request main gets no device"),
    ],
)
def test_rows_that_do_not_fit_the_claim_are_refused(rows: list[Object], sentence: str) -> None:
    world = world_of(device_class(), resource_slice("s", [device("gpu-0")], node="n0"))
    with pytest.raises(Changed, match=sentence):
        allocation_of(world, claim("c"), rows, "n0")


def test_a_share_that_is_not_what_was_planned_is_refused() -> None:
    shared = device("gpu-0", allowMultipleAllocations=True, capacity={"memory": capacity("8Gi")})
    world = world_of(device_class(), resource_slice("s", [shared], node="n0"))
    planned = row(consumed={f"{DRIVER}/memory": 8 * 2**30})
    made = allocation_of(world, claim("c"), [planned], "n0")
    assert made["devices"]["results"][0]["consumedCapacity"] == {"memory": "8Gi"}
    with pytest.raises(Changed, match="what it takes of memory of gpu-0 has changed"):
        allocation_of(world, claim("c"), [row(consumed={f"{DRIVER}/memory": 2**30})], "n0")


def test_devices_of_an_older_generation_are_not_there() -> None:
    new = resource_slice("new", [device("gpu-1")], node="n0")
    new["spec"]["pool"]["generation"] = 2
    world = world_of(device_class(), resource_slice("old", [device("gpu-0")], node="n0"), new)
    with pytest.raises(Changed, match="gpu-0 is not there any more"):
        allocation_of(world, claim("c"), [row()], "n0")


def test_a_class_that_is_gone_is_refused() -> None:
    world = world_of(resource_slice("s", [device("gpu-0")], node="n0"))
    with pytest.raises(Changed, match="DeviceClass gpu is not there any more"):
        allocation_of(world, claim("c"), [row()], "n0")
