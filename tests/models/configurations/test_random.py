"""Configurations beside brute force and counts, on random small instances; points decode."""

from collections.abc import Callable
from functools import partial

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.configurations.kind import CONFIGURATIONS
from gangplan.models.counts.kind import COUNTS
from gangplan.models.formulation import WHOLE, Formulation, Kind, Writing
from gangplan.models.instance import Instance
from gangplan.models.tiers import better, tiers_of, value, values
from gangplan.models.verify.check import check
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.planners.greedy import greedy_plan
from tests.brute import best
from tests.models.carried import CARRIED, LIMITS, accepted, carried, optimum, there_and_back
from tests.models.configurations.meeting import meeting
from tests.strategies import instances

OBJECTIVES = ("groups", "gpus", "age", "weighted-gpus")


def written(instance: Instance, formulation: Formulation = WHOLE) -> Writing:
    """Write the model, or leave the case out that configurations refuse."""
    return accepted(CONFIGURATIONS, instance, formulation)


def points(write: Callable[[Instance], Writing], instance: Instance, data: st.DataObject) -> None:
    """A plan that is a point comes back no worse: rooms may hold more than it asks."""
    model, tiers = write(instance), carried(instance)
    plan, again = there_and_back(model, model, data)
    assert not better(tiers, values(instance, plan, tiers), values(instance, again, tiers))


@settings(max_examples=150)
@given(meeting(), st.sampled_from(OBJECTIVES))
def test_configurations_have_the_optimum_of_brute_force(instance: Instance, objective: str) -> None:
    tiers = carried(instance, objective)
    assert optimum(CONFIGURATIONS.write(instance), objective) == best(instance, tiers)


@settings(max_examples=30)
@given(instances(), st.sampled_from(OBJECTIVES[:3]))
def test_where_they_do_not_refuse_they_have_the_optimum(instance: Instance, objective: str) -> None:
    model = written(instance)
    tiers = carried(instance, objective)
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
