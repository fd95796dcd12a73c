"""Configurations beside brute force and counts, on random small instances; points decode."""

from collections.abc import Callable
from functools import partial

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gangplan.models.configurations.kind import CONFIGURATIONS
from gangplan.models.counts.kind import COUNTS
from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Formulation, Kind, Writing
from gangplan.models.instance import Instance
from gangplan.models.tiers import better, tiers_of, value, values
from gangplan.models.verify.check import check
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.held import priced
from gangplan.solvers.planners.greedy import greedy_plan
from tests.brute import best
from tests.models.configurations.meeting import meeting
from tests.strategies import instances

LIMITS = Limits(seconds=20)
CARRIED = ("admitted", "elastic")
OBJECTIVES = ("groups", "gpus", "age", "weighted-gpus")


def written(instance: Instance, formulation: Formulation | None = None) -> Writing:
    """Write the model, or leave the case out that configurations refuse."""
    try:
        return CONFIGURATIONS.write(instance, formulation or Formulation())
    except FormulationError:
        assume(False)
        raise


def optimum(model: Writing, objective: str) -> tuple[int, ...]:
    """Solve tier after tier, each held; return the values, which the decoded plan has, too."""
    tiers = [t for t in tiers_of(model.instance, objective) if t.kind in CARRIED]
    held: list[int] = []
    for i, tier in enumerate(tiers):
        milp = priced(model, tiers, i, held)
        outcome = Highs().solve(milp, LIMITS)
        assert outcome.x is not None
        plan = model.decode(outcome.x)
        assert not check(model.instance, plan)
        worth = round(float(milp.cost @ outcome.x)) + milp.offset
        assert value(model.instance, plan, tier) == (-worth if tier.maximise else worth)
        held.append(value(model.instance, plan, tier))
    return tuple(held)


def points(write: Callable[[Instance], Writing], instance: Instance, data: st.DataObject) -> None:
    """Take a point that a random cost makes best: it decodes, and the plan is a point again."""
    model = write(instance)
    n = model.milp.n_cols
    cost = data.draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n))
    outcome = Highs().solve(model.milp.with_cost(np.array(cost, dtype=float)), LIMITS)
    assert outcome.x is not None
    plan = model.decode(outcome.x)
    assert not check(instance, plan)
    again = model.encode(plan)
    assert not len(model.milp.violated_rows(again))
    tiers = tuple(t for t in tiers_of(instance) if t.kind in CARRIED)
    decoded = model.decode(again)
    assert not check(instance, decoded)
    assert not better(tiers, values(instance, plan, tiers), values(instance, decoded, tiers))


@settings(max_examples=150)
@given(meeting(), st.sampled_from(OBJECTIVES))
def test_configurations_have_the_optimum_of_brute_force(instance: Instance, objective: str) -> None:
    tiers = tuple(t for t in tiers_of(instance, objective) if t.kind in CARRIED)
    assert optimum(CONFIGURATIONS.write(instance), objective) == best(instance, tiers)


@settings(max_examples=30)
@given(instances(), st.sampled_from(OBJECTIVES[:3]))
def test_where_they_do_not_refuse_they_have_the_optimum(instance: Instance, objective: str) -> None:
    model = written(instance)
    tiers = tuple(t for t in tiers_of(instance, objective) if t.kind in CARRIED)
    assert optimum(model, objective) == best(instance, tiers)


@settings(max_examples=40)
@given(meeting(most_nodes=10, most_pods=20), st.sampled_from(OBJECTIVES))
def test_configurations_have_the_optimum_of_counts(instance: Instance, objective: str) -> None:
    def solved(kind: Kind) -> tuple[int, ...]:
        return optimum(kind.write(instance), objective)

    assert solved(CONFIGURATIONS) == solved(COUNTS)


@settings(max_examples=100)
@given(meeting(), st.data())
def test_any_integral_point_decodes_to_a_plan(instance: Instance, data: st.DataObject) -> None:
    points(CONFIGURATIONS.write, instance, data)


@settings(max_examples=60)
@given(meeting(), st.data())
def test_any_point_without_elastic_pods_decodes(instance: Instance, data: st.DataObject) -> None:
    points(partial(CONFIGURATIONS.write, formulation=Formulation(elastic=False)), instance, data)


@settings(max_examples=60)
@given(meeting())
def test_without_elastic_pods_a_gang_gets_what_it_needs(instance: Instance) -> None:
    model = CONFIGURATIONS.write(instance, Formulation(elastic=False))
    outcome = Highs().solve(model.milp.with_cost(-np.ones(model.milp.n_cols)), LIMITS)
    assert outcome.x is not None
    plan = model.decode(outcome.x)
    assert not check(instance, plan)
    for tier in tiers_of(instance):
        if tier.kind == "elastic":
            assert value(instance, plan, tier) == 0


@settings(max_examples=100)
@given(meeting(), st.sampled_from(OBJECTIVES))
def test_a_greedy_plan_is_a_point_and_not_worth_less(instance: Instance, objective: str) -> None:
    tiers = tiers_of(instance, objective)
    carried = tuple(t for t in tiers if t.kind in CARRIED)
    plan = greedy_plan(instance, tiers)
    model = CONFIGURATIONS.write(instance)
    point = model.encode(plan)
    assert not len(model.milp.violated_rows(point))
    decoded = values(instance, model.decode(point), carried)
    assert not better(carried, values(instance, plan, carried), decoded)
