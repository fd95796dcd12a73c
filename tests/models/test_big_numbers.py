"""Quantities near 2^63: no sum wraps round, and no bound comes out below what a plan reaches."""

import pytest

from gangplan.models.counting import cannot_be_placed, ceilings
from gangplan.models.counts.formulation import build, tier_cost
from gangplan.models.errors import FormulationError, PlanError
from gangplan.models.tiers import tiers_of
from tests.tiny import make_instance

BIG = 2**62


def test_free_room_that_adds_up_above_int64_is_room() -> None:
    inst = make_instance(
        nodes=[{"mem": BIG}, {"mem": BIG}],
        groups=[{"minimum": 2, "wanted": 2, "request": {"mem": 1}}],
    )
    assert cannot_be_placed(inst, 0) is None
    assert ceilings(inst, tiers_of(inst))[:2] == [1, 2]


def test_the_knapsack_over_huge_nodes_is_not_negative() -> None:
    inst = make_instance(
        nodes=[{"gpu": 1, "mem": BIG}, {"gpu": 1, "mem": BIG}],
        groups=[{"kind": "bare", "wanted": 2, "request": {"gpu": 1, "mem": 5}}],
    )
    assert ceilings(inst, tiers_of(inst))[0] == 2


@pytest.mark.parametrize("pods", [3, 4])
def test_requests_that_add_up_above_int64_are_compared_exactly(pods: int) -> None:
    inst = make_instance(
        nodes=[{"mem": BIG} for _ in range(3)],
        groups=[{"minimum": pods, "wanted": pods, "request": {"mem": BIG}}],
    )
    assert (cannot_be_placed(inst, 0) is None) == (pods == 3)
    assert ceilings(inst, tiers_of(inst))[0] == (pods == 3)


def test_a_total_above_int64_that_is_short_is_a_shortage() -> None:
    # Slots alone would do: three pods of either role fit one node.
    inst = make_instance(
        nodes=[{"mem": 2**63 - 1}],
        groups=[
            {
                "minimum": 4,
                "roles": [
                    {"wanted": 3, "request": {"mem": BIG - 1}},
                    {"wanted": 3, "request": {"mem": 1}},
                ],
            }
        ],
    )
    assert cannot_be_placed(inst, 0) is None
    inst = make_instance(
        nodes=[{"mem": 2**63 - 1}],
        groups=[
            {
                "minimum": 4,
                "roles": [
                    {"wanted": 2, "minimum": 2, "request": {"mem": BIG}},
                    {"wanted": 3, "request": {"mem": 1}},
                ],
            }
        ],
    )
    assert cannot_be_placed(inst, 0) is not None


@pytest.mark.parametrize("weight", [2**53, 2**62, 2**63, 2**64])
def test_weights_whose_sum_is_not_exact_are_refused(weight: int) -> None:
    inst = make_instance(
        nodes=[{"gpu": 8}], groups=[{"priority": 1, "wanted": 2, "request": {"gpu": 1}}]
    )
    with pytest.raises(PlanError, match="2\\^53"):
        tiers_of(inst, "weighted-gpus", {1: weight})
    assert tiers_of(inst, "weighted-gpus", {1: 2**52})


def test_an_age_whose_worth_is_not_exact_is_refused() -> None:
    inst = make_instance(
        nodes=[{"gpu": 8}],
        groups=[{"age": 2**63 - 1, "wanted": 1, "request": {"gpu": 1}} for _ in range(2)],
    )
    with pytest.raises(PlanError, match="2\\^53"):
        tiers_of(inst, "age")
    assert tiers_of(inst)


def test_free_devices_that_add_up_above_int64_do_not_close_a_node() -> None:
    inst = make_instance(
        nodes=[{"gpu": 2**61, "intact": True}],
        groups=[{"wanted": 1, "request": {"gpu": 1}, "devices": 1000}],
        device_unit=1000,
    )
    milp = build(inst).milp
    start, end = milp.row_blocks["fragmentation.open"]
    assert milp.matrix.toarray()[start:end].min() == -1


def test_devices_that_no_row_holds_exactly_are_refused_by_name() -> None:
    inst = make_instance(nodes=[{"gpu": 2**62}], groups=[{"wanted": 3, "request": {"gpu": 2**41}}])
    with pytest.raises(FormulationError, match="fragmentation"):
        build(inst)


def test_a_tree_of_another_priority_than_its_groups_has_a_tier() -> None:
    inst = make_instance(
        nodes=[{"gpu": 1}],
        groups=[{"parent": 0, "wanted": 1, "request": {"gpu": 1}}],
        composites=[{"priority": 7}],
    )
    assert [t.name for t in tiers_of(inst)][:2] == ["admitted(7)", "admitted-pods(7)"]
    assert ceilings(inst, tiers_of(inst))[0] == 1


def test_a_minimum_that_nobody_can_meet_does_not_reach_the_costs() -> None:
    inst = make_instance(
        nodes=[{"gpu": 8}],
        groups=[
            {"minimum": 2**63 - 1, "wanted": 1, "request": {"gpu": 1}},
            {"wanted": 2, "minimum": 2, "request": {"gpu": 1}},
        ],
    )
    model = build(inst)
    for tier in tiers_of(inst)[:3]:
        assert abs(tier_cost(model, tier)[0]).max() <= 2
