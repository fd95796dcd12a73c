"""Devices that come free when units fall: what may be free at most, and what is free at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gangplan.models.gone import loosened, without_units
from gangplan.models.instance import Instance
from gangplan.models.options.budgets import budgets_of
from gangplan.models.options.cells import PLENTY, cells_of
from gangplan.models.options.options import options_of
from gangplan.models.options.slots import device_slots, scarce_claims
from tests.tiny import make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running

Row = dict[str, Any]

URGENT: Row = {"kind": "bare", "priority": 5, "wanted": 4, "request": {"cpu": 1}}
GPU: Row = {"requests": [("g", "gpu")]}
EVERY: Row = {"requests": [("g", {"word": "gpu", "count": "all"})]}


def node(devices: Sequence[Row], spec: Row, **counters: int) -> Instance:
    """A node without room, and an urgent group whose pods have a claim."""
    instance = make_instance(nodes=[{"cpu": 0}], groups=[URGENT])
    return with_devices(instance, devices, [spec], {0: [0]}, counters=counters)


def gpu(**more: object) -> Row:
    return {"node": 0, "gpu": True} | more


def low(priority: int = 0) -> Row:
    return {"node": 0, "request": {"cpu": 4}, "priority": priority}


def test_a_device_that_comes_free_is_in_the_cell_of_those_that_are_free() -> None:
    instance = node([gpu(), gpu(taken=True), gpu(taken=True)], GPU)
    instance = with_running(instance, [low()], holds=[{"users": [0], "devices": [1]}])
    cells = cells_of(instance)
    assert cells.of[0] == cells.of[1] != cells.of[2]
    assert cells.size[cells.of].tolist() == [2, 2, 1]
    assert cells.free[cells.of].tolist() == [2, 2, 0]
    assert cells.now[cells.of].tolist() == [1, 1, 0]
    assert cells.most[0, cells.of].tolist() == [2, 2, 0]


def test_a_device_of_a_unit_that_cannot_fall_is_taken_for_good() -> None:
    instance = node([gpu(taken=True)], GPU)
    for priority, free in ((4, 1), (5, 0)):
        held = with_running(instance, [low(priority)], holds=[{"users": [0], "devices": [0]}])
        assert cells_of(held).free.tolist() == [free]
        assert len(options_of(held).table) == free


def test_a_device_with_a_user_that_cannot_fall_is_taken_for_good() -> None:
    instance = node([gpu(taken=True)], GPU)
    held = with_running(instance, [low(), low(9)], holds=[{"users": [0, 1], "devices": [0]}])
    assert cells_of(held).free.tolist() == [0]


def test_most_counts_what_returns_to_counters_and_pots() -> None:
    devices = [gpu(draws={"m": 4}, taken=True), gpu(multi=True, pots={"mem": 2})]
    spec = {"requests": [("g", {"word": "gpu", "uses": {"mem": 3}})]}
    instance = node(devices, spec, m=1)
    assert cells_of(instance).most[0].max() == 0
    held = with_running(
        instance,
        [low()],
        holds=[{"users": [0], "devices": [0], "counters": {0: 3}, "pots": {0: 5}}],
    )
    cells = cells_of(held)
    assert cells.most[0, cells.of].tolist() == [1, 2]


def test_all_takes_what_is_free_and_what_comes_free() -> None:
    instance = node([gpu(), gpu(taken=True)], EVERY)
    assert not len(options_of(instance).table)
    held = with_running(instance, [low()], holds=[{"users": [0], "devices": [1]}])
    table = options_of(held).table
    assert table.entry_fixed.tolist() == [2]
    both = node([gpu(), gpu(taken=True), gpu(taken=True)], EVERY)
    assert not len(
        options_of(with_running(both, [low()], holds=[{"users": [0], "devices": [1]}])).table
    )


def test_a_value_that_only_devices_which_come_free_have_is_an_option() -> None:
    devices = [gpu(root="a"), gpu(root="b", taken=True), gpu(root="b")]
    pair = {"requests": [("g", {"word": "gpu", "count": 2})], "match": ["root"]}
    instance = node(devices, pair)
    assert not len(options_of(instance).table)
    held = with_running(instance, [low()], holds=[{"users": [0], "devices": [1]}])
    assert len(options_of(held).table) == 1


def test_slots_and_budgets_count_what_comes_free() -> None:
    instance = node([gpu(draws={"m": 2}), gpu(draws={"m": 2}, taken=True)], GPU, m=2)
    held = with_running(
        instance, [low()], holds=[{"users": [0], "devices": [1], "counters": {0: 2}}]
    )
    assert device_slots(without_units(held)).tolist() == [[0]]
    assert device_slots(held).tolist() == [[2]]
    assert budgets_of(without_units(held)).room.tolist() == [1, 2]
    assert budgets_of(held).room.tolist() == [2, 4]
    assert [room.tolist() for room in scarce_claims(held, 0).values()] == [[2]]


def test_what_is_listed_for_an_instance_is_listed_for_its_relaxation() -> None:
    devices = [gpu(), gpu(taken=True), gpu(taken=True), gpu(multi=True, pots={"mem": 2})]
    held = with_running(
        node(devices, GPU), [low()], holds=[{"users": [0], "devices": [1], "pots": {0: 5}}]
    )
    loose = loosened(held)
    assert np.array_equal(cells_of(held).most, cells_of(loose).most)
    assert np.array_equal(cells_of(held).of, cells_of(loose).of)
    assert np.array_equal(cells_of(loose).now, cells_of(loose).free)
    assert np.array_equal(options_of(held).table.entry_cell, options_of(loose).table.entry_cell)
    assert np.array_equal(device_slots(held), device_slots(loose))
    assert np.array_equal(budgets_of(held).room, budgets_of(loose).room)


def test_admin_access_takes_held_devices_as_before() -> None:
    watch = {"requests": [("g", {"word": "gpu", "admin": True})]}
    held = with_running(
        node([gpu(taken=True), gpu(taken=True)], watch),
        [low()],
        holds=[{"users": [0], "devices": [0]}],
    )
    assert cells_of(held).most.tolist() == [[PLENTY, PLENTY]]
