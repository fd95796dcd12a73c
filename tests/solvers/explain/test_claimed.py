"""Reasons to wait that claim a proof: derived again, and refuted where they do not follow."""

from dataclasses import replace

import numpy as np
import pytest

from gangplan.models.errors import SolverError
from gangplan.models.result import COUNTING, Result
from gangplan.solvers.backends.fixed import FixedSolver
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.planners.greedy import Greedy
from gangplan.solvers.recheck import CONFIRMED, REFUTED, recheck
from tests.proofs import SEARCHED
from tests.tiny import make_instance

LIMITS = Limits(seconds=20)

NEVER = FixedSolver(SolverError("asked"))
"""Reasons need no solver."""

HUGE = make_instance(nodes=[{"gpu": 4}], groups=[{"request": {"gpu": 5}}, {"request": {"gpu": 1}}])


def told(result: Result, reasons: dict[int, str]) -> Result:
    return replace(result, reasons=reasons)


def test_a_group_that_cannot_be_placed_is_counted_again() -> None:
    result = Exact(solver=Highs()).plan(HUGE, LIMITS)
    found = [one for one in recheck(HUGE, result, NEVER) if one.group]
    assert [(one.group, one.verdict, one.how) for one in found] == [
        ("test/g0", CONFIRMED, COUNTING)
    ]


@pytest.mark.parametrize(
    ("group", "text"),
    [
        (0, "cannot be placed: 7 pods needed, 0 can be placed; short of gpu (proven: counting)"),
        (1, "cannot be placed: 1 pod needed, 0 can be placed; short of gpu (proven: counting)"),
    ],
)
def test_a_false_cannot_be_placed_is_refuted(group: int, text: str) -> None:
    result = replace(Exact(solver=Highs()).plan(HUGE, LIMITS), reasons={group: text})
    (found,) = [one for one in recheck(HUGE, result, NEVER) if one.group]
    assert found.verdict == REFUTED
    assert "counted again: " in found.sentence


@pytest.mark.parametrize(
    "text",
    [
        "Cannot be placed: too dull",
        " cannot be placed",
        "it cannot be placed at all",
        "no plan starts it (proven: search)",
        "waits with h, which needs 2 children and cannot start: at most 1 can",
        "no room (proven: counting)",
    ],
)
def test_a_reason_that_claims_a_proof_there_is_none_for_is_refuted(text: str) -> None:
    result = Greedy().plan(SEARCHED)
    waits = int(np.flatnonzero(result.plan.placed_per_group(SEARCHED) == 0)[0])
    (found,) = [one for one in recheck(SEARCHED, told(result, {waits: text}), NEVER) if one.group]
    assert found.verdict == REFUTED


@pytest.mark.parametrize("text", ["a better day", "no room was found (not proven)", "unproven"])
def test_a_reason_that_claims_no_proof_is_nobodys_business(text: str) -> None:
    result = Greedy().plan(SEARCHED)
    waits = int(np.flatnonzero(result.plan.placed_per_group(SEARCHED) == 0)[0])
    assert not [one for one in recheck(SEARCHED, told(result, {waits: text}), NEVER) if one.group]


def test_a_true_shortage_with_a_lie_behind_it_is_refuted() -> None:
    result = Exact(solver=Highs()).plan(HUGE, LIMITS)
    lie = {g: f"{text}; and it never will" for g, text in result.reasons.items()}
    found = [one for one in recheck(HUGE, told(result, lie), NEVER) if one.group]
    assert {one.verdict for one in found} == {REFUTED}
