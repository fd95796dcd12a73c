"""A small cluster with every object of resource.k8s.io, in any of its versions."""

from copy import deepcopy
from typing import Any

from tests.datasets.kubernetes.devices.claims import (
    DRIVER,
    Obj,
    asks,
    by_name,
    claim,
    claiming,
    claiming_gang,
    counters,
    device,
    device_class,
    draws,
    first_of,
    generated,
    host,
    request,
    result,
    slice_,
    taint_rule,
    template,
)

ENTRY = {"name": "c", "resourceClaimTemplateName": "t"}
RANGE = {"default": "1Gi", "validRange": {"min": "1Gi", "max": "40Gi", "step": "1Gi"}}


def slices() -> list[Obj]:
    shared = device(
        "shared",
        allowMultipleAllocations=True,
        attributes={"model": "a", "roots": ["x", "y"]},
        capacity={"memory": {"value": "80Gi", "requestPolicy": RANGE}},
        consumesCounters=draws(mode="500m"),
    )
    plain = device(
        "plain",
        attributes={"model": "b", "index": 3},
        consumesCounters=draws(mode="1"),
        taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}],
    )
    return [
        counters("c", mode="3"),
        slice_("s", shared, plain, "free", slices=2),
        slice_("z", "z0", "z1", on=["n1", "n2"], pool="zone"),
        slice_("p", {"name": "q", "nodeName": "n2"}, pool="each", perDeviceNodeSelection=True),
    ]


def claims() -> list[Obj]:
    tolerant = request(
        "r",
        "gpu",
        f'device.attributes["{DRIVER}"].?model.orValue("") == "a"',
        tolerations=[{"operator": "Exists"}],
        capacity={"requests": {"memory": "500m"}},
    )
    same = {"matchAttribute": f"{DRIVER}/model", "requests": ["r", "f/a"]}
    either = first_of("f", ("a", "gpu"), ("b", "any"))
    share: dict[str, Any] = {"consumedCapacity": {f"{DRIVER}/memory": "1Gi"}, "shareID": "x"}
    return [
        device_class(),
        device_class("any", "true", extendedResourceName="example.com/card"),
        template(spec=asks(tolerant, either, constraints=[same])),
        template("u", asks(request("r", "any", allocationMode="All"))),
        claim("c1"),
        claim("c2", allocated=[result("plain")], on="n1", reserved=["old"]),
        claim("g-c", owner=("PodGroup", "g"), allocated=[result("shared", **share)], on="n1"),
        taint_rule(selector={"driver": DRIVER, "device": "z0"}),
    ]


def users() -> list[Obj]:
    group = claiming_gang("g", 1, ENTRY)
    group["status"] = generated("g-c")
    return [
        host("n1"),
        host("n2"),
        group,
        claiming("g-0", ENTRY, group="g"),
        claiming("p0", "u"),
        claiming("p1", by_name("c1")),
        claiming("p2", by_name("c2")),
        claiming("p3", "t"),
        claiming("old", by_name("c2"), on="n1", uid="old"),
    ]


def world(version: str = "v1") -> list[Obj]:
    return [*users(), *(of_version(one, version) for one in (*slices(), *claims()))]


def of_version(one: Obj, version: str) -> Obj:
    """The same object as another version of resource.k8s.io writes it."""
    made = deepcopy(one)
    made["apiVersion"] = f"resource.k8s.io/{version}"
    spec: Any = made["spec"]
    if made["kind"] == "DeviceTaintRule":
        made["apiVersion"] = "resource.k8s.io/" + version.replace("v1beta1", "v1alpha3")
    if version != "v1beta1":
        return made
    if made["kind"] == "ResourceSlice":
        for entry in spec.get("devices") or ():
            entry["basic"] = {key: entry.pop(key) for key in list(entry) if key != "name"}
    if made["kind"].startswith("ResourceClaim"):
        for entry in spec.get("spec", spec)["devices"]["requests"]:
            entry.update(entry.pop("exactly", {}))
    return made
