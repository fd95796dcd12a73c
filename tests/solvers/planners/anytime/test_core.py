"""The core of a model: columns that a better point may need, and parts that have none."""

import numpy as np
import pytest

from gangplan.models.milp import Columns, Milp, build, row_block
from gangplan.solvers.backends.child import Watched
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Centred, Limits
from gangplan.solvers.planners.anytime.core import PAYING, core, hopeless, relaxation_of

N = 3 * PAYING


def knapsack() -> Milp:
    """Take the best of N things, of which 10 may be taken; thing j is worth j."""
    cols = Columns()
    cols.add("take", np.zeros(N, dtype=np.int64), np.ones(N, dtype=np.int64))
    row = row_block("few", np.zeros(N), np.arange(N), 1, -np.inf, 10, 1)
    return build(cols, [row]).with_cost(-np.arange(N))


@pytest.mark.parametrize("dual", [0.0, -100.0, -float(N - 10), -1e4, 5.0])
def test_the_relaxation_is_a_bound_whatever_the_dual(dual: float) -> None:
    best = -int(np.arange(N)[-10:].sum())
    relaxed = relaxation_of(knapsack(), np.array([dual]))
    assert relaxed.value <= best
    assert not hopeless(knapsack(), relaxed, best + 1)


def test_a_point_at_the_bound_leaves_nothing_to_look_for() -> None:
    best = -int(np.arange(N)[-10:].sum())
    relaxed = relaxation_of(knapsack(), np.array([-float(N - 10)]))
    assert hopeless(knapsack(), relaxed, best)


def test_the_core_has_the_best_columns_and_those_in_use() -> None:
    milp, keep = knapsack(), np.zeros(N, dtype=np.bool_)
    keep[3] = True
    left = core(milp, relaxation_of(milp, np.array([-float(N - 10)])), keep)
    free = np.flatnonzero(left.upper > left.lower)
    assert free.tolist() == [3, *range(N - PAYING, N)]
    assert (core(milp, relaxation_of(milp, np.zeros(1)), keep, scale=3).upper == 1).all()


def test_a_watched_solver_has_the_centred_one_of_the_solver_inside() -> None:
    watched = Watched(Highs())
    assert isinstance(watched, Centred)
    inside = watched.centred()
    assert isinstance(inside, Watched)
    assert inside.solver == Highs(lp_method="ipm")
    outcome = Highs().centred().solve(knapsack().relaxed(), Limits(seconds=20))
    assert outcome.row_dual is not None
    assert -(N - 10) - 1.001 <= outcome.row_dual[0] <= -(N - 11) + 1.001
