"""Consumable capacity: policies, and devices whose value is too small."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from gangplan.datasets.allocation_entries import allocation_entries
from gangplan.datasets.kubernetes.assemble.devices.capacity import share
from gangplan.datasets.kubernetes.devicerecords import Capacity, Policy
from gangplan.models.instance import Instance
from gangplan.models.plan import Allocations, Plan
from tests.datasets.kubernetes.devices.claims import (
    DRIVER,
    Obj,
    asked,
    asks,
    claiming,
    device,
    device_class,
    fitting,
    host,
    notes,
    request,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import instance

F = Fraction
NONE = np.zeros(0, dtype=np.int64)
VALID = Policy(default=F(2), valid=(F(2), F(4), F(8)))
RANGE = Policy(default=F(2), least=F(2), most=F(9), step=F(3))


@pytest.mark.parametrize(
    ("policy", "wanted", "taken"),
    [
        (None, None, 16),
        (None, 3, 3),
        (VALID, None, 2),
        (VALID, 1, 2),
        (VALID, 4, 4),
        (VALID, 5, 8),
        (VALID, 9, None),
        (RANGE, None, 2),
        (RANGE, 1, 2),
        (RANGE, 3, 5),
        (RANGE, 8, 8),
        (RANGE, 9, None),
        (Policy(default=F(2), least=F(2)), 7, 7),
        (Policy(default=F(2), least=F(2), most=F(6)), 7, None),
        (Policy(default=F(3)), None, 3),
    ],
)
def test_a_share_is_rounded_up_by_the_policy(
    policy: Policy | None, wanted: int | None, taken: int | None
) -> None:
    found = share(Capacity(F(16), policy), None if wanted is None else F(wanted))
    assert found == (None if taken is None else F(taken))


def built_of(spec: Obj, *devices: Obj) -> Instance:
    slices = slice_("s", *devices)
    return instance(host("n1"), device_class(), slices, template(spec=spec), claiming("p", "t"))


def wanting(**fields: Any) -> Obj:
    return asks(request(capacity={"requests": {"memory": "40Gi"}}, **fields))


def test_a_device_of_its_own_must_have_what_is_asked() -> None:
    devices = [
        device("big", capacity={"memory": "80Gi"}),
        device("small", capacity={"memory": "1"}),
    ]
    built = built_of(wanting(), *devices, device("none"))
    assert fitting(built) == {"big"}
    assert len(built.claims.use_pot) == 0


def test_all_asks_only_devices_that_have_what_is_asked() -> None:
    devices = [device("big", capacity={"memory": "80Gi"}), device("none")]
    built = built_of(wanting(allocationMode="All"), *devices)
    assert asked(built) == fitting(built) == {"big"}


def test_a_shared_device_gives_of_every_capacity() -> None:
    capacity = {
        "memory": "80Gi",
        "cores": "8",
        "lanes": {"value": "4", "requestPolicy": {"default": "1", "validValues": ["1", "2"]}},
    }
    both = device("d0", allowMultipleAllocations=True, capacity=capacity)
    built = built_of(wanting(), both)
    used = dict(zip(built.names.pots, built.claims.use_amount.tolist(), strict=True))
    assert used == {
        "gpu.example.com/cores": 8,
        "gpu.example.com/lanes": 1,
        "gpu.example.com/memory": 40 * 2**30,
    }
    assert built.devices.pot_free.tolist() == [8, 4, 80 * 2**30]


def test_a_shared_device_that_is_too_small_does_not_fit() -> None:
    small = device("d0", allowMultipleAllocations=True, capacity={"memory": "30Gi"})
    assert fitting(built_of(wanting(), small)) == set()


def test_admin_access_takes_nothing_of_a_pot() -> None:
    both = device("d0", allowMultipleAllocations=True, capacity={"memory": "80Gi"})
    built = built_of(wanting(adminAccess=True), both)
    assert fitting(built) == {"d0"}
    assert len(built.claims.use_pot) == 0


def test_fractions_of_a_capacity_are_exact() -> None:
    both = device("d0", allowMultipleAllocations=True, capacity={"memory": "1500m"})
    built = built_of(asks(request(capacity={"requests": {"memory": "500m"}})), both)
    assert 3 * built.claims.use_amount.tolist()[0] == built.devices.pot_free.tolist()[0]


def test_a_plan_file_gives_the_true_amount_that_a_share_takes() -> None:
    """Pots count a common denominator; nobody else does."""
    shared = device(
        "d0", allowMultipleAllocations=True, capacity={"cores": "1.5", "memory": "80Gi"}
    )
    asked_for = {"requests": {"cores": "250m", "memory": "1Gi"}}
    built = built_of(asks(request(capacity=asked_for)), shared)
    plan = Plan(np.array([0]), NONE, NONE, Allocations(*np.array([[0], [0], [0], [0]])))
    own, _ = allocation_entries(built, plan)
    (entry,) = own[0]
    assert entry["consumed"] == {f"{DRIVER}/cores": "250m", f"{DRIVER}/memory": 2**30}
    assert built.devices.pot_free.tolist() == [6, 80 * 2**30]
    assert built.names.pots == (f"{DRIVER}/cores in 1/4", f"{DRIVER}/memory")


def shares(first: str, second: str, value: str = "80Gi") -> Instance:
    """A pod that asks for one amount of memory, and one that asks for another."""
    card = device("d0", allowMultipleAllocations=True, capacity={"memory": value})
    asking = [
        template(name, asks(request(capacity={"requests": {"memory": amount}})))
        for name, amount in (("t", first), ("u", second))
    ]
    pods = [claiming("p-0", "t"), claiming("p-1", "u")]
    return instance(host("n1"), device_class(), slice_("s", card), *asking, *pods)


def test_amounts_too_far_apart_are_rounded_up_and_told() -> None:
    built = shares("1073741824000000001n", "40Gi")
    assert built.names.pots == (f"{DRIVER}/memory in 1/10000000",)
    assert built.devices.pot_free.tolist() == [80 * 2**30 * 10**7]
    assert built.claims.use_amount.tolist() == [2**30 * 10**7 + 1, 40 * 2**30 * 10**7]
    (note,) = notes(built, "differ too much")
    assert note == (
        f"amounts of {DRIVER}/memory differ too much to be counted exactly: what is asked is"
        " rounded up to 1/10000000"
    )


def test_amounts_that_no_column_holds_are_told() -> None:
    built = shares("1Gi", "5E", "6E")
    assert built.devices.pot_free.tolist() == [2**62]
    assert built.claims.use_amount.tolist() == [2**30, 2**62 + 1]
    assert notes(built, f"amounts of {DRIVER}/memory above 2^62 are not planned")


def test_amounts_that_can_be_counted_exactly_are_not_told_of() -> None:
    built = shares("1500m", "40Gi")
    assert (built.names.pots, built.names.notes) == ((f"{DRIVER}/memory in 1/2",), ())


def test_a_capacity_asked_for_by_both_of_its_names_is_served_by_none() -> None:
    twice = {"requests": {"memory": "1Gi", f"{DRIVER}/memory": "2Gi"}}
    big = device("d0", capacity={"memory": "80Gi"})
    assert fitting(built_of(asks(request(capacity=twice)), big)) == set()
