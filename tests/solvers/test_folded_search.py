"""Searches of folded models: what the solver is asked, and what becomes of its answer."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from gangplan.datasets.generate import generate
from gangplan.models.arrays import Ints
from gangplan.models.folding import Folded, folded
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, Milp, build, row_block
from gangplan.models.result import SEARCH
from gangplan.solvers.asking import asked
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Interrupted, Limits, Outcome, Solver, Stop
from gangplan.solvers.claims import bound_of
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import CONFIRMED, recheck
from gangplan.solvers.registry import get
from tests.tiny import make_instance
from tests.tiny_running import with_running

LIMITS = Limits(seconds=20)


def pair() -> Milp:
    """Two columns 0..2 whose sum is at most 3; maximise it."""
    cols = Columns()
    cols.add("x", np.zeros(2, dtype=np.int64), np.array([2, 2]))
    row = row_block("sum", [0, 0], [0, 1], 1, -np.inf, 3.0, 1)
    return build(cols, [row]).with_cost([-1, -1])


def first_has_most(values: Ints) -> Ints:
    most = np.minimum(values, 2)
    return np.concatenate([most, values - most])


def first_has_all(values: Ints) -> Ints:
    return np.concatenate([values, np.zeros(1, dtype=np.int64)])


@dataclass
class Recorder:
    """HiGHS, which remembers what it was asked; ``answer``: said in its place, the first time."""

    answer: Outcome | BaseException | None = None
    name: str = "recorder"
    asked: list[Milp] = field(default_factory=list)
    starts: list[Ints | None] = field(default_factory=list)
    highs: Solver = field(default_factory=Highs)

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        self.asked.append(milp)
        self.starts.append(start)
        if self.answer is not None and len(self.asked) == 1:
            if isinstance(self.answer, BaseException):
                raise self.answer
            return self.answer
        return self.highs.solve(milp, limits, start=start)


def fold(milp: Milp) -> Folded | None:
    number = np.zeros(2, dtype=np.int64)
    smaller = folded(milp, number, np.ones(milp.n_rows, dtype=np.bool_))
    return None if smaller is None else Folded(smaller, number, first_has_most)


def badly(milp: Milp) -> Folded | None:
    good = fold(milp)
    return None if good is None else replace(good, spread=first_has_all)


def test_the_smaller_model_is_asked_and_its_point_spread() -> None:
    solver = Recorder()
    outcome = asked(solver, pair(), LIMITS, np.array([1, 2]), fold)
    assert [milp.n_cols for milp in solver.asked] == [1]
    assert [None if start is None else start.tolist() for start in solver.starts] == [[3]]
    assert outcome.stop is Stop.OPTIMAL
    assert outcome.x is not None
    assert outcome.x.tolist() == [2, 1]
    assert (outcome.objective, outcome.bound) == (-3, -3)


def test_a_relaxation_is_never_folded() -> None:
    solver = Recorder()
    asked(solver, pair().relaxed(), LIMITS, None, fold)
    assert [milp.n_cols for milp in solver.asked] == [2]


def test_where_the_point_cannot_be_spread_the_model_itself_is_asked() -> None:
    solver = Recorder()
    outcome = asked(solver, pair(), LIMITS, np.array([1, 2]), badly)
    assert [milp.n_cols for milp in solver.asked] == [1, 2]
    assert [None if start is None else start.tolist() for start in solver.starts] == [[3], [1, 2]]
    assert outcome.x is not None
    assert outcome.x.sum() == 3


def test_without_time_for_that_the_bound_is_left() -> None:
    at_once = Outcome(Stop.OPTIMAL, x=np.array([3.0]), objective=-3.0, bound=-3.0)
    outcome = asked(Recorder(at_once), pair(), Limits(seconds=0.004), None, badly)
    assert outcome.x is None
    assert outcome.objective is None
    assert outcome.stop is Stop.NONE_FOUND
    assert outcome.bound == -3


def test_a_point_that_is_none_of_the_smaller_model_is_an_error() -> None:
    wrong = Outcome(Stop.OPTIMAL, x=np.array([7.0]), objective=-7.0, bound=-7.0)
    outcome = asked(Recorder(wrong), pair(), LIMITS, None, fold)
    assert outcome.stop is Stop.ERROR
    assert "failed its check" in outcome.message


def test_what_an_interrupted_search_had_is_spread_too() -> None:
    had = Outcome(Stop.FEASIBLE, x=np.array([3.0]), objective=-3.0, limit="interrupt")
    with pytest.raises(Interrupted) as caught:
        asked(Recorder(Interrupted(had)), pair(), LIMITS, None, fold)
    assert caught.value.outcome.x is not None
    assert caught.value.outcome.x.tolist() == [2, 1]


def full() -> Instance:
    """Three racks of two full nodes, and two alike gangs that each need a rack."""
    nodes = [{"gpu": 0, "rack": f"r{n // 2}"} for n in range(6)]
    gang = {"priority": 9, "wanted": 2, "minimum": 2, "request": {"gpu": 4}}
    groups = [gang | {"rules": [("rack", "required")]}] * 2
    pods = [
        {"node": n, "request": {"gpu": gpus}, "priority": 1, "minutes": 300 + 60 * n}
        for n in range(6)
        for gpus in ((1, 3), (2, 2), (4,))[n % 3]
    ]
    return with_running(make_instance(nodes, groups), pods)


def test_the_planner_asks_the_smaller_model_and_a_recheck_confirms_it() -> None:
    solver = Recorder()
    instance = full()
    result = Exact(solver=solver).plan(instance, LIMITS)
    assert result.stop == "optimal"
    plain = Exact(solver=Highs(), kind="assignment").plan(instance, LIMITS)
    assert [t.value for t in result.tiers] == [t.value for t in plain.tiers]
    searched = [milp.n_cols for milp in solver.asked if milp.integer.any()]
    relaxed = [milp.n_cols for milp in solver.asked if not milp.integer.any()]
    assert searched
    assert max(searched) < min(relaxed)
    assert SEARCH in {tier.proof for tier in result.tiers}
    found = recheck(instance, result, get("highs"), LIMITS)
    assert {one.verdict for one in found} == {CONFIRMED}


def test_a_full_cluster_of_128_nodes_is_proven_in_every_tier() -> None:
    instance = generate("victims", nodes=128, seed=4)
    result = Exact().plan(instance, Limits(seconds=300))
    assert result.stop == "optimal"
    assert not result.warnings


def test_a_word_is_no_proof_where_its_tolerance_is_more_than_a_step() -> None:
    milp = pair().with_cost([-2_000_000, -2_000_002])
    point = np.array([1.0, 2.0])
    worth = milp.objective(point.astype(np.int64))
    claim = Outcome(Stop.OPTIMAL, x=point, objective=float(worth), bound=float(worth))
    bound = bound_of(milp, claim)
    assert bound is not None
    assert bound < worth
    for less in (
        replace(claim, bound=worth - 1.0),
        replace(claim, stop=Stop.FEASIBLE),
        replace(claim, x=None),
    ):
        bound = bound_of(milp, less)
        assert bound is not None
        assert bound < worth
