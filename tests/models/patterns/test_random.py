"""Patterns beside brute force, on random small instances; and every integral point decodes."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Formulation, Writing
from gangplan.models.instance import Instance
from gangplan.models.patterns.kind import PATTERNS
from gangplan.models.tiers import tiers_of, value, values
from gangplan.models.verify.check import check
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.held import priced
from tests.brute import best
from tests.strategies import instances

LIMITS = Limits(seconds=20)
CARRIED = ("admitted", "elastic")


def written(instance: Instance, formulation: Formulation | None = None) -> Writing:
    """Write the model, or leave the case out that patterns refuse."""
    try:
        return PATTERNS.write(instance, formulation or Formulation())
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


@settings(max_examples=150)
@given(instances(), st.sampled_from(["groups", "gpus", "age", "weighted-gpus"]))
def test_patterns_have_the_optimum_of_brute_force(instance: Instance, objective: str) -> None:
    if objective == "weighted-gpus":
        assume((instance.groups.priority > 0).all())
    model = written(instance)
    tiers = tuple(t for t in tiers_of(instance, objective) if t.kind in CARRIED)
    assert optimum(model, objective) == best(instance, tiers)


@settings(max_examples=60)
@given(instances(), st.data())
def test_any_integral_point_decodes_to_a_plan(instance: Instance, data: st.DataObject) -> None:
    model = written(instance)
    n = model.milp.n_cols
    cost = data.draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n))
    outcome = Highs().solve(model.milp.with_cost(np.array(cost, dtype=float)), LIMITS)
    assert outcome.x is not None
    plan = model.decode(outcome.x)
    assert not check(instance, plan)
    again = model.encode(plan)
    assert not len(model.milp.violated_rows(again))
    tiers = tuple(t for t in tiers_of(instance) if t.kind in CARRIED)
    assert values(instance, model.decode(again), tiers) == values(instance, plan, tiers)


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
