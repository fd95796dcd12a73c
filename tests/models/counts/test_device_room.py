"""Devices as room: the relaxation sees that a gang bound to a domain needs its victims there."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gangplan.models.counts.decode import encode
from gangplan.models.counts.device_room import with_devices_as_room
from gangplan.models.counts.formulation import Formulation, Model, build, tier_cost
from gangplan.models.gone import without_units
from gangplan.models.instance import Instance
from gangplan.models.milp import row_block
from gangplan.models.tiers import tiers_of
from tests.models.solve import best_plan, relaxation
from tests.tiny import make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running

Row = dict[str, Any]


def racks(**device: Any) -> Instance:
    """Two racks of two nodes; gangs that fall as one, across both; an urgent gang for one rack."""
    gang: Row = {"roles": [], "minimum": 1}
    urgent: Row = {"minimum": 2, "wanted": 2, "priority": 9, "rules": [("rack", "required")]}
    instance = make_instance(
        nodes=[{"cpu": 9, "rack": f"r{n // 2}"} for n in range(4)],
        groups=[gang | {"running": [n, n + 2]} for n in (0, 1)] + [urgent],
    )
    devices = [{"node": n, "gpu": True, "taken": True} | device for n in range(4)]
    instance = with_devices(instance, devices, [{"requests": [("g", "gpu")]}], {0: [0]})
    pods = [{"node": n, "group": n % 2, "unit": n % 2, "devices": 1} for n in range(4)]
    return with_running(instance, pods, holds=[{"users": [n], "devices": [n]} for n in range(4)])


def lost(instance: Instance, *, rows: bool = True) -> float:
    """GPUs lost once the gang is in, by the linear relaxation with or without these rows."""
    model = build(instance)
    admitted, gpus = (
        next(tier for tier in tiers_of(instance) if tier.name == name)
        for name in ("admitted(9)", "lost-gpus(0)")
    )
    cost, _ = tier_cost(model, admitted)
    used = np.flatnonzero(cost)
    held = row_block("held", [0] * len(used), used, cost[used].astype(np.int64), -np.inf, -1, 1)
    milp = model.milp.with_rows(held).with_cost(tier_cost(model, gpus)[0])
    high = milp.row_upper.copy()
    if not rows:
        high[slice(*milp.row_blocks["preemption.room"])] = np.inf
    return relaxation(replace(milp, row_upper=high))


def test_the_relaxation_sees_victims_where_the_gang_goes() -> None:
    instance = racks()
    _, values = best_plan(instance, tiers_of(instance))
    named = dict(zip([tier.name for tier in tiers_of(instance)], values, strict=True))
    assert named["lost-gpus(0)"] == 4
    assert lost(instance) == pytest.approx(4)
    assert lost(instance, rows=False) == pytest.approx(2)


def rooms(model: Model) -> int:
    first, last = model.milp.row_blocks.get("preemption.room", (0, 0))
    return last - first


def test_a_resource_for_each_set_of_devices_on_nodes() -> None:
    instance = racks()
    model = build(instance)
    wide = with_devices_as_room(instance, model.f)
    assert wide.nodes.free[:, -1].tolist() == [0] * 4
    assert wide.roles.request[:, -1].tolist() == [1]
    assert wide.running.pod_request[:, -1].tolist() == [1] * 4
    assert rooms(model) == 4
    plan, _ = best_plan(instance, tiers_of(instance))
    point = encode(model, plan)
    assert not len(model.milp.violated_rows(point))


def test_no_resource_where_no_device_comes_free() -> None:
    instance = without_units(racks())
    assert with_devices_as_room(instance, build(instance).f) is instance
    instance = racks()
    assert not rooms(build(instance, Formulation(claims=False)))
    assert not rooms(build(instance, Formulation(capacity=False)))


def test_what_a_pod_holds_away_from_its_node_counts_as_free() -> None:
    instance = racks()
    moved = with_running(
        without_units(instance),
        [{"node": -1, "priority": 0, "devices": 1}, {"node": 1, "priority": 0, "devices": 1}],
        holds=[{"users": [0, 1], "devices": [0, 1]}],
    )
    wide = with_devices_as_room(moved, build(moved).f)
    assert wide.nodes.free[:, -1].tolist() == [1, 1, 0, 0]
    assert not wide.running.pod_request[:, -1].any()
