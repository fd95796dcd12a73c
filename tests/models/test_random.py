"""Random tiny instances: every formulation against brute force and the verifier."""

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gangplan.models.formulation import WHOLE, Formulation, Kind
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import OBJECTIVES, better, tiers_of, value, values
from gangplan.models.verify.check import check
from tests import brute
from tests.models.kinds import EVERY_KIND, KINDS
from tests.models.solve import best_plan, optimum
from tests.strategies import instances, plans

RESTRICTIONS = ("assign", "capacity", "gang", "topology", "hierarchy", "shares")

SLOW = settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@SLOW
@given(instances(), st.sampled_from(OBJECTIVES))
def test_every_staged_optimum_equals_brute_force(instance: Instance, objective: str) -> None:
    weights = {int(p): 1 + int(p) for p in set(instance.groups.priority.tolist())}
    tiers = tiers_of(instance, objective, weights if objective == "weighted-gpus" else None)
    best = brute.best(instance, tiers)
    for kind in KINDS:
        plan, have = best_plan(instance, tiers, kind=kind)
        assert not check(instance, plan), kind.name
        assert have == best, kind.name


@SLOW
@given(st.data())
def test_a_plan_that_keeps_the_rules_satisfies_every_row_and_costs_its_value(
    data: st.DataObject,
) -> None:
    instance = data.draw(instances())
    plan = data.draw(plans(instance))
    assume(not check(instance, plan))
    for kind in KINDS:
        agrees(instance, plan, kind)


@EVERY_KIND
@SLOW
@given(instance=instances(), seed=st.integers(0, 2**32 - 1))
def test_optimal_points_of_random_costs_decode_to_plans_that_keep_the_rules(
    instance: Instance, seed: int, kind: Kind
) -> None:
    model = kind.write(instance)
    cost = np.random.default_rng(seed).integers(-5, 3, model.milp.n_cols).astype(np.float64)
    plan = model.decode(optimum(model.milp.with_cost(cost)))
    assert not check(instance, plan)
    agrees(instance, plan, kind)


@EVERY_KIND
@SLOW
@given(instance=instances(), family=st.sampled_from(RESTRICTIONS))
def test_a_restriction_that_is_off_never_makes_the_optimum_worse(
    instance: Instance, family: str, kind: Kind
) -> None:
    tiers = tiers_of(instance)
    loose = replace(WHOLE, **{family: False})
    plan, have = best_plan(instance, tiers, kind=kind)
    _, more = best_plan(instance, tiers, loose, kind)
    assert not better(tiers, have, more)
    agrees(instance, plan, kind, loose)


@SLOW
@given(instances(), st.sampled_from(RESTRICTIONS))
def test_a_restriction_that_is_off_leaves_every_formulation_the_same_optimum(
    instance: Instance, family: str
) -> None:
    tiers = tiers_of(instance)[:-2]  # the soft costs say nothing about a plan that breaks rules
    loose = replace(WHOLE, **{family: False})
    first, *others = (best_plan(instance, tiers, loose, kind)[1] for kind in KINDS)
    assert others == [first] * len(others)


@EVERY_KIND
@SLOW
@given(instance=instances())
def test_elastic_off_never_makes_the_optimum_better(instance: Instance, kind: Kind) -> None:
    tiers = tiers_of(instance)
    plan, less = best_plan(instance, tiers, replace(WHOLE, elastic=False), kind)
    assert not check(instance, plan)
    assert not better(tiers, less, best_plan(instance, tiers, kind=kind)[1])


def agrees(instance: Instance, plan: Plan, kind: Kind, formulation: Formulation = WHOLE) -> None:
    """The plan's point keeps rows and bounds, costs what the tiers say, and decodes to itself."""
    model = kind.write(instance, formulation)
    point = model.encode(plan)
    broken = [model.milp.row_name(int(i)) for i in model.milp.violated_rows(point)]
    assert not broken
    assert (point >= model.milp.lower).all()
    assert (point <= model.milp.upper).all()
    weights = {int(p): 1 + int(p) for p in set(instance.groups.priority.tolist())}
    for objective in OBJECTIVES:
        for tier in tiers_of(
            instance, objective, weights if objective == "weighted-gpus" else None
        ):
            cost, offset = model.tier_cost(tier)
            have = model.milp.with_cost(cost, offset).objective(point)
            assert (-have if tier.maximise else have) == value(instance, plan, tier)
    again = model.decode(point)
    tiers = tiers_of(instance)
    assert values(instance, again, tiers) == values(instance, plan, tiers)
    if formulation.shares:
        assert not check(instance, again)
