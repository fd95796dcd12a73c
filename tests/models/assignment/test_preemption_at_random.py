"""Random full clusters: plans that keep rules 1-8 are the points that keep the rows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gangplan.datasets.generate import generate
from gangplan.models.assignment.formulation import build
from gangplan.models.assignment.kind import ASSIGNMENT
from gangplan.models.counts.kind import COUNTS
from gangplan.models.errors import PlanError
from gangplan.models.formulation import Formulation
from gangplan.models.gone import without_units
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.tiers import tiers_of
from gangplan.models.verify.check import check
from tests import brute_preemption as brute
from tests.brute_victims import lawful
from tests.models.assignment.points import is_a_point
from tests.models.solve import best_plan, optimum
from tests.strategies import plans
from tests.strategies_preemption import preempting, preempting_claims

MANY = settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
FEW = settings(MANY, max_examples=15)

ANYBODY = st.one_of(preempting(), preempting_claims())
SMALL = st.one_of(preempting(max_nodes=3, max_pods=4), preempting_claims())


@st.composite
def evicting(draw: st.DrawFn, instance: Instance) -> Plan:
    """Draw a plan, sound or not, that evicts some or all of what is named."""
    units = range(len(instance.running))
    some = draw(st.sets(st.sampled_from(units)) if units else st.just(set[int]()))
    whole = {v for g in draw(_groups(instance)) for v in _units_of(instance, g)}
    evicted = np.array(sorted(some if draw(st.booleans()) else whole), dtype=np.int64)
    *_, freed = brute.every_freed(instance, frozenset(evicted.tolist()))
    plan = draw(plans(brute.after(instance, frozenset(evicted.tolist()), freed)))
    return replace(plan, evicted=evicted)


def _groups(instance: Instance) -> st.SearchStrategy[set[int]]:
    """Groups with running members."""
    groups = np.flatnonzero(instance.groups.running).tolist()
    return st.sets(st.sampled_from(groups)) if groups else st.just(set())


def _units_of(instance: Instance, group: int) -> set[int]:
    running = instance.running
    return set(running.pod_unit[running.pod_group == group].tolist())


@MANY
@given(st.data())
def test_a_plan_is_a_point_exactly_when_it_keeps_the_rules(data: st.DataObject) -> None:
    instance = data.draw(ANYBODY)
    plan = data.draw(evicting(instance))
    assert is_a_point(instance, plan) == brute.allowed(instance, plan)


@MANY
@given(st.data())
def test_who_may_fall_is_what_the_rows_let_fall(data: st.DataObject) -> None:
    """Nobody is placed, so that rules 2, 3, 4 and 7 alone speak; for whom they fall does not."""
    instance = data.draw(ANYBODY)
    evicted = data.draw(evicting(instance)).evicted
    model = build(instance)
    sound = lawful(instance, frozenset(evicted.tolist()))
    try:
        point = ASSIGNMENT.encode(model, replace(empty_plan(instance), evicted=evicted))
    except PlanError:
        assert not sound
        return
    first, last = model.milp.row_blocks.get("preemption.whom", (0, 0))
    broken = [i for i in model.milp.violated_rows(point).tolist() if not first <= i < last]
    assert sound == (not broken), [model.milp.row_name(i) for i in broken]
    assert (point <= model.milp.upper).all()


@MANY
@given(st.data())
def test_optimal_points_decode_to_sound_plans_and_those_one_step_away_are_told_apart(
    data: st.DataObject,
) -> None:
    instance = data.draw(ANYBODY)
    model = build(instance)
    seed = data.draw(st.integers(0, 2**32 - 1))
    cost = np.random.default_rng(seed).integers(-5, 3, model.milp.n_cols).astype(np.float64)
    cost[model.x.cols] -= 7
    cost[model.claims.give.cols] -= 3
    plan = ASSIGNMENT.decode(model, optimum(model.milp.with_cost(cost)))
    assert brute.allowed(instance, plan)
    assert is_a_point(instance, plan)
    near = data.draw(neighbours(instance, plan))
    assert is_a_point(instance, near) == brute.allowed(instance, near)


@st.composite
def neighbours(draw: st.DrawFn, instance: Instance, plan: Plan) -> Plan:
    """Draw a plan that differs in one unit or one group that falls, or in one pod's node."""
    running, node = instance.running, plan.node.copy()
    change = draw(st.sampled_from(["unit", "group", "pod"]))
    if change == "pod" or not len(running):
        node[draw(st.integers(0, len(node) - 1))] = draw(st.integers(-1, len(instance.nodes) - 1))
        return replace(plan, node=node)
    units = {draw(st.integers(0, len(running) - 1))}
    if change == "group":
        units |= _units_of(instance, int(running.pod_group[running.pod_unit == min(units)][0]))
    evicted = sorted(units ^ set(plan.evicted.tolist()))
    return replace(plan, evicted=np.array(evicted, dtype=np.int64))


@FEW
@given(SMALL)
def test_the_optimum_is_that_of_brute_force(instance: Instance) -> None:
    tiers = tiers_of(instance)
    plan, have = best_plan(instance, tiers, kind=ASSIGNMENT)
    assert brute.allowed(instance, plan)
    assert not check(instance, plan)
    assert have == brute.best(instance, tiers)


@FEW
@given(st.one_of(preempting(max_nodes=5, max_pods=8), preempting_claims(max_nodes=4, max_pods=6)))
def test_the_optimum_is_that_of_counts(instance: Instance) -> None:
    tiers = tiers_of(instance)
    plan, have = best_plan(instance, tiers, kind=ASSIGNMENT)
    assert not check(instance, plan)
    assert have == best_plan(instance, tiers, kind=COUNTS)[1]


@pytest.mark.parametrize(("name", "nodes"), [("storm", 16), ("urgent-rack", 16), ("victims", 16)])
def test_what_is_admitted_and_lost_of_generated_clusters_is_that_of_counts(
    name: str, nodes: int
) -> None:
    instance = generate(name, nodes=nodes, seed=2)
    tiers = [tier for tier in tiers_of(instance) if tier.kind in ("lost", "admitted")]
    plan, have = best_plan(instance, tiers, kind=ASSIGNMENT)
    assert len(plan.evicted)
    assert not check(instance, plan)
    assert have == best_plan(instance, tiers, kind=COUNTS)[1]


@FEW
@given(ANYBODY)
def test_off_is_the_model_of_the_instance_without_units(instance: Instance) -> None:
    off = Formulation(preemption=False)
    plain = without_units(instance)
    milp = build(instance, off).milp
    assert milp.digest() == build(plain, off).milp.digest() == build(plain).milp.digest()
    assert not {"e", "whole", "s", "f", "viol"} & set(milp.col_blocks)
