"""Every optional backend under the exact planner: what it proves is what brute force finds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.tiers import tiers_of
from gangplan.models.verify import check
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.registry import BACKENDS, available
from tests import brute
from tests.strategies import anything

OTHERS = [i.name for i in available() if i.available and i.name in BACKENDS and i.name != "highs"]


@pytest.mark.parametrize("solver", OTHERS)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_what_a_backend_proves_is_what_brute_force_finds(solver: str, data: st.DataObject) -> None:
    instance = data.draw(anything())
    tiers = tiers_of(instance, "groups", None)
    result = Exact(solver=solver).plan(instance, Limits(seconds=30.0))
    assert [violation.sentence for violation in check(instance, result.plan)] == []
    assert result.stop == "optimal"
    assert tuple(report.value for report in result.tiers) == brute.best(instance, tiers)
    assert not result.warnings
