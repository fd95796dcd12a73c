"""What two plans changed of one is put into one plan."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gangplan.models.fewer import only
from gangplan.models.instance import Instance
from gangplan.models.plan import Allocations, Plan
from gangplan.models.tiers import tiers_of
from gangplan.models.verify.check import check
from gangplan.solvers.planners.anytime.merge import merged
from gangplan.solvers.planners.greedy import greedy_plan
from tests.strategies import anything, plans
from tests.strategies_preemption import evicting_plans, preempting


def same(one: Plan, other: Plan) -> bool:
    """Tell whether two plans do the same."""
    left, right = (
        (
            plan.node.tolist(),
            sorted(zip(plan.device_pod.tolist(), plan.device.tolist(), strict=True)),
            rows(plan.allocations),
            plan.evicted.tolist(),
        )
        for plan in (one, other)
    )
    return left == right


def rows(given: Allocations) -> list[tuple[int, ...]]:
    """Rows of allocations."""
    columns = (given.pod, given.claim, given.choice, given.device)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@settings(max_examples=60)
@given(anything(), st.data())
def test_what_one_plan_changed_is_all_there_is_where_the_other_changed_nothing(
    instance: Instance, data: st.DataObject
) -> None:
    base, found = data.draw(plans(instance)), data.draw(plans(instance))
    copy = Plan(base.node, base.device_pod, base.device, base.allocations, base.evicted)
    assert same(merged(base, base, found), found)
    assert same(merged(base, copy, found), found)
    assert same(merged(base, found, copy), found)


@settings(max_examples=60)
@given(preempting(), st.data())
def test_who_falls_and_who_comes_back_is_merged(instance: Instance, data: st.DataObject) -> None:
    base, found = data.draw(evicting_plans(instance)), data.draw(evicting_plans(instance))
    copy = Plan(base.node, base.device_pod, base.device, base.allocations, base.evicted)
    assert same(merged(base, copy, found), found)


@settings(max_examples=80)
@given(anything(), st.data())
def test_changes_of_different_groups_are_both_there(
    instance: Instance, data: st.DataObject
) -> None:
    whole = greedy_plan(instance, tiers_of(instance), 0.1)
    assume(not check(instance, whole))
    if len(instance.claims.user_role):
        return  # groups that share a claim change it together
    group = instance.roles.group[instance.pod_role]
    mine = np.array([data.draw(st.integers(0, 2)) for _ in range(len(instance.groups))])[group]
    base, first, second, both = (
        only(instance, whole, keep)
        for keep in (mine == 0, mine != 2, mine != 1, np.ones(len(mine), dtype=np.bool_))
    )
    assert same(merged(base, first, second), both)
    assert same(merged(both, first, second), base)
