"""matchAttribute and distinctAttribute: members, traits, devices without the attribute."""

from gangplan.models.instance import Instance
from tests.datasets.kubernetes.devices.claims import (
    Obj,
    asked,
    asks,
    claiming,
    device,
    device_class,
    first_of,
    fitting,
    host,
    notes,
    request,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import instance

ROOT = "resource.k8s.io/root"


def built_of(spec: Obj, *slices: Obj) -> Instance:
    nodes = [host("n1"), host("n2")]
    return instance(*nodes, device_class(), *slices, template(spec=spec), claiming("p", "t"))


def match(*requests: str, attribute: str = ROOT) -> list[Obj]:
    return [{"requests": list(requests), "matchAttribute": attribute}]


def rooted(name: str, value: object, key: str = ROOT) -> Obj:
    return device(name, attributes={key: value})


def test_a_rule_without_requests_binds_all_and_a_name_all_its_choices() -> None:
    requests = [request("q"), first_of("r", ("one", "gpu"), ("two", "gpu"))]
    for names, bound in ([], [0, 1, 2]), (["r"], [1, 2]), (["q", "r/two"], [0, 2]):
        built = built_of(asks(*requests, constraints=match(*names)))
        assert built.claims.member_choice.tolist() == bound


def test_values_are_equal_where_type_and_value_are() -> None:
    slices = slice_("s", rooted("a", "1"), rooted("b", 1), rooted("c", True), rooted("d", "1"))
    built = built_of(asks(request(count=2), constraints=match("r")), slices)
    a, b, c, d = built.devices.trait_value.tolist()
    assert a == d
    assert len({a, b, c}) == 3


def test_a_list_has_a_row_for_each_value() -> None:
    slices = slice_("s", rooted("a", ["red", "blue"]), rooted("b", "blue"))
    built = built_of(asks(request(), constraints=match("r")), slices)
    devices, values = built.devices.trait_device.tolist(), built.devices.trait_value.tolist()
    assert devices == [0, 0, 1]
    assert values[1] == values[2] != values[0]


def test_distinct_rules_are_told_from_matching_ones() -> None:
    constraints = [{"distinctAttribute": ROOT}, *match("r")]
    built = built_of(asks(request(), constraints=constraints), slice_("s", rooted("a", "x")))
    assert built.claims.rule_distinct.tolist() == [True, False]


def test_a_device_without_the_attribute_fits_no_choice_that_the_rule_binds() -> None:
    slices = slice_("s", rooted("a", "x"), rooted("b", "x", "root"), "c")
    requests = [request("q"), request("r", allocationMode="All")]
    built = built_of(asks(*requests, constraints=match("r")), slices)
    assert fitting(built, 0) == {"a", "b", "c"}
    assert (fitting(built, 1), asked(built, 1)) == ({"a"}, {"a", "b", "c"})
    assert notes(built, ROOT) == []


def test_a_node_without_any_device_that_has_it_is_told() -> None:
    slices = [
        slice_("s", rooted("gpu0", "x", "root")),
        slice_("t", rooted("gpu1", "x"), "gpu2", on="n2", pool="n2"),
    ]
    built = built_of(asks(request(), constraints=match("r")), *slices)
    (note,) = notes(built, ROOT)
    assert note == (
        "ResourceClaimTemplate lab/t: request r cannot be served on n1: no device there has"
        f" the attribute {ROOT} (gpu.example.com/n1/gpu0)"
    )


def test_a_value_that_a_list_has_twice_is_one() -> None:
    slices = slice_("s", rooted("a", ["red", "red"]))
    built = built_of(asks(request(), constraints=match("r")), slices)
    assert built.devices.trait_device.tolist() == [0]
