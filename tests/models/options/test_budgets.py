"""Budgets of devices: below what any plan takes, and tight where devices run out."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.counting import ceilings
from gangplan.models.instance import Instance
from gangplan.models.options.budgets import budgets_of
from gangplan.models.tiers import OBJECTIVES, tiers_of
from tests import brute
from tests.strategies import claiming
from tests.tiny import make_instance
from tests.tiny_devices import Row, with_devices

POD = {"priority": 1, "wanted": 1, "request": {"cpu": 1}, "minimum": 1}


def cluster(groups: int) -> Instance:
    return make_instance(nodes=[{"cpu": 99}] * 2, groups=[POD] * groups)


def test_gpus_and_nics_are_two_budgets() -> None:
    devices: list[Row] = [{"node": n, "gpu": True} for n in (0, 0, 1)]
    devices.append({"node": 0, "nic": True})
    pair: Row = {"requests": [("g", {"word": "gpu", "count": 2}), ("n", "nic")]}
    alone: Row = {"requests": [("g", "gpu")]}
    instance = with_devices(cluster(2), devices, [pair, alone], {0: [0], 1: [1, 1]})
    budgets = budgets_of(instance)
    assert sorted(zip(budgets.room.tolist(), map(tuple, budgets.need.tolist()), strict=True)) == [
        (1, (1, 0)),
        (3, (2, 2)),
    ]


def test_the_ceiling_knows_how_many_devices_there_are() -> None:
    devices: list[Row] = [{"node": n, "gpu": True} for n in (0, 0, 1)]
    instance = with_devices(
        cluster(5), devices, [{"requests": [("g", "gpu")]}], {k: [0] for k in range(5)}
    )
    assert ceilings(instance, tiers_of(instance))[0] == 3


@settings(deadline=None, max_examples=60)
@given(claiming(), st.sampled_from(OBJECTIVES[:3]))
def test_no_plan_is_better_than_the_ceilings(instance: Instance, objective: str) -> None:
    tiers = tiers_of(instance, objective)
    best = brute.best(instance, tiers)
    first = ceilings(instance, tiers)[0]
    assert first is None or first >= best[0]


@settings(deadline=None, max_examples=60)
@given(claiming())
def test_needs_are_never_negative(instance: Instance) -> None:
    budgets = budgets_of(instance)
    assert (budgets.need >= 0).all()
    assert (budgets.room >= 0).all()
    assert budgets.need.shape == (len(budgets.room), len(instance.roles))
    assert np.isfinite(budgets.need).all()


def test_a_claim_that_is_allocated_already_takes_nothing_more() -> None:
    instance = with_devices(cluster(1), [], [], shared=[{"nodes": [1], "roles": [0]}])
    assert budgets_of(instance).need.shape == (0, 1)
    assert ceilings(instance, tiers_of(instance))[0] == 1


def test_counters_of_one_size_are_one_budget() -> None:
    devices: list[Row] = [{"node": 0, "gpu": True, "draws": {"m": 2}}] * 3
    instance = with_devices(
        cluster(3),
        devices,
        [{"requests": [("g", "gpu")]}],
        {k: [0] for k in range(3)},
        counters={"m": 5},
    )
    assert budgets_of(instance).room.tolist() == [3, 5]
    assert budgets_of(instance).need.tolist() == [[1, 1, 1], [2, 2, 2]]
    assert ceilings(instance, tiers_of(instance))[0] == 2
