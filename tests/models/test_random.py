"""Random tiny instances: the formulation against brute force and the verifier."""

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gangplan.models.counts.decode import decode, encode
from gangplan.models.counts.formulation import Formulation, build, tier_cost
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import OBJECTIVES, better, tiers_of, value, values
from gangplan.models.verify.check import check
from tests import brute
from tests.models.counts.solve import best_plan, optimum
from tests.strategies import instances, plans

RESTRICTIONS = ("assign", "capacity", "gang", "topology", "hierarchy", "shares")

SLOW = settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@SLOW
@given(instances(), st.sampled_from(OBJECTIVES))
def test_the_staged_optimum_equals_brute_force(instance: Instance, objective: str) -> None:
    weights = {int(p): 1 + int(p) for p in set(instance.groups.priority.tolist())}
    tiers = tiers_of(instance, objective, weights if objective == "weighted-gpus" else None)
    plan, have = best_plan(instance, tiers)
    assert not check(instance, plan)
    assert have == brute.best(instance, tiers)


@SLOW
@given(st.data())
def test_a_plan_that_keeps_the_rules_satisfies_every_row_and_costs_its_value(
    data: st.DataObject,
) -> None:
    instance = data.draw(instances())
    plan = data.draw(plans(instance))
    assume(not check(instance, plan))
    agrees(instance, plan)


@SLOW
@given(instances(), st.integers(0, 2**32 - 1))
def test_optimal_points_of_random_costs_decode_to_plans_that_keep_the_rules(
    instance: Instance, seed: int
) -> None:
    model = build(instance)
    cost = np.random.default_rng(seed).integers(-5, 3, model.milp.n_cols).astype(np.float64)
    plan = decode(model, optimum(model.milp.with_cost(cost)))
    assert not check(instance, plan)
    agrees(instance, plan)


@SLOW
@given(instances(), st.sampled_from(RESTRICTIONS))
def test_a_restriction_that_is_off_never_makes_the_optimum_worse(
    instance: Instance, family: str
) -> None:
    tiers = tiers_of(instance)
    loose = replace(Formulation(), **{family: False})
    plan, have = best_plan(instance, tiers)
    _, more = best_plan(instance, tiers, loose)
    assert not better(tiers, have, more)
    agrees(instance, plan, loose)


@SLOW
@given(instances())
def test_elastic_off_never_makes_the_optimum_better(instance: Instance) -> None:
    tiers = tiers_of(instance)
    plan, less = best_plan(instance, tiers, replace(Formulation(), elastic=False))
    assert not check(instance, plan)
    assert not better(tiers, less, best_plan(instance, tiers)[1])


def agrees(instance: Instance, plan: Plan, formulation: Formulation | None = None) -> None:
    """The plan's point keeps rows and bounds, costs what the tiers say, and decodes to itself."""
    model = build(instance, Formulation() if formulation is None else formulation)
    point = encode(model, plan)
    broken = [model.milp.row_name(int(i)) for i in model.milp.violated_rows(point)]
    assert not broken
    assert (point >= model.milp.lower).all()
    assert (point <= model.milp.upper).all()
    weights = {int(p): 1 + int(p) for p in set(instance.groups.priority.tolist())}
    for objective in OBJECTIVES:
        for tier in tiers_of(
            instance, objective, weights if objective == "weighted-gpus" else None
        ):
            cost, offset = tier_cost(model, tier)
            have = model.milp.with_cost(cost, offset).objective(point)
            assert (-have if tier.maximise else have) == value(instance, plan, tier)
    again = decode(model, point)
    tiers = tiers_of(instance)
    assert values(instance, again, tiers) == values(instance, plan, tiers)
    if formulation is None or formulation.shares:
        assert not check(instance, again)
