"""What is re-checked: true claims are confirmed, false ones never are."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from gangplan.models.certificate import Certificate, Claimant
from gangplan.models.errors import PlanError, SolverError
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.result import COUNTING, LP_DUAL, SEARCH, SEARCH_TWICE, Result, TierReport
from gangplan.models.tiers import tiers_of, values
from gangplan.solvers import recheck as module
from gangplan.solvers.backends.fixed import NOTHING, FixedSolver
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Outcome, Solver, Stop
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.planners.greedy import Greedy
from gangplan.solvers.recheck import CONFIRMED, NOT_SETTLED, REFUTED, Recheck, recheck
from tests.proofs import SEARCHED
from tests.tiny import make_instance

RELAXED = make_instance(
    nodes=[{"gpu": 4, "cpu": 4}, {"gpu": 4, "cpu": 4}],
    groups=[
        {"request": {"gpu": 3, "cpu": 1}, "priority": 5},
        {"request": {"gpu": 1, "cpu": 3}, "priority": 5, "wanted": 2, "minimum": 2},
        {"request": {"gpu": 3, "cpu": 3}, "priority": 5},
    ],
)
"""The third needs a node for itself, which no one resource shows."""

LIMITS = Limits(seconds=20)


def planned(instance: Instance, second_opinion: bool = False) -> Result:
    return Exact(solver=Highs(), second_opinion=second_opinion).plan(instance, LIMITS)


def of(result: Result, kind: str) -> int:
    """Number of the first tier that is proven this way."""
    return next(i for i, report in enumerate(result.tiers) if report.proof == kind)


def verdicts(found: tuple[Recheck, ...]) -> dict[str, str]:
    return {one.tier or one.group: one.verdict for one in found}


def tamper(result: Result, tier: str, **change: object) -> Result:
    """Change one certificate."""
    changed = tuple(
        replace(c, **change) if c.tier == tier else c  # type: ignore[arg-type]  # any field
        for c in result.certificates
    )
    return replace(result, certificates=changed)


@pytest.mark.parametrize("instance", [SEARCHED, RELAXED])
def test_what_exact_proves_is_confirmed_tier_by_tier(instance: Instance) -> None:
    result = planned(instance)
    found = recheck(instance, result, Highs(), LIMITS)
    assert [one.tier for one in found] == [report.name for report in result.tiers]
    assert {one.verdict for one in found} == {CONFIRMED}
    assert all(one.sentence and one.how and one.seconds >= 0 for one in found)


def test_every_bound_has_a_certificate_of_the_kind_that_is_reported() -> None:
    result = planned(SEARCHED)
    assert [(c.tier, c.kind, c.bound) for c in result.certificates] == [
        (report.name, report.proof, report.bound) for report in result.tiers
    ]
    search = result.certificates[of(result, SEARCH)]
    assert [who.name for who in search.solvers] == ["highs"]
    assert search.solvers[0].version
    assert "presolve=True" in search.solvers[0].options
    assert "seed=0" in search.solvers[0].options


def test_a_second_opinion_is_named_in_the_certificate() -> None:
    result = planned(SEARCHED, second_opinion=True)
    certificate = result.certificates[of(result, SEARCH_TWICE)]
    first, second = certificate.solvers
    assert first.name == "highs"
    assert (second.name, second.options) != (first.name, first.options)
    assert set(verdicts(recheck(SEARCHED, result, Highs(), LIMITS)).values()) == {CONFIRMED}


@dataclass(frozen=True)
class Never:
    """No solver that anybody should ask."""

    name: str = "never"

    def solve(self, milp: Milp, limits: Limits, *, start: object = None) -> Outcome:
        raise AssertionError("asked")


DUAL = make_instance(
    nodes=[{"gpu": 6, "cpu": 5}, {"gpu": 5, "cpu": 6}],
    groups=[
        {"request": {"gpu": g, "cpu": c}, "wanted": 2, "minimum": 1}
        for g, c in [(1, 3), (3, 1), (3, 3), (1, 1)]
    ],
)
"""The duals prove the last tier, fragmentation, with four tiers above it."""


def dual() -> tuple[Result, int]:
    result = planned(DUAL)
    return result, of(result, LP_DUAL)


def test_multipliers_are_checked_without_a_solver() -> None:
    result, i = dual()
    # Where a tier above rests on a search, this one does too: it is the last that is asked of.
    above = FixedSolver(Outcome(Stop.INFEASIBLE))
    found = recheck(DUAL, result, above, LIMITS)[i]
    assert (found.verdict, found.how) == (CONFIRMED, LP_DUAL)
    assert "evaluated again" in found.sentence
    alone = recheck(DUAL, replace(result, tiers=result.tiers[i:]), Never(), LIMITS)[0]
    assert alone.how == LP_DUAL


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c: {"multipliers": tuple(0 for _ in c.rows)}, "the multipliers prove"),
        (lambda c: {"rows": (), "multipliers": ()}, "the multipliers prove"),
        (lambda c: {"multipliers": tuple(-y for y in c.multipliers)}, ""),
        (lambda c: {"rows": (10**9, *c.rows[1:])}, "does not fit"),
        (lambda c: {"multipliers": (2**41, *c.multipliers[1:])}, "does not fit"),
        (lambda c: {"multipliers": c.multipliers[1:]}, "does not fit"),
        (lambda c: {"digest": "0" * 64}, "speak of other rows"),
        (lambda c: {"bound": c.bound + 1}, "its certificate is for"),
        (lambda c: {"kind": SEARCH}, "the report says lp-dual"),
        (lambda c: {"held": (*c.held, 3)}, "values are held"),
        (lambda c: {"off": ("elastic",)}, "does not fit"),
        (lambda c: {"off": ("gravity",)}, "gravity is no family"),
        (lambda c: {"off": ("capacity",)}, "speak of other rows"),
    ],
)
def test_a_certificate_that_was_tampered_with_is_refuted(
    change: Callable[[Certificate], dict[str, object]], said: str
) -> None:
    result, i = dual()
    certificate = result.certificates[i]
    assert certificate.rows
    tampered = tamper(result, certificate.tier, **change(certificate))
    found = recheck(DUAL, tampered, Never(), LIMITS)[i]
    assert found.verdict == REFUTED
    assert said in found.sentence


def test_an_unknown_formulation_settles_nothing() -> None:
    result, i = dual()
    tampered = tamper(result, result.tiers[i].name, formulation="magic")
    found = recheck(DUAL, tampered, Never(), LIMITS)[i]
    assert found.verdict == NOT_SETTLED
    assert "no formulation 'magic'" in found.sentence


def boast(instance: Instance, plan: Plan, kind: str) -> Result:
    """Call every tier of a plan proven."""
    tiers = tiers_of(instance)
    worth = values(instance, plan, tiers)
    who: tuple[Claimant, ...] = () if kind in (COUNTING, LP_DUAL) else (Claimant("cbc"),)
    who += (Claimant("cpsat"),) if kind == SEARCH_TWICE else ()
    return Result(
        plan,
        tuple(
            TierReport(t.name, t.maximise, v, v, kind, True)
            for t, v in zip(tiers, worth, strict=True)
        ),
        "optimal",
        {"name": "boasts", "objective": "groups"},
        certificates=tuple(
            Certificate(t.name, kind, v, "counts", held=worth[:i], solvers=who)
            for i, (t, v) in enumerate(zip(tiers, worth, strict=True))
        ),
    )


@pytest.mark.parametrize("kind", [COUNTING, LP_DUAL, SEARCH, SEARCH_TWICE])
def test_a_worse_plan_that_is_called_proven_is_refuted(kind: str) -> None:
    result = boast(SEARCHED, empty_plan(SEARCHED), kind)
    found = recheck(SEARCHED, result, Highs(), LIMITS)[0]
    assert found.verdict == REFUTED
    if kind.startswith(SEARCH):
        assert "found a verified plan with" in found.sentence
    bare = recheck(SEARCHED, replace(result, certificates=()), Highs(), LIMITS)[0]
    assert bare.verdict == REFUTED


def test_values_that_the_plan_belies_are_refuted() -> None:
    result = planned(SEARCHED)
    lie = replace(result.tiers[0], value=3, bound=3)
    found = recheck(SEARCHED, replace(result, tiers=(lie, *result.tiers[1:])), Highs(), LIMITS)
    assert found[0].verdict == REFUTED
    assert "reported 3, the plan has 2" in found[0].sentence


def test_a_bound_that_holds_given_open_tiers_must_say_so() -> None:
    result = planned(SEARCHED)
    first = replace(result.tiers[0], bound=None, proof="", proven=False)
    rest = tuple(replace(report, proven=False) for report in result.tiers[1:])
    some = result.certificates[1:]
    boast = replace(result, tiers=(first, *rest), stop="feasible", certificates=some)
    everything = recheck(SEARCHED, boast, Never())
    # Who waits is told why by the proven tiers: with them go the words of a proof.
    assert {one.verdict for one in everything if one.group} == {REFUTED}
    found = [one for one in everything if one.tier]
    for one, report in zip(found, rest, strict=True):
        assert one.verdict == (CONFIRMED if report.proof == COUNTING else REFUTED)


def test_a_certificate_held_to_better_plans_than_this_one_is_refuted() -> None:
    result = planned(RELAXED)
    i = max(n for n, c in enumerate(result.certificates) if c.kind != COUNTING)
    certificate = result.certificates[i]
    assert certificate.held
    better = tuple(value + 1 for value in certificate.held)
    found = recheck(RELAXED, tamper(result, certificate.tier, held=better), Highs())[i]
    assert found.verdict == REFUTED
    assert "it speaks of plans with" in found.sentence


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (NOTHING, "reached its time limit"),
        (Outcome(Stop.ERROR, message="kWhatever"), "the search failed: kWhatever"),
        (SolverError("fixed: SIGKILL"), "the search failed: fixed: SIGKILL"),
        (Outcome(Stop.OPTIMAL, x=np.full(3, 0.5)), "failed its check"),
    ],
)
def test_a_search_without_an_answer_settles_nothing(
    answer: Outcome | SolverError, said: str
) -> None:
    result = planned(SEARCHED)
    found = recheck(SEARCHED, result, FixedSolver(answer), LIMITS)[of(result, SEARCH)]
    assert (found.verdict, found.how) == (NOT_SETTLED, "fixed")
    assert said in found.sentence


def test_infeasible_from_another_backend_is_its_word_and_called_so() -> None:
    result = planned(SEARCHED)
    other = FixedSolver(Outcome(Stop.INFEASIBLE))
    found = recheck(SEARCHED, result, other, LIMITS)[of(result, SEARCH)]
    assert found.verdict == CONFIRMED
    assert "another backend's word, no certificate" in found.sentence


def test_the_same_backend_is_asked_another_way_and_said_so() -> None:
    result = planned(SEARCHED)
    found = recheck(SEARCHED, result, Highs(), LIMITS)[of(result, SEARCH)]
    assert found.how == "highs (second way, other seed)"
    assert "the same backend's word" in found.sentence


def test_a_model_too_big_to_search_settles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    result = planned(SEARCHED)
    monkeypatch.setattr(module, "SEARCH_CELLS", 1)
    found = recheck(SEARCHED, result, Never(), LIMITS)[of(result, SEARCH)]
    assert found.verdict == NOT_SETTLED
    assert "too big" in found.sentence


def test_a_greedy_plan_needs_no_certificate_for_what_was_counted() -> None:
    result = Greedy().plan(SEARCHED)
    assert result.certificates == ()
    found = recheck(SEARCHED, result, Never())
    assert {one.verdict for one in found} == {CONFIRMED}


def test_a_claim_without_a_certificate_is_searched_again_and_not_confirmed() -> None:
    result = replace(planned(SEARCHED), certificates=())
    found = recheck(SEARCHED, result, Highs(), LIMITS)[of(result, SEARCH)]
    assert found.verdict == NOT_SETTLED
    assert found.sentence.startswith("not proven: no certificate stored; searched again")


def test_a_search_by_nobody_is_not_confirmed() -> None:
    result = planned(SEARCHED)
    i = of(result, SEARCH)
    for nobody in ((), (Claimant(""),)):
        tampered = tamper(result, result.tiers[i].name, solvers=nobody)
        found = recheck(SEARCHED, tampered, Highs(), LIMITS)[i]
        assert found.verdict == NOT_SETTLED
        assert found.sentence.startswith("not proven: ")


@pytest.mark.parametrize("who", [(), (Claimant("cbc"),), (Claimant("cbc"), Claimant("cbc"))])
def test_two_searches_that_one_made_are_refuted(who: tuple[Claimant, ...]) -> None:
    result = planned(SEARCHED, second_opinion=True)
    i = of(result, SEARCH_TWICE)
    found = recheck(SEARCHED, tamper(result, result.tiers[i].name, solvers=who), Never())[i]
    assert found.verdict == REFUTED
    assert "two searches are claimed" in found.sentence


def test_what_is_proven_falls_with_a_tier_above_it() -> None:
    result = planned(SEARCHED)
    i = of(result, SEARCH)
    name = result.tiers[i].name
    refuted = recheck(SEARCHED, tamper(result, name, bound=99), Highs(), LIMITS)
    assert [one.verdict for one in refuted] == [CONFIRMED] * i + [REFUTED] * (5 - i)
    assert f"it rests on {name}, which is refuted; given that: " in refuted[-1].sentence
    unsettled = recheck(SEARCHED, result, FixedSolver(NOTHING), LIMITS)
    assert {one.verdict for one in unsettled[i:]} == {NOT_SETTLED}


def test_a_bound_that_stands_alone_does_not_fall_with_the_tiers_above() -> None:
    result = Greedy().plan(SEARCHED)
    lie = replace(result.tiers[0], bound=2, proof=SEARCH, proven=True)
    rest = tuple(replace(report, proven=False) for report in result.tiers[1:])
    boast = replace(result, tiers=(lie, *rest), stop="feasible")
    found = recheck(SEARCHED, boast, FixedSolver(NOTHING), LIMITS)
    assert [one.verdict for one in found] == [NOT_SETTLED] + [CONFIRMED] * len(rest)


def test_a_certificate_of_a_bound_that_is_not_claimed_is_refuted() -> None:
    result = planned(SEARCHED)
    more = (*result.certificates, Certificate("admitted(9)", SEARCH, 7, "counts"))
    found = recheck(SEARCHED, replace(result, certificates=more), Highs(), LIMITS)
    assert [one.tier for one in found if one.verdict == REFUTED] == ["admitted(9)"]


@pytest.mark.parametrize("far", [10**400, -(10**400), 2**80, -(2**80)])
def test_numbers_that_no_tier_can_have_are_no_crash(far: int) -> None:
    result, i = dual()
    held = (*result.certificates[i].held[:-1], far)
    found = recheck(DUAL, tamper(result, result.tiers[i].name, held=held), Highs(), LIMITS)[i]
    assert found.verdict == REFUTED
    first = result.tiers[0]
    loose = replace(first, bound=abs(far), proof=SEARCH, proven=False)
    rest = tuple(replace(r, proven=False, given=True) for r in result.tiers[1:])
    weak = replace(result, tiers=(loose, *rest), stop="feasible")
    weak = tamper(weak, first.name, kind=SEARCH, bound=abs(far), solvers=(Claimant("cbc"),))
    weak = tamper(weak, first.name, formulation="counts", held=())
    assert recheck(DUAL, weak, Highs(), LIMITS)[0].verdict == CONFIRMED


def test_a_search_of_what_cannot_be_written_settles_nothing() -> None:
    big = make_instance(
        nodes=[{"gpu": 2**50 + 1}, {"gpu": 2**50 + 1}],
        groups=[{"request": {"gpu": 2**49 + n}} for n in range(1, 6)],
    )
    result = Greedy().plan(big)
    first = replace(result.tiers[0], bound=result.tiers[0].value, proof=SEARCH, proven=True)
    boast = replace(result, tiers=(first, *result.tiers[1:]), stop="feasible")
    found = recheck(big, boast, Never(), LIMITS)[0]
    assert found.verdict == NOT_SETTLED
    assert "no model could be written" in found.sentence


def test_a_plan_of_another_shape_is_an_error() -> None:
    result = replace(planned(DUAL), plan=empty_plan(SEARCHED))
    with pytest.raises(PlanError):
        recheck(DUAL, result)


def test_an_unknown_objective_is_an_error() -> None:
    with pytest.raises(PlanError, match="unknown objective 'glory'"):
        recheck(DUAL, replace(planned(DUAL), planner={"objective": "glory"}))


def test_searches_share_the_time_that_is_left() -> None:
    asked: list[float] = []

    @dataclass(frozen=True)
    class Clocked:
        name: str = "clocked"

        def solve(self, milp: Milp, limits: Limits, *, start: object = None) -> Outcome:
            asked.append(limits.seconds)
            return NOTHING

    result = boast(SEARCHED, empty_plan(SEARCHED), SEARCH)
    solver: Solver = Clocked()
    recheck(SEARCHED, result, solver, Limits(seconds=8))
    assert len(asked) > 1
    assert asked[0] < 8 / 2 + 0.1
    assert sum(asked) > 7
