"""The exact planner as users run it: what it calls proven is what brute force finds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.tiers import OBJECTIVES, better, tiers_of
from gangplan.models.verify import check, check_tiers
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from tests import brute
from tests.strategies import anything, weights_for


def proven_is_true(data: st.DataObject) -> None:
    instance = data.draw(anything())
    objective = data.draw(st.sampled_from(OBJECTIVES))
    weights = data.draw(weights_for(instance)) if objective == "weighted-gpus" else None
    tiers = tiers_of(instance, objective, weights)
    planner = Exact(solver=Highs(), objective=objective, weights=weights)
    result = planner.plan(instance, Limits(seconds=30.0))
    best = brute.best(instance, tiers)
    assert [v.sentence for v in check(instance, result.plan)] == []
    assert [v.sentence for v in check_tiers(instance, result.plan, result.tiers, tiers)] == []
    assert [report.name for report in result.tiers] == [tier.name for tier in tiers]
    assert not better(tiers, tuple(report.value for report in result.tiers), best)
    for report, value in zip(result.tiers, best, strict=True):
        if report.proven:
            assert report.value == value, report
        elif not report.given and report.bound is not None:
            assert report.bound >= value if report.maximise else report.bound <= value, report
    # Tiny instances leave no excuse.
    assert result.stop == "optimal"
    assert not result.warnings


@settings(max_examples=120)
@given(st.data())
def test_what_exact_calls_proven_is_what_brute_force_finds(data: st.DataObject) -> None:
    proven_is_true(data)


@pytest.mark.slow
@settings(max_examples=5000, derandomize=False)
@given(st.data())
def test_what_exact_calls_proven_is_what_brute_force_finds_long(data: st.DataObject) -> None:
    proven_is_true(data)
