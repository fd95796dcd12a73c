"""For whom each victim falls: a list for every one of them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from gangplan.models import blame
from gangplan.models.blame import blamed
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.verify import check
from gangplan.models.victims import victims_of
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from tests.strategies_preemption import preempting, preempting_claims
from tests.tiny import Row, make_instance
from tests.tiny_running import with_running

FOUR = {"gpu": 4}


def group(name: str, priority: int = 5, gpus: int = 4, **more: object) -> Row:
    return {"name": name, "priority": priority, "request": {"gpu": gpus}, **more}


def plan(instance: Instance, *node: int, evicted: tuple[int, ...]) -> Plan:
    some = replace(
        empty_plan(instance), node=np.array(node), evicted=np.array(evicted, dtype=np.int64)
    )
    assert check(instance, some) == ()
    return some


def test_each_victim_falls_for_who_has_its_place() -> None:
    instance = with_running(
        make_instance(nodes=[{"gpu": 0}, {"gpu": 0}], groups=[group("a"), group("b")]),
        [{"node": n, "request": FOUR} for n in (0, 1)],
    )
    assert blamed(instance, plan(instance, 1, 0, evicted=(0, 1))) == [(1,), (0,)]
    assert blamed(instance, empty_plan(instance)) == []


def test_a_victim_falls_for_both_where_either_needs_its_room() -> None:
    """6 held and 2 free; a and b take 3 each: without either, 5 are free."""
    instance = with_running(
        make_instance(nodes=[{"gpu": 2}], groups=[group("a", gpus=4), group("b", gpus=4)]),
        [{"node": 0, "request": {"gpu": 6}}],
    )
    # Without one of them there are 4 of the 6 it needs: neither alone is enough, so both.
    assert blamed(instance, plan(instance, 0, 0, evicted=(0,))) == [(0, 1)]


def test_only_those_that_are_enough_alone_are_named() -> None:
    """8 in all; the victim holds 4. Without b (4) it is back; without a (2) it is not."""
    instance = with_running(
        make_instance(nodes=[{"gpu": 3}], groups=[group("a", gpus=1), group("b", gpus=4)]),
        [{"node": 0, "request": {"gpu": 4}}],
    )
    assert blamed(instance, plan(instance, 0, 0, evicted=(0,))) == [(1,)]


def test_where_groups_and_victims_are_many_all_that_are_there_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = with_running(
        make_instance(nodes=[{"gpu": 3}], groups=[group("a", gpus=1), group("b", gpus=4)]),
        [{"node": 0, "request": {"gpu": 4}}],
    )
    monkeypatch.setattr(blame, "TRIED", 1)
    assert blamed(instance, plan(instance, 0, 0, evicted=(0,))) == [(0, 1)]


def test_nobody_of_its_own_rank_or_elastic_is_to_blame() -> None:
    """a's second pod is elastic and c is no better than the victim; both use what is left over."""
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}],
            groups=[
                group("a", minimum=1, wanted=2, gpus=1),
                group("b", gpus=3),
                group("c", priority=0, gpus=1),
            ],
        ),
        [{"node": 0, "request": {"gpu": 8}}],
    )
    assert blamed(instance, plan(instance, 0, 0, 0, 0, evicted=(0,))) == [(0, 1)]


def test_who_evicts_nobody_is_not_to_blame() -> None:
    instance = with_running(
        make_instance(nodes=[{"gpu": 2}], groups=[group("a"), group("quiet", gpus=2)]),
        [{"node": 0, "request": FOUR}],
        never=[1],
    )
    assert blamed(instance, plan(instance, 0, 0, evicted=(0,))) == [(0,)]


def test_the_rest_of_a_gang_that_is_taken_whole_falls_for_the_same() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}, {"gpu": 0}],
            groups=[
                {"name": "old", "minimum": 2, "running": [0, 1], "roles": []},
                group("new"),
            ],
        ),
        [{"node": n, "request": FOUR, "group": 0} for n in (0, 1)],
    )
    assert blamed(instance, plan(instance, 0, evicted=(0, 1))) == [(1,), (1,)]


def test_a_unit_over_two_nodes_falls_for_both_that_are_there() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}, {"gpu": 0}],
            groups=[
                {"name": "old", "minimum": 2, "running": [0, 1], "roles": []},
                group("a"),
                group("b"),
            ],
        ),
        [{"node": n, "request": FOUR, "group": 0, "unit": "old"} for n in (0, 1)],
    )
    # Neither alone is enough: the other one is still in the way.
    assert blamed(instance, plan(instance, 0, 1, evicted=(0,))) == [(1, 2)]


def everybody_is_named(instance: Instance) -> None:
    result = Exact(solver=Highs()).plan(instance, Limits(seconds=20))
    victims, found = victims_of(instance), blamed(instance, result.plan)
    assert len(found) == len(result.plan.evicted)
    placed = result.plan.placed_per_group(instance) > 0
    for v, groups in zip(result.plan.evicted.tolist(), found, strict=True):
        assert groups
        for g in groups:
            assert victims.rank[g] > instance.running.priority[v]
            assert victims.evicts[g]
            assert placed[g]


@settings(max_examples=25)
@given(instance=preempting(max_nodes=3, max_pods=4, effort=1_000))
def test_every_victim_of_a_plan_falls_for_somebody(instance: Instance) -> None:
    everybody_is_named(instance)


@settings(max_examples=20)
@given(instance=preempting_claims())
def test_every_victim_falls_for_somebody_with_devices_too(instance: Instance) -> None:
    everybody_is_named(instance)
