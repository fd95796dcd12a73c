"""What must not change the optimum, and what may only make it better (or only worse)."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.counts.formulation import FAMILIES, Formulation, build
from gangplan.models.tiers import OBJECTIVES, better, tiers_of
from gangplan.models.verify import CHECKS
from tests import brute
from tests.differential.changed import freed, with_groups, with_nodes
from tests.differential.lexicographic import solve
from tests.strategies import anything

RESTRICTIONS = ("assign", "capacity", "gang", "topology", "hierarchy", "shares", "claims")
COSTS = ("rank", "preferred", "fragmentation")


def order_is_nothing(data: st.DataObject) -> None:
    instance = data.draw(anything(max_pods=8))
    objective = data.draw(st.sampled_from(OBJECTIVES[:3]))
    tiers = tiers_of(instance, objective)
    best = brute.best(instance, tiers)
    other = with_nodes(instance, data.draw(st.permutations(range(len(instance.nodes)))))
    keys = data.draw(st.permutations(range(len(instance.roles))))
    other = with_groups(other, data.draw(st.permutations(range(len(instance.groups)))), keys)
    assert brute.best(other, tiers) == best
    assert solve(build(other), tiers)[0] == best


def more_room_is_no_worse(data: st.DataObject) -> None:
    """Up to ``preferred``: what comes after is a price of what more room lets in."""
    instance = data.draw(anything(max_pods=8, max_nodes=4))
    tiers = tuple(t for t in tiers_of(instance) if t.maximise)
    node = data.draw(st.integers(0, len(instance.nodes) - 1))
    before = solve(build(instance), tiers)[0]
    copied = with_nodes(instance, [*range(len(instance.nodes)), node])
    for larger in (freed(instance, node), copied):
        after = solve(build(larger), tiers)[0]
        assert not better(tiers, before, after)
        assert after == brute.best(larger, tiers)


def families_move_the_optimum_one_way(data: st.DataObject) -> None:
    instance = data.draw(anything(max_pods=8))
    tiers = tiers_of(instance)
    whole = solve(build(instance), tiers)[0]
    for family in (*RESTRICTIONS, *COSTS):
        relaxed = solve(build(instance, replace(Formulation(), **{family: False})), tiers)[0]
        assert not better(tiers, whole, relaxed), family
    bounded = solve(build(instance, replace(Formulation(), elastic=False)), tiers)[0]
    assert not better(tiers, bounded, whole)


def test_every_family_of_the_formulation_has_its_check() -> None:
    assert tuple(CHECKS) == FAMILIES
    assert {*RESTRICTIONS, *COSTS, "elastic", "preemption"} == set(FAMILIES)


@settings(max_examples=60)
@given(st.data())
def test_the_order_of_nodes_groups_and_roles_changes_nothing(data: st.DataObject) -> None:
    order_is_nothing(data)


@settings(max_examples=40)
@given(st.data())
def test_a_freed_or_added_node_is_never_worse(data: st.DataObject) -> None:
    more_room_is_no_worse(data)


@settings(max_examples=40)
@given(st.data())
def test_a_family_that_is_off_moves_the_optimum_one_way(data: st.DataObject) -> None:
    families_move_the_optimum_one_way(data)


@pytest.mark.slow
@settings(max_examples=2000, derandomize=False)
@given(st.data())
def test_the_order_of_nodes_groups_and_roles_changes_nothing_long(data: st.DataObject) -> None:
    order_is_nothing(data)


@pytest.mark.slow
@settings(max_examples=2000, derandomize=False)
@given(st.data())
def test_a_freed_or_added_node_is_never_worse_long(data: st.DataObject) -> None:
    more_room_is_no_worse(data)


@pytest.mark.slow
@settings(max_examples=2000, derandomize=False)
@given(st.data())
def test_a_family_that_is_off_moves_the_optimum_one_way_long(data: st.DataObject) -> None:
    families_move_the_optimum_one_way(data)
