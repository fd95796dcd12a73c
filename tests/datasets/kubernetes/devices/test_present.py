"""Allocations that name devices which no current slice has: their users wait, and only these."""

import pytest

from gangplan.models.instance import Instance
from tests.datasets.kubernetes.devices.claims import (
    Obj,
    by_name,
    claim,
    claiming,
    device_class,
    host,
    result,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import held, instance


def built_of(*objects: Obj) -> Instance:
    pods = claiming("fine", "t"), claiming("p", by_name())
    return instance(host("n1"), device_class(), template(), *pods, *objects)


@pytest.mark.parametrize(
    ("devices", "said"),
    [
        (["d0"], ""),
        (["gone"], "gpu.example.com/n1/gone"),
        (["d0", "gone-10", "gone-2"], "gpu.example.com/n1/gone-2 and 1 more"),
        (["old"], "gpu.example.com/n1/old"),
    ],
)
def test_users_of_a_lost_device_wait_and_say_why(devices: list[str], said: str) -> None:
    slices = slice_("a", "old"), slice_("b", "d0", "d1", generation=2)
    built = built_of(*slices, claim(allocated=[result(name) for name in devices], on="n1"))
    reason = f"ResourceClaim lab/c has {said}, which no ResourceSlice has"
    assert held(built) == ({"lab/p": reason} if said else {})


def test_devices_of_an_incomplete_pool_are_there() -> None:
    built = built_of(slice_("a", "d0", slices=2), claim(allocated=[result("d0")], on="n1"))
    assert held(built) == {}
