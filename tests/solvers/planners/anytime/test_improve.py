"""One neighbourhood: never worse, always verified, and the optimum where it is everything."""

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from gangplan.models.arrays import Ints
from gangplan.models.counts.kind import COUNTS
from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Kind
from gangplan.models.instance import Instance
from gangplan.models.part import inside
from gangplan.models.patterns.kind import PATTERNS
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.tiers import Tier, better, tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.backends.fixed import FixedSolver
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Outcome, Stop
from gangplan.solvers.planners.anytime.improve import improve
from gangplan.solvers.planners.greedy import greedy_plan
from gangplan.solvers.search import Incumbent
from tests import brute, brute_preemption
from tests.strategies import instances
from tests.strategies_preemption import preempting
from tests.tiny import make_instance

LIMITS = Limits(seconds=20)
SOLVER = Highs()
SLOW = settings(
    deadline=None,
    max_examples=25,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)

MIXED = make_instance(
    nodes=[
        {"gpu": 8, "cpu": 16, "rack": "a"},
        {"gpu": 8, "cpu": 16, "rack": "a"},
        {"gpu": 8, "cpu": 96, "rack": "b"},
        {"gpu": 8, "cpu": 96, "rack": "b"},
    ],
    groups=[
        {"wanted": 2, "request": {"gpu": 4, "cpu": 8}, "rules": [("rack", "required")]},
        {"wanted": 2, "request": {"gpu": 8, "cpu": 48}, "rules": [("rack", "required")]},
        {"wanted": 2, "request": {"gpu": 8, "cpu": 8}, "rules": [("rack", "required")]},
    ],
)
"""The small gang in rack b keeps the hungry one out."""


def incumbent(instance: Instance, plan: Plan, tiers: tuple[Tier, ...]) -> Incumbent:
    return Incumbent(plan, values(instance, plan, tiers))


def settled(instance: Instance, tiers: tuple[Tier, ...], best: Incumbent, kind: Kind) -> Incumbent:
    """Improve with all nodes and all groups, tier after tier, until nothing comes."""
    nodes = np.arange(len(instance.nodes))
    for i in range(len(tiers)):
        while tiers[i].kind not in kind.lacks:
            groups = np.flatnonzero(inside(instance, best.plan, nodes))
            found = improve(instance, tiers, i, best, nodes, groups, SOLVER, LIMITS, kind)
            if found is None:
                break
            best = found
    return best


@pytest.mark.parametrize("kind", [COUNTS, PATTERNS], ids=lambda kind: kind.name)
def test_a_gang_moves_to_let_another_in(kind: Kind) -> None:
    tiers = tiers_of(MIXED, "gpus")
    plan = Plan(np.array([2, 3, -1, -1, -1, -1]), np.zeros(0, int), np.zeros(0, int))
    best = settled(MIXED, tiers, incumbent(MIXED, plan, tiers), kind)
    assert best.values[0] == brute.best(MIXED, tiers)[0] > values(MIXED, plan, tiers)[0]


@SLOW
@given(instances(max_nodes=4, max_pods=7))
def test_where_the_neighbourhood_is_everything_every_tier_is_the_best(
    instance: Instance,
) -> None:
    tiers = tiers_of(instance)
    best = settled(instance, tiers, incumbent(instance, empty_plan(instance), tiers), COUNTS)
    assert best.values == brute.best(instance, tiers)


@SLOW
@given(instances(max_nodes=4, max_pods=7))
def test_patterns_find_the_same_first_tier(instance: Instance) -> None:
    tiers = tiers_of(instance)[:1]
    start = incumbent(instance, empty_plan(instance), tiers)
    try:
        best = settled(instance, tiers, start, PATTERNS)
    except FormulationError:
        assume(False)
    assert best.values == brute.best(instance, tiers)


@SLOW
@given(preempting(), st.data())
def test_what_comes_back_is_better_and_keeps_the_rules(
    instance: Instance, data: st.DataObject
) -> None:
    assume(not instance.claims)
    tiers = tiers_of(instance)
    plan = greedy_plan(instance, tiers) if data.draw(st.booleans()) else empty_plan(instance)
    best = incumbent(instance, plan, tiers)
    n = len(instance.nodes)
    nodes = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1))))
    may = np.flatnonzero(inside(instance, best.plan, nodes))
    groups = whole(instance, may, data.draw(st.booleans()))
    for i in range(len(tiers)):
        found = improve(instance, tiers, i, best, nodes, groups, SOLVER, LIMITS, COUNTS)
        if found is not None:
            assert better(tiers, found.values, best.values)
            assert found.values == values(instance, found.plan, tiers)
            assert not check(instance, found.plan)


@SLOW
@given(preempting())
def test_with_evictions_the_first_tier_reaches_the_optimum(instance: Instance) -> None:
    assume(not instance.claims)
    tiers = tiers_of(instance)
    best = settled(instance, tiers, incumbent(instance, empty_plan(instance), tiers), COUNTS)
    assert best.values[0] == brute_preemption.best(instance, tiers)[0]


def whole(instance: Instance, may: Ints, all_of_them: bool) -> Ints:
    """Leave out every second group that has no tree."""
    if all_of_them:
        return may
    kept: Ints = may[(instance.groups.parent[may] >= 0) | (may % 2 == 0)]
    return kept


@pytest.mark.parametrize(
    "outcome",
    [Outcome(Stop.NONE_FOUND), Outcome(Stop.OPTIMAL, x=np.full(500, 7.0))],
    ids=["nothing", "nonsense"],
)
def test_a_solver_that_gives_nothing_of_use_gives_no_plan(outcome: Outcome) -> None:
    tiers = tiers_of(MIXED)
    best = incumbent(MIXED, empty_plan(MIXED), tiers)
    nodes, groups = np.arange(4), np.arange(3)
    solver = FixedSolver(outcome)
    assert improve(MIXED, tiers, 0, best, nodes, groups, solver, LIMITS, COUNTS) is None
