"""Evictions in patterns beside counts and brute force, on random tiny full clusters."""

from dataclasses import replace

import numpy as np
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Formulation, Writing
from gangplan.models.instance import Instance
from gangplan.models.patterns.kind import PATTERNS
from gangplan.models.tiers import Tier, better, tiers_of, values
from gangplan.models.verify.check import check
from gangplan.models.victims import victims_of
from gangplan.solvers.reprieve import reprieved
from tests import brute_preemption
from tests.models.solve import best_plan, optimum
from tests.strategies import Features
from tests.strategies_preemption import evicting_plans, preempting_with
from tests.tiny import make_instance
from tests.tiny_running import with_running

PLAIN = Features(composites=False, shares=False, claims=False, preferred=False, held=False)
"""What patterns carry; all of it, so that most instances have a victim."""

BOUND = replace(PLAIN, loose=False, identical=False, running=False, ineligible=False)
"""Mostly few gangs that racks or blocks bind."""

FULL = st.one_of(preempting_with(PLAIN), preempting_with(BOUND))
LARGER = st.one_of(
    preempting_with(PLAIN, max_nodes=6, max_pods=9), preempting_with(BOUND, max_nodes=6, max_pods=9)
)


@st.composite
def racks(draw: st.DrawFn) -> Instance:
    """Three or four racks, units that run across them, and fewer gangs, each for one rack."""
    n_racks, per = draw(st.integers(3, 4)), draw(st.integers(1, 2))
    nodes = [{"gpu": 0, "rack": f"r{n // per}"} for n in range(n_racks * per)]
    where = [n for n in range(len(nodes)) if draw(st.integers(0, 4))]
    owner = [draw(st.integers(0, 2)) for _ in where]
    olds = [
        {
            "roles": [], "running": [n for n, g in zip(where, owner, strict=True) if g == old],
            "minimum": 1, "priority": draw(st.integers(0, 1)),
        }
        for old in range(3)
    ]  # fmt: skip
    wanted = draw(st.integers(1, per))
    gang = {
        "priority": 5, "minimum": wanted, "wanted": wanted, "rules": [("rack", "required")],
        "request": {"gpu": draw(st.sampled_from([2, 3, 4]))},
    }  # fmt: skip
    running = [
        {"node": n, "group": g, "request": {"gpu": draw(st.sampled_from([2, 4]))}}
        | ({"unit": g} if g else {})
        for n, g in zip(where, owner, strict=True)
    ]
    free = [node | {"gpu": draw(st.sampled_from([0, 0, 1]))} for node in nodes]
    return with_running(make_instance(free, [*olds, *[gang] * draw(st.integers(1, 2))]), running)


@settings(max_examples=30, deadline=None)
@given(racks())
def test_few_gangs_for_many_racks(instance: Instance) -> None:
    model = written(instance)
    event("ev" if model.model.serving is not None and len(model.model.serving.index) else "")
    tiers = carried(instance)
    plan, found = best_plan(instance, tiers, kind=PATTERNS)
    assert found == brute_preemption.best(instance, tiers)
    assert not len(model.milp.violated_rows(model.encode(plan)))
    assert best_plan(instance, tiers)[1] == found


OBJECTIVES = st.sampled_from(["groups", "gpus", "age"])


def written(instance: Instance) -> Writing:
    """Write the model, or leave out a case that patterns refuse, or without a victim."""
    assume(victims_of(instance).can.any())
    try:
        return PATTERNS.write(instance)
    except FormulationError:
        assume(False)
        raise


def carried(instance: Instance, objective: str = "groups") -> tuple[Tier, ...]:
    return tuple(
        t for t in tiers_of(instance, objective) if t.kind in ("lost", "admitted", "elastic")
    )


@settings(max_examples=40, deadline=None)
@given(FULL, OBJECTIVES)
def test_patterns_have_the_optimum_of_brute_force(instance: Instance, objective: str) -> None:
    written(instance)
    tiers = carried(instance, objective)
    plan, found = best_plan(instance, tiers, kind=PATTERNS)
    assert found == brute_preemption.best(instance, tiers)
    # The optimum has no needless victim: rule 9 is part of the check.
    assert not check(instance, plan)


@settings(max_examples=20, deadline=None)
@given(LARGER, OBJECTIVES)
def test_patterns_have_the_optimum_of_counts(instance: Instance, objective: str) -> None:
    written(instance)
    tiers = carried(instance, objective)
    assert best_plan(instance, tiers, kind=PATTERNS)[1] == best_plan(instance, tiers)[1]


@settings(max_examples=30, deadline=None)
@given(LARGER, st.integers(0, 99))
def test_any_integral_point_decodes_to_a_plan(instance: Instance, seed: int) -> None:
    model, random = written(instance), np.random.default_rng(seed)
    cost = random.integers(-5, 6, model.milp.n_cols).astype(np.float64)
    start, end = model.milp.col_blocks["lambda"]
    cost[start:end] -= 3
    plan = model.decode(optimum(model.milp.with_cost(cost)))
    # Victims that fall for nobody are a matter of the optimum, and of ``reprieved``.
    assert not [v for v in check(instance, plan) if v.family != "preemption"]
    kept = reprieved(instance, plan)
    assert not check(instance, kept)
    for one in (plan, kept):
        point = model.encode(one)
        assert not len(model.milp.violated_rows(point))
        assert (point <= model.milp.upper).all()
        again = model.decode(point)
        assert again.evicted.tolist() == one.evicted.tolist()
        tiers = carried(instance)
        assert values(instance, again, tiers) == values(instance, one, tiers)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_plan_that_keeps_the_rules_is_a_point(data: st.DataObject) -> None:
    instance = data.draw(FULL)
    model = written(instance)
    plan = data.draw(evicting_plans(instance))
    plan = reprieved(instance, plan)
    assume(not check(instance, plan))
    point = model.encode(plan)
    assert not len(model.milp.violated_rows(point))
    for tier in carried(instance):
        cost, offset = model.tier_cost(tier)
        worth = model.milp.with_cost(cost, offset).objective(point)
        assert values(instance, plan, (tier,)) == (-worth if tier.maximise else worth,)


@settings(max_examples=15, deadline=None)
@given(FULL)
def test_a_plan_with_evictions_is_no_worse_than_one_without(instance: Instance) -> None:
    written(instance)
    tiers = carried(instance)
    _, free = best_plan(instance, tiers, kind=PATTERNS)
    _, bound = best_plan(instance, tiers, Formulation(preemption=False), PATTERNS)
    assert not better(tiers, bound, free)
