"""Patterns beside brute force, on random small instances; and every integral point decodes."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gangplan.models.formulation import WHOLE, Formulation, Writing
from gangplan.models.instance import Instance
from gangplan.models.patterns.kind import PATTERNS
from gangplan.models.tiers import tiers_of, value, values
from gangplan.models.verify.check import check
from gangplan.solvers.backends.highs import Highs
from tests.brute import best
from tests.models.carried import LIMITS, accepted, carried, optimum, there_and_back
from tests.strategies import instances


def written(instance: Instance, formulation: Formulation = WHOLE) -> Writing:
    """Write the model, or leave the case out that patterns refuse."""
    return accepted(PATTERNS, instance, formulation)


@settings(max_examples=150)
@given(instances(), st.sampled_from(["groups", "gpus", "age", "weighted-gpus"]))
def test_patterns_have_the_optimum_of_brute_force(instance: Instance, objective: str) -> None:
    if objective == "weighted-gpus":
        assume((instance.groups.priority > 0).all())
    model = written(instance)
    assert optimum(model, objective) == best(instance, carried(instance, objective))


@settings(max_examples=60)
@given(instances(), st.data())
def test_any_integral_point_decodes_to_a_plan(instance: Instance, data: st.DataObject) -> None:
    model = written(instance)
    tiers = carried(instance)
    plan, again = there_and_back(model, model, data)
    assert values(instance, again, tiers) == values(instance, plan, tiers)


@settings(max_examples=60)
@given(instances())
def test_without_elastic_pods_a_gang_gets_what_it_needs(instance: Instance) -> None:
    model = written(instance, Formulation(elastic=False))
    tiers = [t for t in tiers_of(instance) if t.kind == "elastic"]
    outcome = Highs().solve(model.milp.with_cost(-np.ones(model.milp.n_cols)), LIMITS)
    assert outcome.x is not None
    plan = model.decode(outcome.x)
    assert not check(instance, plan)
    assert all(value(instance, plan, tier) == 0 for tier in tiers)
