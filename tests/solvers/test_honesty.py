"""What goes wrong on the way costs the proof, never the plan, and is always said."""

import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from gangplan.models.result import SEARCH, SEARCH_TWICE
from gangplan.models.verify import check, check_result
from gangplan.solvers import second
from gangplan.solvers.backends.child import Watched
from gangplan.solvers.backends.fixed import NOTHING, FixedSolver
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Outcome, Solver, Stop
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import CONFIRMED, NOT_SETTLED, recheck
from gangplan.solvers.second import Way, own_way, way_to_check, ways, witnesses
from tests.proofs import SEARCHED
from tests.solvers.hangs_in_search import HangsInSearch
from tests.solvers.test_staged import from_highs, point

LIMITS = Limits(seconds=20)


def kill_when_told(told: Path) -> None:
    """Wait for the first process id, and kill that process."""
    until = time.monotonic() + 20
    while not told.exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    os.kill(int(told.read_text()), signal.SIGKILL)


def test_a_child_killed_in_the_search_leaves_the_plan_and_its_bounds(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    killer = threading.Thread(target=kill_when_told, args=(told,))
    killer.start()
    begin = time.monotonic()
    result = Exact(solver=Watched(HangsInSearch(str(told)))).plan(SEARCHED, Limits(seconds=8))
    killer.join()
    assert time.monotonic() - begin < 12
    assert result.stop == "feasible"
    assert check(SEARCHED, result.plan) == ()
    assert check_result(SEARCHED, result) == ()
    assert result.tiers[0].value == 2
    assert result.tiers[0].bound == 3
    assert any("SIGKILL" in text for text in result.warnings)
    # What is left to claim holds, and the next plan is proven as if nothing had been.
    found = recheck(SEARCHED, result, Highs(), LIMITS)
    assert {one.verdict for one in found if not one.rests_on_a_search} == {CONFIRMED}
    assert Exact().plan(SEARCHED, LIMITS).stop == "optimal"


def test_a_limit_with_an_incumbent_is_feasible_and_never_optimal() -> None:
    at_limit = from_highs("kTimeLimit", point(SEARCHED, 0, 1, 1, -1, -1, -1))
    result = Exact(solver=at_limit).plan(SEARCHED, LIMITS)
    assert result.stop == "feasible"
    assert not result.tiers[0].proven


def test_an_infeasible_without_a_second_word_is_called_a_word() -> None:
    result = Exact(solver=Highs()).plan(SEARCHED, LIMITS)
    no = FixedSolver(Outcome(Stop.INFEASIBLE))
    words = [one for one in recheck(SEARCHED, result, no, LIMITS) if one.rests_on_a_search]
    assert words
    assert all("no certificate" in one.sentence for one in words)


def only(*names: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no other witness be there."""
    monkeypatch.setattr(second, "WITNESSES", names)


def test_another_backend_is_a_better_witness_than_the_same_one() -> None:
    others = list(witnesses({"highs"}))
    mine = own_way(Highs())
    assert mine is not None
    assert not mine.other
    assert ways(Highs()) == [*others[:1], mine]
    assert all(way.other and way.solver.name not in ("highs", "pyomo") for way in others)


def test_a_relay_is_no_witness_of_the_backend_behind_it() -> None:
    assert "highs" not in [way.solver.name for way in witnesses({"pyomo"})]
    assert "highs" not in [way.solver.name for way in witnesses({"pyomo:appsi_highs"})]
    assert "highs" in [way.solver.name for way in witnesses({"pyomo:cbc"})]
    assert "scip" not in [way.solver.name for way in witnesses({"pyomo:scip_direct"})]
    assert "highs" in [way.solver.name for way in witnesses({"cbc"})]


def test_a_claimant_that_is_asked_again_goes_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    only("highs", monkeypatch=monkeypatch)
    same = way_to_check(["highs"])
    assert same is not None
    assert not same.other
    assert same.how == "highs (second way, other seed)"
    assert way_to_check(["highs"], Highs()) == own_way(Highs())
    other: Solver = FixedSolver(NOTHING)
    assert way_to_check(["highs"], other) == Way(other, True)
    assert way_to_check(["fixed"], other) == Way(other, False)
    assert way_to_check(["scip"]) == next(witnesses({"scip"}))


def test_a_witness_that_fails_gives_way_to_the_second_way(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = FixedSolver(Outcome(Stop.ERROR, message="out of licences"))
    monkeypatch.setattr(second, "witnesses", lambda names: iter([Way(broken, True)]))
    result = Exact(solver=Highs(), second_opinion=True).plan(SEARCHED, LIMITS)
    assert result.tiers[0].proof == SEARCH_TWICE
    assert any("fixed failed: out of licences" in text for text in result.warnings)
    certificate = next(c for c in result.certificates if c.kind == SEARCH_TWICE)
    assert [who.name for who in certificate.solvers] == ["highs", "highs"]
    assert "presolve=False" in certificate.solvers[1].options


def test_a_claim_that_the_witness_contradicts_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    liar = from_highs("kOptimal", point(SEARCHED, 0, -1, -1, -1, -1, -1), -1.0)
    monkeypatch.setattr(second, "witnesses", lambda names: iter([Way(Highs(), True)]))
    result = Exact(solver=liar, second_opinion=True).plan(SEARCHED, LIMITS)
    assert not any(report.proof == SEARCH_TWICE and report.bound == 1 for report in result.tiers)
    assert result.tiers[0].value == 2


def test_a_recheck_that_nobody_can_do_is_not_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch=monkeypatch)
    result = Exact(solver=Highs()).plan(SEARCHED, LIMITS)
    nobody = tuple(
        replace(c, solvers=tuple(replace(who, name="oracle") for who in c.solvers))
        for c in result.certificates
    )
    monkeypatch.setattr(second, "witnesses", lambda names: iter([]))
    found = recheck(SEARCHED, replace(result, certificates=nobody), None, LIMITS)
    open_ones = [one for one in found if one.verdict == NOT_SETTLED]
    searched = [r.name for r in result.tiers if r.proof == SEARCH]
    own = [one for one in open_ones if "no solver is available" in one.sentence]
    assert [one.tier for one in own] == searched
    # The proven tiers below the first of them fall with it.
    below = [r.name for r in result.tiers][[r.name for r in result.tiers].index(searched[0]) :]
    assert [one.tier for one in open_ones] == below
