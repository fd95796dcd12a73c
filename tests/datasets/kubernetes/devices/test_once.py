"""A request never gets one device twice, not even one that allows multiple allocations."""

import pytest

from gangplan.api import plan, verify
from gangplan.models.instance import Instance
from tests.datasets.kubernetes.devices.claims import (
    Obj,
    asks,
    claiming,
    device,
    device_class,
    host,
    request,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import instance

PLANNERS = [("exact", "counts"), ("exact", "assignment"), ("greedy",)]


def card(name: str) -> Obj:
    return device(name, allowMultipleAllocations=True, capacity={"m": "8"})


def built_of(*requests: Obj, pods: int = 1) -> Instance:
    """One card on n1, two on n2."""
    slices = [
        slice_("s", card("a0")),
        slice_("t", card("b0"), card("b1"), on="n2", pool="n2"),
    ]
    users = [claiming(f"p-{n}", "t") for n in range(pods)]
    return instance(
        host("n1"), host("n2"), device_class(), *slices, template(spec=asks(*requests)), *users
    )


def placed(built: Instance, planner: str, formulation: str = "") -> list[tuple[str, list[str]]]:
    """Node and devices of each placed pod."""
    result = plan(built, planner, formulation=formulation)
    assert verify(built, result.plan) == ()
    names, given = built.names, result.plan.allocations
    return [
        (names.nodes[n], sorted(names.devices[i][-2:] for i in given.device[given.pod == p]))
        for p, n in enumerate(result.plan.node.tolist())
        if n >= 0
    ]


ONE: Obj = {"capacity": {"requests": {"m": "1"}}}


@pytest.mark.parametrize("planner", PLANNERS)
def test_two_of_one_request_are_two_devices(planner: tuple[str, ...]) -> None:
    built = built_of(request(count=2, **ONE), pods=3)
    assert placed(built, *planner) == [("n2", ["b0", "b1"])] * 3


@pytest.mark.parametrize("planner", PLANNERS)
def test_three_of_one_request_are_nowhere(planner: tuple[str, ...]) -> None:
    assert placed(built_of(request(count=3, **ONE)), *planner) == []


@pytest.mark.parametrize("planner", PLANNERS)
def test_two_requests_may_have_the_same_device(planner: tuple[str, ...]) -> None:
    built = built_of(*(request(name, **ONE) for name in "qrs"), pods=2)
    assert all(len(devices) == 3 for _, devices in placed(built, *planner))
    assert len(placed(built, *planner)) == 2


def test_devices_that_serve_once_are_compared_with_nothing() -> None:
    plain = slice_("s", "d0", "d1")
    spec = asks(request(count=2))
    built = instance(host("n1"), device_class(), plain, template(spec=spec), claiming("p", "t"))
    assert (built.names.attributes, len(built.devices.trait_device)) == ((), 0)


def test_one_device_and_all_devices_need_no_rule() -> None:
    for wanted in (request(**ONE), request(allocationMode="All", **ONE)):
        assert built_of(wanted).names.attributes == ()
    assert built_of(request(count=2, adminAccess=True)).names.attributes == ()
