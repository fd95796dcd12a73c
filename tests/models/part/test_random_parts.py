"""Property tests: a plan of a part that keeps its rules keeps those of the whole, once joined."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.instance import Instance
from gangplan.models.part import Part, joined
from gangplan.models.plan import Plan
from gangplan.models.tiers import Tier, tiers_of, values
from gangplan.models.verify import check
from gangplan.solvers.planners.greedy import greedy_plan
from gangplan.solvers.reprieve import reprieved
from tests.models.part.parts import parts, sound_plans
from tests.strategies import claiming, instances, plans
from tests.strategies_preemption import evicting_plans, preempting


@given(data=st.data())
@settings(max_examples=30)
def test_what_the_plan_does_in_a_part_joins_to_the_very_plan(data: st.DataObject) -> None:
    instance = data.draw(st.one_of(instances(), claiming(), preempting()))
    plan = data.draw(sound_plans(instance))
    part = data.draw(parts(instance, plan))
    assert not check(part.instance, part.start)
    same(joined(instance, plan, part, part.start), plan)


@given(data=st.data())
@settings(max_examples=30)
def test_a_plan_of_a_part_without_running_work_is_a_plan_of_the_whole(data: st.DataObject) -> None:
    instance = data.draw(st.one_of(instances(), claiming()))
    plan = data.draw(sound_plans(instance))
    part = data.draw(parts(instance, plan))
    for other in others(data, part):
        whole = joined(instance, plan, part, other)
        assert not check(instance, whole)
        tiers = tiers_of(instance)
        assert gained(instance, tiers, plan, whole) == gained(
            part.instance, tiers, part.start, other
        )


@given(data=st.data())
@settings(max_examples=30)
def test_a_part_with_running_work_breaks_nothing_but_rule_9(data: st.DataObject) -> None:
    instance = data.draw(preempting())
    plan = data.draw(sound_plans(instance))
    part = data.draw(parts(instance, plan))
    for other in others(data, part):
        whole = joined(instance, plan, part, other)
        broken = [v for v in check(instance, whole) if not rule_nine(v.sentence)]
        assert not broken
        assert not check(instance, reprieved(instance, whole))
        tiers = tuple(t for t in tiers_of(instance) if t.unit != "budgets")
        assert gained(instance, tiers, plan, whole) == gained(
            part.instance, tiers, part.start, other
        )


def others(data: st.DataObject, part: Part) -> list[Plan]:
    """Plans of the part that keep its rules: two of greedy, and a random one if it happens to."""
    instance, tiers = part.instance, tiers_of(part.instance)
    found = [greedy_plan(instance, tiers), data.draw(sound_plans(instance))]
    if len(instance.nodes):
        some = evicting_plans(instance) if len(instance.running) else plans(instance)
        found.append(data.draw(some))
    return [plan for plan in found if not check(instance, plan)]


def gained(
    instance: Instance, tiers: tuple[Tier, ...], before: Plan, after: Plan
) -> tuple[int, ...]:
    """Return what each tier gains by a plan."""
    old, new = values(instance, before, tiers), values(instance, after, tiers)
    return tuple(b - a for a, b in zip(old, new, strict=True))


def rule_nine(sentence: str) -> bool:
    """Tell whether a violation is one that bringing victims back heals."""
    return "could come back" in sentence or "who may evict" in sentence or "at most" in sentence


def same(left: Plan, right: Plan) -> None:
    """Compare two plans column by column."""
    for name in ("node", "device_pod", "device", "evicted"):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name))
    for name in ("pod", "claim", "choice", "device"):
        np.testing.assert_array_equal(
            getattr(left.allocations, name), getattr(right.allocations, name)
        )
