"""Extended resources that a DeviceClass stands for."""

from typing import Any

from tests.datasets.kubernetes.objects import faults, held, instance, node, obj, pod

NAME = "example.com/npu"


def device_class(resource: Any = NAME, name: str = "npu") -> dict[str, Any]:
    return obj("resource.k8s.io/v1", "DeviceClass", name, {"extendedResourceName": resource})


def asking(name: str, **fields: Any) -> dict[str, Any]:
    request = {"containers": [{"name": "c", "resources": {"limits": {NAME: "1"}}}]}
    return pod(name, spec=request, **fields)


def test_a_resource_that_only_a_device_class_has_is_claimed_by_the_pods_that_ask_for_it() -> None:
    built = instance(node("n1"), device_class(), asking("p"), pod("q"))
    assert held(built) == {}
    assert [built.names.pods[k] for k in built.claims.own_role] == ["lab/p"]
    assert NAME not in built.names.resources


def test_nodes_that_offer_the_resource_themselves_are_used_with_a_note() -> None:
    offers = node("n1", allocatable={NAME: "2"})
    alone = instance(offers, device_class(), asking("p"))
    assert (held(alone), alone.names.notes) == ({}, ())
    built = instance(offers, node("n2"), device_class(), asking("p"))
    assert held(built) == {}
    (note,) = built.names.notes
    assert note.startswith(f"DeviceClass npu gives {NAME} too: only nodes that offer it")


def test_a_device_class_without_such_a_name_changes_nothing() -> None:
    built = instance(node("n1"), device_class(None), asking("p"))
    assert (held(built), built.names.notes) == ({}, ())


def test_the_order_of_two_classes_of_one_resource_changes_nothing() -> None:
    two = [device_class(), device_class(name="other")]
    first = instance(node("n1"), *two, asking("p"))
    assert first.digest() == instance(node("n1"), *two[::-1], asking("p")).digest()


def test_a_name_that_is_no_text_is_refused() -> None:
    (fault,) = faults(device_class(5))
    assert "DeviceClass lab/npu: spec.extendedResourceName: text expected" in fault
