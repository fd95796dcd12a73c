"""What is lost, counted once more; and results that were planned with preemption off."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.result import COUNTING, Result, TierReport
from gangplan.models.tier import Tier
from gangplan.models.tiers import tiers_of, values
from gangplan.models.verify import check_result
from gangplan.models.verify.objective import recount_all
from gangplan.models.verify.results import objective_of
from tests.placing import place
from tests.strategies_preemption import evicting_plans, preempting
from tests.tiny import make_instance
from tests.tiny_running import with_running


@pytest.fixture
def instance() -> Instance:
    bare = make_instance([{"gpu": 0}], [{"kind": "bare", "priority": 9, "request": {"gpu": 9}}])
    return with_running(
        bare,
        [
            {"node": 0, "request": {"gpu": 4}, "priority": 5, "minutes": 600},
            {"node": 0, "request": {"gpu": 2}, "priority": 1, "minutes": 420},
            {"node": 0, "request": {"gpu": 0}, "priority": 1, "minutes": 239},
            {"node": 0, "request": {"gpu": 1}, "priority": 1},
        ],
        [{"pods": [0, 1, 2], "allowed": 1}, {"pods": [0], "allowed": 0}],
    )


def falls(instance: Instance, *units: int) -> Plan:
    return replace(place(instance, [0]), evicted=np.array(units, dtype=np.int64))


@pytest.mark.parametrize(
    ("units", "five", "one"),
    [
        ((), [0, 0, 0, 0], [0, 0, 0, 0]),
        ((0,), [1, 4, 1, 40], [1, 0, 0, 0]),
        ((1, 2, 3), [0, 0, 0, 0], [1, 3, 3, 17]),
        ((0, 1, 2, 3), [1, 4, 1, 40], [3, 3, 3, 17]),
    ],
)
def test_budgets_devices_pods_and_hours_of_each_priority(
    instance: Instance, units: tuple[int, ...], five: list[int], one: list[int]
) -> None:
    lost = [tier for tier in tiers_of(instance) if tier.kind == "lost"]
    kinds = ("budgets", "gpus", "pods", "hours")
    assert [tier.name for tier in lost] == [f"lost-{k}({p})" for p in (5, 1) for k in kinds]
    assert list(recount_all(instance, falls(instance, *units), lost)) == [*five, *one]


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_the_objective_counts_alike(data: st.DataObject) -> None:
    instance = data.draw(preempting())
    plan = data.draw(evicting_plans(instance))
    lost = tuple(tier for tier in tiers_of(instance) if tier.kind == "lost")
    assume(lost)
    assert recount_all(instance, plan, lost) == values(instance, plan, lost)


@pytest.mark.parametrize(
    "tier",
    [
        Tier("lost-hope(5)", "lost", False, "hope", ((5, 1),)),
        Tier("lost-pods", "lost", False, "pods", ((5, 1), (1, 1))),
        Tier("lost-pods(5)", "lost", False, "pods", ((5, 2),)),
    ],
)
def test_a_tier_that_is_not_known_is_refused(instance: Instance, tier: Tier) -> None:
    with pytest.raises(PlanError, match=r"tier lost-.*: "):
        recount_all(instance, falls(instance, 0), [tier])


def result(instance: Instance, plan: Plan, **planner: object) -> Result:
    """Proven in every tier of the instance as these options leave it."""
    options: dict[str, object] = {"objective": "groups", **planner}
    tiers = objective_of(instance, options)
    reports = tuple(
        TierReport(tier.name, tier.maximise, value, value, COUNTING, True)
        for tier, value in zip(tiers, recount_all(instance, plan, tiers), strict=True)
    )
    return Result(plan, reports, "optimal", options)


def test_a_result_is_checked_as_it_was_planned(instance: Instance) -> None:
    nobody = place(instance, [-1])
    off = result(instance, nobody, preemption=False)
    assert not any(report.name.startswith("lost") for report in off.tiers)
    assert check_result(instance, off) == ()
    assert check_result(instance, off, objective_of(instance, off.planner)) == ()
    hard = result(instance, falls(instance, 1), pdb="hard")
    assert check_result(instance, hard, objective_of(instance, hard.planner)) == ()


def test_a_result_without_preemption_evicts_nobody(instance: Instance) -> None:
    off = result(instance, place(instance, [-1]), preemption=False)
    (found,) = check_result(instance, replace(off, plan=falls(instance, 1)))
    assert "plan.evicted" in found.sentence


def test_a_loss_that_is_told_smaller_is_found(instance: Instance) -> None:
    honest = result(instance, falls(instance, 0))
    (at,) = [i for i, report in enumerate(honest.tiers) if report.name == "lost-gpus(5)"]
    less = replace(honest.tiers[at], value=3, bound=3)
    forged = (*honest.tiers[:at], less, *honest.tiers[at + 1 :])
    (found,) = check_result(instance, replace(honest, tiers=forged))
    assert found.sentence == "tier lost-gpus(5): reported 3, the plan has 4"


def test_another_word_for_budgets_is_refused(instance: Instance) -> None:
    firm = replace(result(instance, falls(instance)), planner={"pdb": "firm"})
    with pytest.raises(PlanError, match="pdb 'firm'"):
        check_result(instance, firm)
