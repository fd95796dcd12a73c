"""Huge numbers where units can fall: exact, or refused by name; never another optimum."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.arrays import Ints
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.losses import losses_of
from gangplan.models.tiers import better, tiers_of, values
from gangplan.models.verify import check
from gangplan.models.verify.objective import recount_all
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.planners.greedy import Greedy
from tests import brute_preemption
from tests.strategies_preemption import evicting_plans, preempting
from tests.tiny import make_instance
from tests.tiny_running import with_running

POD: dict[str, Any] = {"request": {"gpu": 4}}


def two(*pods: dict[str, Any]) -> Instance:
    """Return a pod that has to have the node of one of two others."""
    base = make_instance([{"gpu": 0}, {"gpu": 0}], [{"priority": 9, **POD}])
    return with_running(base, [{"node": n, **POD, **pod} for n, pod in enumerate(pods)])


@pytest.mark.parametrize(
    ("key", "amount", "tier"),
    [
        ("minutes", 2**61, "lost-hours(0)"),
        ("minutes", 2**63 - 1, "lost-hours(0)"),
        ("minutes", 2**57, "lost-hours(0)"),
        ("devices", 2**62, "lost-gpus(0)"),
        ("devices", 2**53, "lost-gpus(0)"),
    ],
)
def test_losses_that_are_not_exact_are_refused_by_name(key: str, amount: int, tier: str) -> None:
    instance = two({key: amount}, {key: amount - 1})
    assert (losses_of(instance).hours >= 0).all()
    with pytest.raises(PlanError, match=r"above 2\^53") as error:
        tiers_of(instance)
    assert str(error.value).startswith(f"{tier}: worth up to ")


def test_the_largest_losses_that_are_exact_are_told_apart() -> None:
    most = 2**49
    instance = two({"minutes": 60 * most}, {"minutes": 60 * most - 60})
    result = Exact(solver=Highs()).plan(instance, Limits(seconds=20))
    assert result.plan.evicted.tolist() == [1]
    assert all(tier.proven for tier in result.tiers if tier.name.startswith("lost-pods"))
    assert recount_all(instance, result.plan, tiers_of(instance)) == tuple(
        report.value for report in result.tiers
    )


def larger(instance: Instance, by: int) -> Instance:
    """Blow up all amounts, so that the same sums fit, by numbers that have no divisor in common."""
    roles, running, kept = instance.roles, instance.running, instance.reserved

    def less(table: Ints, away: int) -> Ints:
        amounts: Ints = np.where(table > 0, table * by - away, 0)
        return amounts

    return replace(
        instance,
        nodes=replace(instance.nodes, free=instance.nodes.free * by),
        roles=replace(roles, request=less(roles.request, 101)),
        running=replace(running, pod_request=less(running.pod_request, 1)),
        reserved=replace(kept, request=kept.request * by),
    )


SIZES = st.sampled_from([2**20, 2**33, 2**37, 2**38, 2**40, 2**50, 2**57])


def size_is_nothing(data: st.DataObject) -> None:
    instance = data.draw(preempting(max_nodes=3, max_pods=4, effort=500))
    large = larger(instance, data.draw(SIZES))
    plan = data.draw(evicting_plans(instance))
    said = [{(v.family, v.what) for v in check(case, plan)} for case in (instance, large)]
    assert said[0] == said[1]
    tiers = tiers_of(instance)
    assert tiers_of(large) == tiers
    best = brute_preemption.best(instance, tiers)
    for planner in (Greedy(), Exact(solver=Highs())):
        result = planner.plan(large, Limits(seconds=20))
        assert check(large, result.plan) == check(instance, result.plan) == ()
        worth = values(instance, result.plan, tiers)
        assert worth == tuple(report.value for report in result.tiers)
        assert not better(tiers, worth, best)
        assert result.stop == "feasible" or worth == best
        if planner.name == "exact" and result.stop == "feasible":
            assert any("2^40" in text or "2**40" in text for text in result.warnings), result


def ends_are_nothing(data: st.DataObject) -> None:
    """The order of priorities decides, at the ends of 32 bits too."""
    instance = data.draw(preempting(max_nodes=3, max_pods=4, effort=500))
    names = sorted({*instance.groups.priority, *instance.composites.priority,
                    *instance.running.priority, *instance.reserved.priority})  # fmt: skip
    low = data.draw(st.integers(0, len(names)))
    to = {
        int(p): (-(2**31) + i if i < low else 2**31 - len(names) + i) for i, p in enumerate(names)
    }

    def moved(column: Ints) -> Ints:
        return np.array([to[int(p)] for p in column], dtype=np.int64)

    groups, composites, running = instance.groups, instance.composites, instance.running
    other = replace(
        instance,
        groups=replace(groups, priority=moved(groups.priority)),
        composites=replace(composites, priority=moved(composites.priority)),
        running=replace(running, priority=moved(running.priority)),
        reserved=replace(instance.reserved, priority=moved(instance.reserved.priority)),
    )
    result = Exact(solver=Highs()).plan(other, Limits(seconds=20))
    assert result.stop == "optimal"
    best = brute_preemption.best(instance, tiers_of(instance))
    assert tuple(report.value for report in result.tiers) == best


@settings(max_examples=12)
@given(st.data())
def test_amounts_near_2_62_are_planned_as_small_ones_or_named(data: st.DataObject) -> None:
    size_is_nothing(data)


@settings(max_examples=6)
@given(st.data())
def test_priorities_at_the_ends_of_32_bits_are_only_an_order(data: st.DataObject) -> None:
    ends_are_nothing(data)


@pytest.mark.slow
@settings(max_examples=1000, derandomize=False)
@given(st.data())
def test_amounts_near_2_62_are_planned_as_small_ones_or_named_long(data: st.DataObject) -> None:
    size_is_nothing(data)


@pytest.mark.slow
@settings(max_examples=500, derandomize=False)
@given(st.data())
def test_priorities_at_the_ends_of_32_bits_are_only_an_order_long(data: st.DataObject) -> None:
    ends_are_nothing(data)
