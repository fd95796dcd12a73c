"""Tiers that a formulation does not carry are proven by counts, and say so."""

import pytest

from gangplan.models.instance import Instance
from gangplan.models.result import COUNTING, Result
from gangplan.models.tiers import tiers_of
from gangplan.solvers import staged
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import recheck
from gangplan.solvers.refute import CONFIRMED
from tests.brute import best
from tests.tiny import make_instance

LIMITS = Limits(seconds=20)

LACKING = ("preferred", "fragmentation")


def racks() -> Instance:
    """Five nodes in two racks; a gang that needs both, and two that share what is left."""
    nodes = [{"gpu": 4, "rack": "a" if n < 3 else "b", "intact": True} for n in range(5)]
    near = {"rules": [("rack", "preferred")]}
    groups = [
        {"wanted": 4, "minimum": 4, "request": {"gpu": 3}} | near,
        {"wanted": 2, "minimum": 2, "request": {"gpu": 2}} | near,
        {"wanted": 3, "minimum": 3, "request": {"gpu": 1}} | near,
    ]
    return make_instance(nodes, groups)


def planned(instance: Instance, kind: str) -> Result:
    return Exact(solver=Highs(), kind=kind).plan(instance, LIMITS)


@pytest.mark.parametrize("kind", ["patterns", "configurations"])
def test_a_tier_that_a_kind_lacks_is_proven_by_counts(kind: str) -> None:
    instance = racks()
    result = planned(instance, kind)
    assert result.warnings == ()
    assert all(tier.proven for tier in result.tiers)
    assert tuple(tier.value for tier in result.tiers) == best(instance, tiers_of(instance))
    about = {one.tier: one for one in result.certificates}
    assert about["preferred"].kind != COUNTING
    assert about["preferred"].formulation == "counts"
    assert {one.verdict for one in recheck(instance, result, Highs(), LIMITS)} == {CONFIRMED}


def test_where_counts_would_be_too_big_the_tier_is_counted_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(staged, "SEARCH_CELLS", 1)
    result = planned(racks(), "patterns")
    assert "patterns do not carry preferred: bounded by counting" in result.warnings
    assert {tier.proof for tier in result.tiers if tier.name in LACKING} == {COUNTING}
    assert not result.tiers[-2].proven
