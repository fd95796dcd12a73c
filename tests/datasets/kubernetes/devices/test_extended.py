"""Extended resources that a DeviceClass stands for, served by devices."""

from typing import Any

from gangplan.models.instance import Instance
from tests.datasets.kubernetes.devices.claims import (
    Obj,
    claim,
    device_class,
    fitting,
    host,
    notes,
    result,
    slice_,
)
from tests.datasets.kubernetes.objects import held, instance, obj

NAME = "example.com/card"


def asking(name: str = "p", resource: str = NAME, count: int = 2, **status: Any) -> Obj:
    container = {"name": "c", "resources": {"limits": {resource: str(count)}}}
    made = obj("v1", "Pod", name, {"containers": [container]})
    return {**made, "status": status} if status else made


def built_of(*objects: Obj) -> Instance:
    return instance(host("n1"), slice_("s", "d0", "d1", "d2"), *objects)


def test_a_pod_claims_the_devices_of_the_class() -> None:
    built = built_of(device_class(extendedResourceName=NAME), asking())
    assert (held(built), fitting(built)) == ({}, {"d0", "d1", "d2"})
    assert built.claims.choice_count.tolist() == [2]
    assert built.names.own == ("<extended-resources>",)
    assert NAME not in built.names.resources
    assert built.can_use.tolist() == [[True]]


def test_every_class_may_be_asked_for_by_its_own_name() -> None:
    resource = "deviceclass.resource.kubernetes.io/gpu"
    built = built_of(device_class(), asking(resource=resource))
    assert (held(built), built.claims.choice_count.tolist()) == ({}, [2])


def test_a_class_that_does_not_exist_holds_the_pod() -> None:
    resource = "deviceclass.resource.kubernetes.io/lost"
    built = built_of(asking(resource=resource))
    (reason,) = held(built).values()
    resource = "deviceclass.resource.kubernetes.io/lost"
    assert reason == (
        f"extended resources {resource}: request request-0: DeviceClass lost does not exist"
    )


def test_a_node_that_offers_the_resource_itself_is_accounted_as_before() -> None:
    offers = host("n1", allocatable={NAME: "4"})
    built = instance(offers, device_class(extendedResourceName=NAME), asking())
    assert (len(built.claims.own_role), built.nodes.free.max(axis=0).tolist()) == (0, [4, 110])


def test_where_only_some_nodes_offer_it_only_those_are_used() -> None:
    nodes = [host("n1", allocatable={NAME: "4"}), host("n2")]
    gpus = slice_("s", "d0", on="n2", pool="n2")
    built = instance(*nodes, gpus, device_class(extendedResourceName=NAME), asking())
    assert built.can_use.tolist() == [[True, False]]
    assert notes(built, "only nodes that offer it")


def test_the_newest_class_stands_for_a_resource_and_then_the_first_by_name() -> None:
    def stands(*stamps: str | None) -> str:
        classes = []
        for name, stamp in zip("abc", stamps, strict=False):
            made = device_class(name, f'device.driver == "{name}"', extendedResourceName=NAME)
            if stamp:
                made["metadata"]["creationTimestamp"] = stamp
            classes.append(made)
        devices = [slice_(f"s{name}", f"d{name}", driver=name, pool=name) for name in "abc"]
        (found,) = fitting(instance(host("n1"), *classes, *devices, asking(count=1)))
        return found

    assert stands("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z") == "db"
    assert stands("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z") == "da"
    assert stands(None, "2026-01-01T00:00:00Z") == "db"
    assert stands(None, None) == "da"


def test_a_claim_that_the_scheduler_made_already_pins_the_pod() -> None:
    made = claim("made", owner=("Pod", "p"), allocated=[result("d0")], on="n1")
    status = {"resourceClaimName": "made", "requestMappings": []}
    built = built_of(
        device_class(extendedResourceName=NAME),
        asking(extendedResourceClaimStatus=status),
        made,
    )
    assert (held(built), built.names.shared) == ({}, ("lab/made",))
    assert built.can_use.tolist() == [[True]]


def test_names_of_classes_are_compared_as_texts() -> None:
    classes = [
        device_class(name, f'device.driver == "{name}"', extendedResourceName=NAME)
        for name in ("gpu-2", "gpu-10")
    ]
    devices = [slice_(f"s{n}", f"d{n}", driver=f"gpu-{n}", pool="n1") for n in (2, 10)]
    assert fitting(instance(host("n1"), *classes, *devices, asking(count=1))) == {"d10"}


def test_containers_add_up_and_an_init_container_may_have_theirs_before() -> None:
    """Kubernetes makes a request a container, of the same class: only their names differ."""

    def container(name: str, count: int, **fields: Any) -> Obj:
        return {"name": name, "resources": {"limits": {NAME: str(count)}}, **fields}

    spec = {
        "initContainers": [
            container("a", 2),
            container("sidecar", 1, restartPolicy="Always"),
            container("b", 4),
        ],
        "containers": [container("c", 1), container("d", 1)],
    }
    built = built_of(device_class(extendedResourceName=NAME), obj("v1", "Pod", "p", spec))
    assert built.claims.choice_count.tolist() == [5]  # b beside its sidecar
