"""Greedy with claims: every plan keeps every rule, and small decisions are right."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.datasets.generate import generate
from gangplan.models.instance import Instance
from gangplan.models.tiers import better, tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.planners.greedy import Greedy, greedy_plan
from gangplan.solvers.planners.greedy.allocator.dealer import Dealer
from gangplan.solvers.planners.greedy.attempt import run
from gangplan.solvers.planners.greedy.book import book_of
from gangplan.solvers.planners.greedy.orders import units_of
from gangplan.solvers.planners.greedy.style import Style
from tests.brute import best
from tests.solvers.planners.styles import STYLES
from tests.strategies import claiming
from tests.tiny import make_instance
from tests.tiny_devices import with_devices


@settings(max_examples=100)
@given(claiming(), STYLES)
def test_a_run_in_any_style_keeps_every_rule(instance: Instance, style: Style) -> None:
    book = book_of(instance)
    plan, _ = run(book, units_of(book, tiers_of(instance)), style)
    assert check(instance, plan) == ()


@settings(max_examples=40)
@given(claiming(), STYLES, st.booleans())
def test_repacked_domains_keep_every_rule(instance: Instance, style: Style, by_rank: bool) -> None:
    book = book_of(instance)
    units = units_of(book, tiers_of(instance))
    plan, _ = run(book, units, style, repack=(by_rank, float("inf")))
    assert check(instance, plan) == ()


@settings(max_examples=25)
@given(claiming())
def test_a_greedy_plan_is_never_better_than_the_best(instance: Instance) -> None:
    tiers = tiers_of(instance)
    plan = greedy_plan(instance, tiers, seconds=0.05)
    assert not better(tiers, values(instance, plan, tiers), best(instance, tiers))


@pytest.mark.parametrize("name", ["aligned", "mig", "fabric", "models"])
@pytest.mark.parametrize("seed", [2, 3])
def test_generated_instances_are_planned_by_the_rules(name: str, seed: int) -> None:
    instance = generate(name, nodes=24, seed=seed)
    tiers = tiers_of(instance, "gpus")
    plan = greedy_plan(instance, tiers, seconds=0.2)
    assert check(instance, plan) == ()
    placed = plan.node >= 0
    assert placed.any()
    own = np.isin(instance.pod_role, instance.claims.own_role) & placed
    assert set(plan.allocations.pod.tolist()) - {-1} == set(np.flatnonzero(own).tolist())


def planned(instance: Instance) -> tuple[list[int], list[tuple[int, ...]]]:
    """Nodes of the pods, and rows (pod, claim, choice, device) of the best greedy plan."""
    plan = greedy_plan(instance, tiers_of(instance), seconds=0.05)
    assert check(instance, plan) == ()
    rows = plan.allocations
    table = np.column_stack([rows.pod, rows.claim, rows.choice, rows.device])
    return plan.node.tolist(), [tuple(row) for row in table.tolist()]


def test_devices_are_dealt_again_when_a_pickier_claim_comes() -> None:
    # The first pod is content with either GPU, the second needs the one with the NIC.
    groups = [{"wanted": 1, "request": {"cpu": 1}, "minimum": 1, "priority": p} for p in (9, 1)]
    instance = with_devices(
        make_instance([{"cpu": 4}], groups),
        [
            {"node": 0, "gpu": True, "root": "a"},
            {"node": 0, "gpu": True, "root": "b"},
            {"node": 0, "nic": True, "root": "a"},
        ],
        [
            {"requests": [("g", "gpu")]},
            {"requests": [("g", "gpu"), ("n", "nic")], "match": ["root"]},
        ],
        {0: [0], 1: [1]},
    )
    nodes, rows = planned(instance)
    assert nodes == [0, 0]
    assert sorted(row[3] for row in rows if row[0] == 0) == [1]


def test_a_gang_goes_where_its_shared_claim_is_reached() -> None:
    group = {"wanted": 3, "request": {"cpu": 1}, "minimum": 3}
    instance = with_devices(
        make_instance([{"cpu": 1}, {"cpu": 2}, {"cpu": 1}, {"cpu": 2}], [group]),
        [{"zone": [0, 1], "channel": True, "taken": True}, {"zone": [2, 3], "channel": True}],
        [{"requests": [("c", "channel")]}],
        shared=[{"roles": [0], "spec": 0}],
    )
    nodes, rows = planned(instance)
    assert sorted(nodes) == [2, 3, 3]
    assert rows == [(-1, 0, 0, 1)]


def test_one_channel_is_not_given_to_two_gangs() -> None:
    group = {"wanted": 2, "request": {"cpu": 1}, "minimum": 2}
    instance = with_devices(
        make_instance([{"cpu": 8}] * 2, [group, group]),
        [{"zone": [0, 1], "channel": True}],
        [{"requests": [("c", "channel")]}],
        shared=[{"roles": [0], "spec": 0}, {"roles": [1], "spec": 0}],
    )
    nodes, rows = planned(instance)
    assert sum(n >= 0 for n in nodes) == 2
    assert len(rows) == 1


def test_a_shared_claim_on_a_node_pins_its_gang_there() -> None:
    group = {"wanted": 2, "request": {"cpu": 1}, "minimum": 2}
    instance = with_devices(
        make_instance([{"cpu": 1}, {"cpu": 2}], [group]),
        [{"node": 0, "gpu": True}, {"node": 1, "gpu": True}],
        [{"requests": [("g", "gpu")]}],
        shared=[{"roles": [0], "spec": 0}],
    )
    assert planned(instance) == ([1, 1], [(-1, 0, 0, 1)])


def test_no_more_pods_than_the_limit_reserve_a_claim() -> None:
    group = {"wanted": 5, "request": {"cpu": 1}, "kind": "basic"}
    instance = with_devices(
        make_instance([{"cpu": 8}], [group]),
        [{"zone": [0], "channel": True}],
        [{"requests": [("c", "channel")]}],
        shared=[{"roles": [0], "spec": 0, "limit": 3}],
    )
    assert sum(n >= 0 for n in planned(instance)[0]) == 3


def test_pods_take_the_best_choice_that_is_left() -> None:
    group = {"wanted": 3, "request": {"cpu": 1}, "minimum": 3}
    instance = with_devices(
        make_instance([{"cpu": 8}], [group]),
        [{"node": 0, "small": True}, {"node": 0, "small": True}, {"node": 0, "large": True}],
        [{"requests": [("g", {"word": "large", "name": "a"}, {"word": "small", "name": "b"})]}],
        {0: [0]},
    )
    _, rows = planned(instance)
    assert sorted(row[2] for row in rows) == [0, 1, 1]


def test_devices_of_a_zone_that_one_node_takes_are_gone_for_the_others() -> None:
    group: dict[str, Any] = {"wanted": 4, "request": {"cpu": 1}, "kind": "basic"}
    instance = with_devices(
        make_instance([{"cpu": 2}, {"cpu": 2}], [group]),
        [{"zone": [0, 1], "nic": True}] * 3,
        [{"requests": [("n", "nic")]}],
        {0: [0]},
    )
    nodes, rows = planned(instance)
    assert sum(n >= 0 for n in nodes) == 3
    assert {row[3] for row in rows} == {0, 1, 2}


def test_what_the_allocator_gives_up_on_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dealer.__init__, "__defaults__", (1,))
    group = {"wanted": 1, "request": {"cpu": 1}, "minimum": 1}
    instance = with_devices(
        make_instance([{"cpu": 8}], [group]),
        [{"node": 0, "gpu": True, "root": "a"}] * 3,
        [{"requests": [("a", "gpu"), ("b", "gpu")], "match": ["root"]}],
        {0: [0]},
    )
    result = Greedy().plan(instance)
    assert result.warnings[0].startswith("allocator gave up on node ")


def test_aligned_nodes_by_the_thousand_are_planned_quickly() -> None:
    instance = generate("aligned-1k")
    book = book_of(instance)
    tiers = tiers_of(instance, "gpus")
    plan, _ = run(book, units_of(book, tiers), Style())
    assert check(instance, plan) == ()
    gpus = int(instance.roles.devices @ plan.placed_per_role(instance))
    assert gpus >= 6_000
    # Equal nodes are searched once: a few classes for a thousand nodes.
    assert len(set(book.untouched[0].tolist())) < 100
