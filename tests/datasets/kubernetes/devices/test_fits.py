"""Selectors of classes and requests, and what a failure on a device bars."""

from gangplan.models.instance import Instance
from tests.datasets.kubernetes.devices.claims import (
    DRIVER,
    Obj,
    asked,
    asks,
    barred,
    claim,
    claiming,
    device,
    device_class,
    first_of,
    fitting,
    host,
    notes,
    request,
    result,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import gang, held, instance, pod

IS_H100 = f'device.attributes["{DRIVER}"].model == "h100"'


T = "ResourceClaimTemplate lab/t"


def models(name: str, *names: str, on: str | list[str] = "n1") -> Obj:
    """A slice with a device of each model; without one where it is empty."""
    devices = [
        device(f"{name}-{n}", attributes={"model": model} if model else {})
        for n, model in enumerate(names)
    ]
    return slice_(name, *devices, on=on, pool=name)


def built_of(spec: Obj, *objects: Obj, classes: list[Obj] | None = None) -> Instance:
    nodes = [host("n1"), host("n2"), host("n3")]
    classes = [device_class()] if classes is None else classes
    return instance(*nodes, *classes, template(spec=spec), claiming("p", "t"), *objects)


def test_class_and_request_must_both_match() -> None:
    nic = slice_("nics", "nic", driver="nic.example.com")
    built = built_of(asks(request("r", "gpu", IS_H100)), models("a", "h100", "l4"), nic)
    assert fitting(built) == {"a-0"}


def test_all_selectors_must_match() -> None:
    spec = asks(request("r", "gpu", IS_H100, IS_H100.replace("h100", "l4")))
    assert fitting(built_of(spec, models("a", "h100", "l4"))) == set()


def test_a_failure_bars_the_nodes_that_reach_the_device() -> None:
    spec = asks(request("r", "gpu", IS_H100))
    built = built_of(spec, models("a", "h100", ""), models("b", "h100", on="n2"))
    assert (fitting(built), barred(built)) == ({"a-0", "b-0"}, {"n1"})
    (note,) = notes(built, "request r")
    assert note == (
        "ResourceClaimTemplate lab/t: request r is not served on n1: no such key: model"
        " (gpu.example.com/a/a-1)"
    )


def test_a_failure_on_a_device_of_a_zone_bars_all_of_the_zone() -> None:
    built = built_of(asks(request("r", "gpu", IS_H100)), models("a", "", on=["n1", "n3"]))
    assert barred(built) == {"n1", "n3"}


def test_nobody_is_asked_about_a_device_in_use_but_for_all_and_admin_access() -> None:
    held = claim(allocated=[result("a-1", pool="a")], on="n1")
    devices = models("a", "h100", "")
    for fields, where in (
        ({}, set()),
        ({"allocationMode": "All"}, {"n1"}),
        ({"adminAccess": True}, {"n1"}),
    ):
        wanted = asks(request("r", "gpu", IS_H100, **fields))
        assert barred(built_of(wanted, devices, held)) == where
        assert barred(built_of(wanted, devices)) == {"n1"}


def test_a_failure_bars_the_nodes_of_every_device_of_its_slice() -> None:
    """As in Kubernetes: selectors come before the nodes of each device."""
    good = device("d0", attributes={"model": "h100"}, nodeName="n1")
    bare = device("d1", nodeName="n2")
    wanted = asks(request("r", "gpu", IS_H100))
    one = slice_("a", good, bare, pool="a", perDeviceNodeSelection=True)
    assert barred(built_of(wanted, one)) == {"n1", "n2"}
    two = [
        slice_(name, entry, pool="a", slices=2, perDeviceNodeSelection=True)
        for name, entry in (("a", good), ("b", bare))
    ]
    assert barred(built_of(wanted, *two)) == {"n2"}


def test_a_shared_device_in_use_is_asked_about() -> None:
    both = slice_("a", device("d0", allowMultipleAllocations=True), pool="a")
    held = claim(allocated=[result("d0", pool="a", shareID="x")], on="n1")
    assert barred(built_of(asks(request("r", "gpu", IS_H100)), both, held)) == {"n1"}


def test_a_device_that_the_class_turns_down_is_not_asked_further() -> None:
    nic = slice_("nics", "nic", driver="nic.example.com")
    built = built_of(asks(request("r", "gpu", IS_H100)), nic, models("a", "h100"))
    assert barred(built) == set()


def test_a_failure_bars_later_choices_of_the_request_and_not_earlier_ones() -> None:
    classes = [
        device_class(),
        device_class("h100", IS_H100),
        device_class("any"),
    ]
    spec = asks(first_of("r", ("one", "gpu"), ("two", "h100"), ("three", "any")), request("q"))
    built = built_of(spec, models("a", "h100", ""), classes=classes)
    assert [barred(built, b) for b in range(4)] == [set(), {"n1"}, {"n1"}, set()]
    assert built.names.choices == ("r/one", "r/two", "r/three", "q")


def test_a_class_that_does_not_exist_holds_the_group_and_no_other() -> None:
    spec = asks(request("r", "lost"))
    built = built_of(spec, gang("g", 1), pod("q", "g"), models("a", "h100"))
    assert held(built) == {"lab/p": f"{T}: request r: DeviceClass lost does not exist"}
    assert len(built.claims.own_role) == 0


def test_one_lost_class_among_alternatives_holds_the_group() -> None:
    built = built_of(asks(first_of("r", ("one", "gpu"), ("two", "lost"))))
    assert held(built) == {"lab/p": f"{T}: request r/two: DeviceClass lost does not exist"}


def test_an_expression_that_cannot_be_compiled_holds_the_group() -> None:
    wrong = built_of(asks(request("r", "gpu", "device.!!")))
    (reason,) = held(wrong).values()
    assert reason.startswith(f"{T}: request r: selectors[0]: 1:8: Syntax error")
    classes = [device_class("gpu", "device.!!")]
    (reason,) = held(built_of(asks(request("r")), classes=classes)).values()
    assert reason.startswith(f"{T}: DeviceClass gpu: selectors[0]: 1:8: Syntax error")


def test_more_than_32_devices_hold_the_group() -> None:
    spec = asks(request("q", count=20), request("r", count=13))
    built = built_of(spec)
    assert held(built) == {"lab/p": f"{T}: a claim asks for 33 devices, 32 are allowed"}
    assert held(built_of(asks(request("q", count=20), request("r", count=12)))) == {}


def test_only_the_smallest_alternative_counts_towards_32() -> None:
    few = first_of("r", ("one", "gpu"), ("two", "gpu"))
    few["firstAvailable"][0]["count"] = 40
    assert held(built_of(asks(few, request("q", count=31)))) == {}


def test_derived_attributes_are_not_honoured_and_may_be_ignored() -> None:
    derived = [{"name": "a.example.com/x", "expression": "1"}]
    objects = [host("n1"), device_class(), models("a", "h100")]
    objects += [template(spec=asks(request(derivedAttributes=derived))), claiming("p", "t")]
    (reason,) = held(instance(*objects)).values()
    assert reason.startswith("unsupported ")
    assert reason.endswith("derivedAttributes")
    built = instance(*objects, ignore_unsupported=True)
    assert (held(built), fitting(built)) == ({}, {"a-0"})


def test_an_exact_count_asks_what_fits() -> None:
    built = built_of(asks(), models("a", "h100", "l4"))
    assert asked(built) == fitting(built) == {"a-0", "a-1"}
