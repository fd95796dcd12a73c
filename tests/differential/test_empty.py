"""Clusters without nodes, and nothing waiting: every room answers, and all say the same."""

import pytest

from gangplan.models.counting import ceilings
from gangplan.models.counts.formulation import build
from gangplan.models.plan import empty_plan
from gangplan.models.tiers import tiers_of, values
from gangplan.models.verify import check, check_tiers
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.planners.greedy import greedy_plan
from tests import brute
from tests.differential.lexicographic import solve
from tests.tiny import Row, make_instance

CASES: dict[str, tuple[list[Row], list[Row], list[Row]]] = {
    "nothing at all": ([], [], []),
    "no node": ([], [{"request": {"gpu": 1}, "wanted": 2}, {"kind": "bare"}], []),
    "no node below a composite": ([], [{"parent": 0}], [{}]),
    "no group": ([{"gpu": 8}], [], []),
}


@pytest.mark.parametrize("case", CASES)
def test_every_room_answers_where_nothing_can_be_placed(case: str) -> None:
    instance = make_instance(*CASES[case])
    tiers = tiers_of(instance)
    nothing = (0,) * len(tiers)
    assert check(instance, empty_plan(instance)) == ()
    assert values(instance, greedy_plan(instance, tiers), tiers) == nothing
    assert brute.best(instance, tiers) == nothing
    assert solve(build(instance), tiers)[0] == nothing
    tops = ceilings(instance, tiers)
    assert [top for tier, top in zip(tiers, tops, strict=True) if tier.maximise] == [0] * (
        len(tiers) - 2
    )
    result = Exact(solver=Highs()).plan(instance, Limits(seconds=10.0))
    assert result.stop == "optimal"
    assert check_tiers(instance, result.plan, result.tiers) == ()
