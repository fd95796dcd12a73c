"""An answer that shows that it is wrong: nothing in it is believed, and the second way is asked."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from gangplan.models.arrays import Ints
from gangplan.models.errors import SolverError
from gangplan.models.milp import Milp
from gangplan.models.result import SEARCH, SEARCH_TWICE
from gangplan.models.tiers import tiers_of
from gangplan.solvers import second
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Outcome, Solver, Stop
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import CONFIRMED, recheck
from gangplan.solvers.second import Way
from tests.proofs import SEARCHED

LIMITS = Limits(seconds=20)

Lie = Callable[[Milp, Outcome], Outcome]


def breaks_a_row(milp: Milp, true: Outcome) -> Outcome:
    return replace(true, x=milp.upper.copy())


def has_fractions(milp: Milp, true: Outcome) -> Outcome:
    return replace(true, x=np.full(milp.n_cols, 0.5))


def has_no_numbers(milp: Milp, true: Outcome) -> Outcome:
    return replace(true, x=np.full(milp.n_cols, np.nan))


def is_too_long(milp: Milp, true: Outcome) -> Outcome:
    return replace(true, x=np.zeros(milp.n_cols + 1))


def stands_upright(milp: Milp, true: Outcome) -> Outcome:
    assert true.x is not None
    return replace(true, x=true.x.reshape(-1, 1))


def claims_another_objective(milp: Milp, true: Outcome) -> Outcome:
    assert true.objective is not None
    return replace(true, objective=true.objective - 1)


def claims_no_objective(milp: Milp, true: Outcome) -> Outcome:
    return replace(true, objective=float("nan"))


def calls_it_infeasible(milp: Milp, true: Outcome) -> Outcome:
    return Outcome(Stop.INFEASIBLE)


def calls_it_infeasible_with_a_point(milp: Milp, true: Outcome) -> Outcome:
    return replace(true, stop=Stop.INFEASIBLE)


def calls_it_unbounded(milp: Milp, true: Outcome) -> Outcome:
    return Outcome(Stop.ERROR, message="kUnbounded")


def bounds_too_well(milp: Milp, true: Outcome) -> Outcome:
    return replace(true, bound=1e300)


def keeps_the_point(milp: Milp, true: Outcome) -> Outcome:
    return Outcome(Stop.OPTIMAL, bound=true.bound)


LIES = [
    breaks_a_row,
    has_fractions,
    has_no_numbers,
    is_too_long,
    stands_upright,
    claims_another_objective,
    claims_no_objective,
    calls_it_infeasible,
    calls_it_infeasible_with_a_point,
    calls_it_unbounded,
    bounds_too_well,
    keeps_the_point,
]


@dataclass(frozen=True, eq=False)
class Lies:
    """HiGHS, that lies in every search; its second way is ``other``, if any."""

    lie: Lie
    other: Solver | None = None
    asked: list[tuple[bool, int, float]] = field(default_factory=list)
    name: str = "liar"

    def second(self) -> Solver | None:
        return self.other

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        true = Highs().solve(milp, limits, start=start)
        if not milp.integer.any():
            return true
        self.asked.append((start is not None, limits.seed, limits.seconds))
        return self.lie(milp, true)


@pytest.mark.parametrize("lie", LIES)
def test_after_a_lie_the_second_way_proves_what_there_is_to_prove(lie: Lie) -> None:
    liar = Lies(lie, Highs(presolve=False))
    result = Exact(solver=liar).plan(SEARCHED, LIMITS)
    assert result.stop == "optimal"
    tier = result.tiers[0]
    assert (tier.value, tier.bound, tier.proof) == (2, 2, SEARCH)
    who = result.certificates[0].solvers
    assert [(one.name, "presolve=False" in one.options) for one in who] == [("highs", True)]
    assert f"seed={second.SEED_SHIFT}" in who[0].options
    assert result.seconds["again"] > 0
    assert not result.warnings
    assert {one.verdict for one in recheck(SEARCHED, result, Highs(), LIMITS)} == {CONFIRMED}


@pytest.mark.parametrize("lie", LIES)
def test_a_second_way_that_lies_too_ends_it(lie: Lie) -> None:
    liar = Lies(lie)
    result = Exact(solver=liar).plan(SEARCHED, LIMITS)
    assert not result.tiers[0].proven
    assert result.tiers[0].bound == 3
    # Twice a tier and no more: from the plan in hand, then with neither start nor seed in common.
    first, again = liar.asked[:2]
    assert first[:2] == (True, 0)
    assert again[:2] == (False, second.SEED_SHIFT)
    assert len(liar.asked) <= 2 * len(tiers_of(SEARCHED))
    assert sum("asked again" in text for text in result.warnings) == len(liar.asked) // 2


def test_a_way_that_was_taken_once_is_no_second_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    liar = Lies(breaks_a_row, Highs(presolve=False, heuristics=0.1))
    monkeypatch.setattr(second, "witnesses", lambda names: iter([]))
    liar_named_alike = replace(liar, other=replace(liar, lie=lambda milp, true: true))
    result = Exact(solver=liar_named_alike, second_opinion=True).plan(SEARCHED, LIMITS)
    assert result.tiers[0].proof == SEARCH
    assert any("no second opinion on admitted(0)" in text for text in result.warnings)


def test_another_backend_is_a_second_opinion_on_a_second_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest = Lies(lambda milp, true: true, name="honest")
    liar = Lies(breaks_a_row, Lies(lambda milp, true: true))
    monkeypatch.setattr(second, "ways", lambda solver: [Way(honest, True)])
    monkeypatch.setattr("gangplan.solvers.search.ways", lambda solver: [Way(honest, True)])
    result = Exact(solver=liar, second_opinion=True).plan(SEARCHED, LIMITS)
    assert result.tiers[0].proof == SEARCH_TWICE
    assert [who.name for who in result.certificates[0].solvers] == ["liar", "honest"]


def test_the_second_answer_comes_within_the_time_of_the_first() -> None:
    liar = Lies(breaks_a_row)
    Exact(solver=liar).plan(SEARCHED, Limits(seconds=4))
    assert all(seconds <= 4 for *_, seconds in liar.asked)
    assert liar.asked[1][2] < liar.asked[0][2]


@dataclass(frozen=True)
class CannotSaySecond(Lies):
    """Its second way raises."""

    def second(self) -> Solver | None:
        raise ZeroDivisionError("no wonder")


def test_a_second_way_that_cannot_be_told_is_the_same_solver_without_a_start() -> None:
    liar = CannotSaySecond(breaks_a_row)
    result = Exact(solver=liar, second_opinion=True).plan(SEARCHED, LIMITS)
    assert [start for start, *_ in liar.asked[:2]] == [True, False]
    assert not result.tiers[0].proven


class Panic(BaseException):
    """What a library in another language may raise: no Exception."""


@dataclass(frozen=True)
class Answers:
    """Answers or raises what it was told, whatever was asked."""

    what: object
    name: str = "answers"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        if isinstance(self.what, BaseException):
            raise self.what
        return self.what  # type: ignore[return-value]  # that is the lie


@pytest.mark.parametrize(
    "what",
    [
        None,
        ("optimal", [1, 2]),
        Outcome("optimal"),  # type: ignore[arg-type]
        Outcome(Stop.OPTIMAL, x="point"),  # type: ignore[arg-type]
        Outcome(Stop.OPTIMAL, x=np.array([1j])),
        Outcome(Stop.OPTIMAL, x=[[1], [2, 3]]),  # type: ignore[arg-type]
        Outcome(Stop.OPTIMAL, bound="-2"),  # type: ignore[arg-type]
        Outcome(Stop.OPTIMAL, bound=-(10**400)),
        Outcome(Stop.OPTIMAL, objective=np.zeros(2)),  # type: ignore[arg-type]
        Outcome(Stop.OPTIMAL, row_dual="y"),  # type: ignore[arg-type]
        Outcome(Stop.OPTIMAL, row_dual=[1, 2]),  # type: ignore[arg-type]
        Outcome(Stop.OPTIMAL, overshoot=None),  # type: ignore[arg-type]
        Outcome(Stop.OPTIMAL, message=None),  # type: ignore[arg-type]
        Outcome(Stop.OPTIMAL, bound=float("inf")),
        Outcome(Stop.OPTIMAL, bound=float("-inf")),
        Outcome(Stop.OPTIMAL, bound=-1e300),
        Panic("attempt to add\n\x1b[2Jwith overflow"),
    ],
    ids=lambda what: f"{what!r:.70}",
)
def test_an_answer_of_any_type_costs_the_proof_and_not_the_plan(what: object) -> None:
    result = Exact(solver=Answers(what), second_opinion=True).plan(SEARCHED, Limits(seconds=5))
    assert result.tiers[0].value == 2
    assert result.tiers[0].bound == 3
    assert not result.tiers[0].proven
    assert result.warnings
    assert all(text.isprintable() for text in result.warnings)


def test_an_order_to_end_is_followed() -> None:
    with pytest.raises(SystemExit):
        Exact(solver=Answers(SystemExit(3))).plan(SEARCHED, LIMITS)


def test_a_crash_of_the_first_way_is_mended_by_the_second() -> None:
    def dies(milp: Milp, true: Outcome) -> Outcome:
        raise SolverError("liar: the solver's process was ended by SIGSEGV")

    result = Exact(solver=Lies(dies, Highs(presolve=False))).plan(SEARCHED, LIMITS)
    assert result.stop == "optimal"
    assert result.seconds["again"] > 0
    assert not result.warnings
    assert result.certificates[0].solvers[0].name == "highs"

    result = Exact(solver=Lies(dies)).plan(SEARCHED, LIMITS)
    assert result.stop == "feasible"
    told = [text for text in result.warnings if text.startswith("the solver failed, its last plan")]
    assert told
    assert "ended by SIGSEGV" in told[0]
