"""The ledger: nothing worse and nothing broken gets in, and bounds speak of the plan they meet."""

import time
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.certificate import Certificate
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.result import LP_DUAL
from gangplan.models.tiers import better, tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.planners.anytime.ledger import Ledger
from gangplan.solvers.search import Bound, Incumbent
from gangplan.solvers.standing import by_counting
from tests.strategies import instances, plans
from tests.tiny import make_instance

TWO = make_instance(
    nodes=[{"gpu": 4}, {"gpu": 4}],
    groups=[{"request": {"gpu": 4}, "priority": 1}, {"request": {"gpu": 4}, "wanted": 2}],
)


def ledger_of(instance: Instance, gap: float = 0.0) -> Ledger:
    tiers = tiers_of(instance)
    plan = empty_plan(instance)
    return Ledger(
        instance, tiers, time.monotonic(), gap, Incumbent(plan, values(instance, plan, tiers))
    )


def placed(*nodes: int) -> Plan:
    none = np.zeros(0, dtype=np.int64)
    return Plan(np.array(nodes, dtype=np.int64), none, none)


def bound(ledger: Ledger, i: int, value: int, held: tuple[int, ...]) -> Bound:
    tier = ledger.tiers[i]
    cost = -value if tier.maximise else value
    return Bound(cost, Certificate(tier.name, LP_DUAL, value, "counts", held=held))


def test_a_better_plan_gets_in_and_the_trace_says_when() -> None:
    ledger = ledger_of(TWO)
    assert ledger.offer(placed(0, -1, -1), "a test")
    assert [moment.values[0] for moment in ledger.trace] == [0, 1]


def test_a_plan_that_breaks_a_rule_does_not_get_in_and_is_told() -> None:
    ledger = ledger_of(TWO)
    assert not ledger.offer(placed(0, 0, 1), "a test")
    assert ledger.best.values[0] == 0
    assert len(ledger.warnings) == 1
    assert ledger.warnings[0].startswith("a plan of a test was set aside: ")


def test_a_plan_that_is_worse_does_not_get_in() -> None:
    ledger = ledger_of(TWO)
    ledger.offer(placed(0, -1, -1), "a test")
    assert not ledger.offer(placed(-1, 0, 1), "a test")
    assert ledger.best.values[0] == 1


def test_a_bound_that_was_held_to_more_than_the_plan_has_says_nothing_of_it() -> None:
    ledger = ledger_of(TWO)
    ledger.learn(1, bound(ledger, 1, 1, held=(1,)))
    assert ledger.bounds[1] is None
    ledger.offer(placed(0, -1, -1), "a test")
    ledger.learn(1, bound(ledger, 1, 1, held=(1,)))
    assert ledger.bounds[1] is not None


def test_a_bound_by_counting_stands_in_for_one_that_no_longer_speaks_of_the_plan() -> None:
    ledger = ledger_of(TWO)
    ledger.count(by_counting(TWO, ledger.tiers))
    ledger.learn(2, bound(ledger, 2, 0, held=(0, 0)))
    assert ledger.bounds[2] is not None
    assert ledger.bounds[2].proof == LP_DUAL
    ledger.offer(placed(0, -1, -1), "a test")
    assert ledger.bounds[2] is not None  # no worse in the tiers above: it still speaks
    ledger.offer(placed(0, -1, -1), "a test")
    assert ledger.done(0)


def test_a_tier_within_the_gap_is_done() -> None:
    ledger = ledger_of(TWO, gap=0.5)
    ledger.offer(placed(0, -1, -1), "a test")
    ledger.learn(0, bound(ledger, 0, 2, held=()))
    assert not ledger.done(0)
    ledger.gap = 0.999
    ledger.bounds[0] = bound(ledger, 0, 1, held=())
    assert ledger.done(0)


@settings(max_examples=40)
@given(instances(), st.data())
def test_the_best_plan_keeps_the_rules_and_the_trace_only_gets_better(
    instance: Instance, data: st.DataObject
) -> None:
    ledger = ledger_of(instance)
    for _ in range(4):
        ledger.offer(data.draw(plans(instance)), "a test")
    assert not check(instance, ledger.best.plan)
    assert ledger.best.values == values(instance, ledger.best.plan, ledger.tiers)
    told = [moment.values for moment in ledger.trace]
    for before, after in pairwise(told):
        assert better(ledger.tiers, after, before)
