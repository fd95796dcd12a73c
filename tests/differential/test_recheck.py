"""Certificates of random tiny instances: the true ones hold, and none that is false does."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.datasets.plan_file import plan_document, result_of
from gangplan.models.certificate import Certificate, Claimant
from gangplan.models.plan import empty_plan
from gangplan.models.result import COUNTING, LP_DUAL, SEARCH, Result, TierReport
from gangplan.models.tiers import OBJECTIVES, tiers_of, values
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import CONFIRMED, REFUTED, recheck
from tests.strategies import anything, weights_for

LIMITS = Limits(seconds=30)


def true_holds_and_false_does_not(data: st.DataObject) -> None:
    instance = data.draw(anything())
    objective = data.draw(st.sampled_from(OBJECTIVES))
    weights = data.draw(weights_for(instance)) if objective == "weighted-gpus" else None
    result = Exact(solver=Highs(), objective=objective, weights=weights).plan(instance, LIMITS)
    kept = json.loads(json.dumps(plan_document(instance, result)))
    again = result_of(kept, instance, "plan.json")
    assert again.certificates == result.certificates
    found = recheck(instance, again, Highs(), LIMITS)
    assert [one.sentence for one in found if one.verdict != CONFIRMED] == []
    assert sum(not one.group for one in found) == len(result.tiers)

    # The empty plan, called optimal: wherever the first tier differs, the lie is found.
    tiers = tiers_of(instance, objective, weights)
    worth = values(instance, empty_plan(instance), tiers)
    best = tuple(report.value for report in result.tiers)
    first = next(
        (i for i, pair in enumerate(zip(worth, best, strict=True)) if len({*pair}) > 1), -1
    )
    if first < 0:
        return
    kind = data.draw(st.sampled_from([COUNTING, LP_DUAL, SEARCH]))
    lie = Result(
        empty_plan(instance),
        tuple(
            TierReport(t.name, t.maximise, v, v, kind, True)
            for t, v in zip(tiers, worth, strict=True)
        ),
        "optimal",
        result.planner,
        certificates=tuple(
            Certificate(t.name, kind, v, "counts", held=worth[:i], solvers=(Claimant("highs"),))
            for i, (t, v) in enumerate(zip(tiers, worth, strict=True))
        ),
    )
    found = recheck(instance, lie, Highs(), LIMITS)
    assert found[first].verdict == REFUTED, found[first]


@settings(max_examples=100)
@given(st.data())
def test_true_certificates_hold_and_false_ones_do_not(data: st.DataObject) -> None:
    true_holds_and_false_does_not(data)


@pytest.mark.slow
@settings(max_examples=3000, derandomize=False)
@given(st.data())
def test_true_certificates_hold_and_false_ones_do_not_long(data: st.DataObject) -> None:
    true_holds_and_false_does_not(data)
