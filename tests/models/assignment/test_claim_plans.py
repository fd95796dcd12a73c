"""Random instances with devices: plans that keep the rules are the points that keep the rows."""

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gangplan.models.assignment.formulation import build
from gangplan.models.assignment.kind import ASSIGNMENT
from gangplan.models.instance import Instance
from gangplan.models.plan import Allocations, Plan
from gangplan.models.tiers import tiers_of
from gangplan.models.verify.check import check
from tests import brute
from tests.differential.changed import with_groups, with_nodes
from tests.differential.changed_devices import shuffled
from tests.models.assignment.points import is_a_point
from tests.models.solve import best_plan, optimum
from tests.strategies import claiming, plans

MANY = settings(
    deadline=None,
    max_examples=80,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
FEW = settings(MANY, max_examples=20)


@MANY
@given(st.data())
def test_a_plan_is_a_point_exactly_when_the_verifier_has_nothing_to_say(
    data: st.DataObject,
) -> None:
    instance = data.draw(claiming())
    plan = data.draw(plans(instance))
    found = check(instance, plan)
    assert is_a_point(instance, plan) == (not found), found
    assert brute.allowed(instance, plan) == (not found), found


@MANY
@given(st.data())
def test_optimal_points_decode_to_sound_plans_and_those_one_row_away_are_told_apart(
    data: st.DataObject,
) -> None:
    instance = data.draw(claiming())
    model = build(instance)
    seed = data.draw(st.integers(0, 2**32 - 1))
    cost = np.random.default_rng(seed).integers(-9, 3, model.milp.n_cols).astype(np.float64)
    cost[model.x.cols] -= 9
    plan = ASSIGNMENT.decode(model, optimum(model.milp.with_cost(cost)))
    assert not check(instance, plan)
    assert brute.allowed(instance, plan)
    assert is_a_point(instance, plan)
    near = data.draw(neighbours(instance, plan))
    found = check(instance, near)
    assert is_a_point(instance, near) == (not found), found
    assert brute.allowed(instance, near) == (not found), found


@st.composite
def neighbours(draw: st.DrawFn, instance: Instance, plan: Plan) -> Plan:
    """Draw a plan that differs in one pod's node, or in one device."""
    given_ = plan.allocations
    rows = np.column_stack([given_.pod, given_.claim, given_.choice, given_.device])
    change = draw(st.sampled_from(["node", "device", "choice", "less", "more"]))
    if change == "node" or not len(rows):
        node = plan.node.copy()
        node[draw(st.integers(0, len(node) - 1))] = draw(st.integers(-1, len(instance.nodes) - 1))
        return replace(plan, node=node)
    one = draw(st.integers(0, len(rows) - 1))
    if change == "less":
        rows = np.delete(rows, one, axis=0)
    else:
        if change == "more":
            rows, one = np.vstack([rows, rows[one]]), len(rows)
        column, size = (
            (2, len(instance.claims.choice_request))
            if change == "choice"
            else (3, len(instance.devices))
        )
        rows[one, column] = draw(st.integers(0, size - 1))
    return replace(plan, allocations=Allocations(*rows.T))


@FEW
@given(claiming(max_nodes=3, max_pods=5))
def test_the_optimum_is_that_of_brute_force(instance: Instance) -> None:
    tiers = tiers_of(instance)
    plan, have = best_plan(instance, tiers, kind=ASSIGNMENT)
    assert not check(instance, plan)
    assert have == brute.best(instance, tiers)


@FEW
@given(st.data())
def test_the_order_of_devices_nodes_and_groups_changes_nothing(data: st.DataObject) -> None:
    instance = data.draw(claiming(max_nodes=3, max_pods=5))
    tiers = tiers_of(instance)
    _, have = best_plan(instance, tiers, kind=ASSIGNMENT)
    other = with_nodes(instance, data.draw(st.permutations(range(len(instance.nodes)))))
    keys = data.draw(st.permutations(range(len(instance.roles))))
    other = with_groups(other, data.draw(st.permutations(range(len(instance.groups)))), keys)
    other = shuffled(other, data.draw(st.permutations(range(len(instance.devices)))))
    moved, again = best_plan(other, tiers, kind=ASSIGNMENT)
    assert again == have
    assert not check(other, moved)


@MANY
@given(st.data())
def test_the_verifier_says_the_same_of_renumbered_devices(data: st.DataObject) -> None:
    instance = data.draw(claiming())
    plan = data.draw(plans(instance))
    order = data.draw(st.permutations(range(len(instance.devices))))
    new = np.argsort(np.array(order, dtype=np.int64))
    there = plan.allocations
    rows = Allocations(there.pod, there.claim, there.choice, new[there.device])
    before = check(instance, plan)
    after = check(shuffled(instance, order), replace(plan, allocations=rows))
    assert [(v.family, v.have, v.need) for v in before if v.family != "claims"] == [
        (v.family, v.have, v.need) for v in after if v.family != "claims"
    ]
    assert len(before) == len(after)
