"""Random instances with devices: points are plans, plans are points, and both ways agree."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.counts.decode import decode, encode
from gangplan.models.counts.formulation import build
from gangplan.models.counts.kind import COUNTS
from gangplan.models.formulation import Kind
from gangplan.models.instance import Instance
from gangplan.models.options.cells import cells_of
from gangplan.models.plan import Plan
from gangplan.models.tiers import tiers_of
from gangplan.models.verify.check import check
from gangplan.solvers.registry import formulation
from tests.models.solve import best_plan, optimum
from tests.strategies import claiming

TEXTBOOK: Kind = formulation("assignment")


def same(instance: Instance, left: Plan, right: Plan) -> bool:
    """As many pods of each role on each node; equal pods may have changed places and devices."""
    of = cells_of(instance).of
    given = [
        np.sort(plan.allocations.choice * len(instance.devices) + of[plan.allocations.device])
        for plan in (left, right)
    ]
    pods = np.array_equal(np.array(left.counts(instance)), np.array(right.counts(instance)))
    return pods and np.array_equal(given[0], given[1])


@settings(max_examples=25, deadline=None)
@given(claiming())
def test_the_optimum_is_that_of_one_binary_a_pod_and_device(instance: Instance) -> None:
    tiers = tiers_of(instance)
    model = build(instance)
    plans = [best_plan(instance, tiers, kind=kind) for kind in (COUNTS, TEXTBOOK)]
    assert plans[0][1] == plans[1][1]
    for plan, _ in plans:
        assert not check(instance, plan)
        point = encode(model, plan)
        assert not len(model.milp.violated_rows(point))
        assert (point >= model.milp.lower).all()
        assert (point <= model.milp.upper).all()
        again = decode(model, point)
        assert same(instance, plan, again)
        assert not check(instance, again)


@settings(max_examples=40, deadline=None)
@given(claiming(), st.integers(0, 99))
def test_any_integral_point_is_a_plan(instance: Instance, seed: int) -> None:
    model = build(instance)
    random = np.random.default_rng(seed)
    cost = random.integers(-5, 6, model.milp.n_cols).astype(np.float64)
    cost[model.x.cols] -= 3
    plan = decode(model, optimum(model.milp.with_cost(cost)))
    assert not check(instance, plan)
