"""Which tier is bounded next: ahead of its turn where units can fall, and again near the end."""

import time

from gangplan.datasets.generate import generate
from gangplan.models.certificate import Certificate
from gangplan.models.instance import Instance
from gangplan.models.result import LP_DUAL
from gangplan.models.tiers import tiers_of, values
from gangplan.solvers.held import no_worse, signed
from gangplan.solvers.planners.anytime.bounding import Bounding
from gangplan.solvers.planners.anytime.ledger import Ledger
from gangplan.solvers.planners.greedy import greedy_plan
from gangplan.solvers.search import Bound, Incumbent

FULL = generate("victims", nodes=64, seed=1)
EMPTY = generate("racks", nodes=64, seed=1)


def bounding(instance: Instance, seconds: float, *, ahead: bool) -> Bounding:
    tiers = tiers_of(instance)
    plan = greedy_plan(instance, tiers)
    now = time.monotonic()
    best = Incumbent(plan, values(instance, plan, tiers))
    return Bounding(Ledger(instance, tiers, now, 0.0, best), now + seconds, ahead)


def bounded(one: Bounding, i: int, seconds: float) -> None:
    one.begun(i, one.held(i))
    one.done(i, seconds)


def test_without_units_a_tier_has_its_turn_once_for_the_values_above() -> None:
    one = bounding(EMPTY, 60, ahead=False)
    assert one.due(1) == 1
    assert one.held(1) == one.ledger.best.values[:1]
    bounded(one, 1, 0.1)
    assert one.due(1) is None


def test_tiers_ahead_follow_as_long_as_they_take_a_part_of_the_time() -> None:
    one = bounding(FULL, 60, ahead=True)
    for i in range(3):
        assert one.due(0) == i
        bounded(one, i, 5.0)
    assert one.due(0) is None


def test_what_tiers_above_are_held_to_leaves_the_plan_itself_and_a_little_more() -> None:
    one = bounding(FULL, 60, ahead=True)
    tiers, worth = one.ledger.tiers, one.ledger.best.values
    held = one.held(len(tiers) - 1)
    assert no_worse(tiers, worth, held)
    assert held[0] == worth[0]
    open_lost = [i for i, tier in enumerate(tiers[:-1]) if tier.kind == "lost" and worth[i]]
    assert open_lost
    assert all(signed(tiers[i], held[i]) > signed(tiers[i], worth[i]) for i in open_lost)


def test_a_proven_tier_is_held_to_what_it_is() -> None:
    one = bounding(FULL, 60, ahead=True)
    ledger = one.ledger
    for i in range(2):
        cost = signed(ledger.tiers[i], ledger.best.values[i])
        ledger.bounds[i] = Bound(
            cost, Certificate(ledger.tiers[i].name, LP_DUAL, ledger.best.values[i])
        )
    assert one.held(3)[:2] == ledger.best.values[:2]


def test_near_the_end_each_tier_is_bounded_once_more_and_held_to_the_plan() -> None:
    one = bounding(FULL, 60, ahead=True)
    n = 4
    for i in range(n):
        bounded(one, i, 4.0)
    one.until = time.monotonic() + 10
    again: list[int] = []
    while (j := one.due(n - 1)) is not None and len(again) < 10:
        again.append(j)
        assert one.held(j) == one.ledger.best.values[:j]
        bounded(one, j, 4.0)
        best = one.ledger.best
        one.ledger.best = Incumbent(best.plan, tuple(value + 1 for value in best.values))
    assert sorted(again) == [1, 2, 3]
