"""The fuzzer can find something: liars are caught, cases get small, runs go on where they were."""

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from gangplan.models.arrays import Ints
from gangplan.models.counts.kind import COUNTS
from gangplan.models.formulation import FAMILIES, Formulation, Kind
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Outcome, Stop
from tests import brute, brute_preemption
from tests.fuzz import keep as keeping
from tests.fuzz.__main__ import main
from tests.fuzz.case import Case, read, write
from tests.fuzz.cell import Cell, best_of
from tests.fuzz.contestants import Contestant
from tests.fuzz.draw import draw
from tests.fuzz.judge import Disagreement, judge
from tests.fuzz.run import Progress, resume
from tests.fuzz.shrink import shrink

HARD = Case(
    nodes=[{"gpu": 3}, {"gpu": 3}],
    groups=[{"kind": "gang", "roles": [{"wanted": 3, "request": {"gpu": 2}}], "minimum": 2}],
)
"""Two nodes of three GPUs hold one pod of two each; the relaxation sees three."""


def said(case: Case, who: Contestant) -> set[str]:
    instance = case.instance()
    best = best_of(case, instance)
    return {wrong.what for wrong in judge(case, instance, best, who).wrong}


def without(family: str) -> Kind:
    def build(instance: Instance, formulation: Formulation) -> object:
        return COUNTS.build(instance, replace(formulation, **{family: False}))

    return replace(COUNTS, build=build)


@dataclass(frozen=True)
class Liar:
    """HiGHS, and one field of its answer replaced."""

    stop: Stop | None = None
    bound: float | None = None
    zero: bool = False
    name: str = "liar"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        true = Highs().solve(milp, limits, start=start)
        if self.stop is not None:
            true = replace(true, stop=self.stop, x=None)
        if self.bound is not None:
            true = replace(true, bound=self.bound)
        return replace(true, x=0 * milp.cost) if self.zero else true


def test_every_feature_is_drawn_and_a_seed_is_one_case() -> None:
    seen: Counter[str] = Counter()
    for seed in range(300):
        case = draw(seed)
        assert case == draw(seed)
        for group in case.groups:
            seen.update([group["kind"], *(key for key in group if group[key])])
            seen.update(key for role in group["roles"] for key in role)
            seen.update(f"{len(group['roles'])} roles below {'parent' in group}" for _ in "1")
        rules = [r for row in [*case.groups, *case.composites] for r in row.get("rules", ())]
        seen.update(f"{rule[1]} {len(rule)}" for rule in rules)
        seen.update(f"{len(case.composites)} composites" for _ in "1")
        seen.update(key for node in case.nodes for key in node)
        seen.update(case.objective for _ in "1")
    rare = {
        "gang", "basic", "bare", "held", "running", "share", "whole", "minimum", "eligible",
        "required 2", "required 3", "preferred 2", "2 roles below True", "3 composites", "shared",
        "intact", "gpus", "age", "weighted-gpus", "groups",
    }  # fmt: skip
    assert {word: seen[word] for word in rare if seen[word] < 10} == {}


def test_an_honest_contestant_agrees() -> None:
    assert said(HARD, Contestant(COUNTS, Highs())) == set()


@pytest.mark.parametrize(
    ("liar", "what"),
    [
        (Liar(stop=Stop.INFEASIBLE), "status"),
        (Liar(stop=Stop.OPTIMAL), "status"),
        (Liar(bound=-0.4), "bound"),
        (Liar(bound=-5.0), "bound"),
        (Liar(zero=True), "value"),
    ],
)
def test_a_solver_that_lies_is_caught(liar: Liar, what: str) -> None:
    assert said(HARD, Contestant(COUNTS, liar)) == {what}


def test_a_limit_is_no_disagreement() -> None:
    instance = HARD.instance()
    best = brute.best(instance, HARD.tiers(instance))
    verdict = judge(HARD, instance, best, Contestant(COUNTS, Liar(stop=Stop.NONE_FOUND)))
    assert (verdict.proven, verdict.wrong) == (0, ())


@pytest.mark.parametrize("family", FAMILIES)
def test_a_formulation_without_a_family_is_caught_and_its_case_gets_small(family: str) -> None:
    who = Contestant(without(family), Highs())
    seed = next(seed for seed in range(1000) if said(draw(seed), who))
    what = said(draw(seed), who)
    small = shrink(draw(seed), lambda case: said(case, who) == what)
    assert said(small, who) == what
    assert said(small, Contestant(COUNTS, Highs())) == set()
    assert sum(role["wanted"] for group in small.groups for role in group["roles"]) <= 3
    assert len(small.nodes) <= 3


def test_a_disagreement_is_written_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    liar = Contestant(without("capacity"), Highs())
    seed = next(seed for seed in range(1000) if said(draw(seed), liar))
    what = said(draw(seed), liar).pop()
    monkeypatch.setattr(keeping, "contestants", lambda seed, names: [liar])
    path = keeping.keep(seed, ("highs",), Disagreement(liar.name, what, ""), tmp_path)
    kept = read(path)
    assert kept.about.startswith(f"counts/highs: {what}: ")
    assert what in said(kept, liar)
    assert keeping.again(kept, ("highs",)) == ()


def test_a_case_file_holds_the_case(tmp_path: Path) -> None:
    for seed in range(50):
        write(draw(seed), tmp_path / "case.json")
        assert read(tmp_path / "case.json") == draw(seed)


def test_a_run_goes_on_where_it_was_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--progress", str(tmp_path / "p.json"), "--jobs", "1", "--solvers", "highs"]
    assert main([*options, "--count", "2"]) == 0
    assert "2 instances reached" in capsys.readouterr().out
    assert main([*options, "--count", "3"]) == 0
    said = capsys.readouterr().out
    assert "3 instances reached" in said
    assert "counts/highs                   3 equal brute force" in said
    assert main([*options, "--count", "1", "--start", "7"]) == 0
    assert "1 instances reached, from seed 7" in capsys.readouterr().out


def test_other_sources_begin_again(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    old = resume(path, 0, ("highs",))
    old.add(Cell(0, {"a": (2, 2), "b": (1, 2), "c": (0, 2)}, (Disagreement("c", "value", ""),)))
    old.save(path)
    assert (old.agreed, old.unproven) == ({"a": 1}, {"b": 1})
    assert resume(path, 0, ("highs",)).count == 1
    assert resume(path, 0, ("highs", "cbc")).count == 0
    Progress(0, ("highs",), "other sources", 5).save(path)
    assert resume(path, 0, ("highs",)).count == 0


def test_one_seed_alone_runs_with_every_backend(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "3", "--solvers", "highs"]) == 0
    assert "counts/highs: " in capsys.readouterr().out
    assert main(["--only", "3", "--solvers", "abacus"]) == 2
    assert "not available: abacus" in capsys.readouterr().out


def test_running_work_is_drawn_and_brute_force_loses_some() -> None:
    seen: Counter[str] = Counter()
    for seed in range(400):
        case = draw(seed)
        seen.update(key for key in ("pods", "budgets", "never", "reserved") if getattr(case, key))
        seen.update(key for pod in case.pods for key in pod)
        seen.update(f"holding {key}" for row in case.holds for key in row)
        if case.pods and seen["cases"] < 30:
            instance = case.instance()
            tiers = case.tiers(instance)
            best = brute_preemption.best(instance, tiers)
            lost = [v for tier, v in zip(tiers, best, strict=True) if tier.kind == "lost"]
            seen.update({"cases": 1, "losing": int(any(lost))})
    rare = {"pods", "budgets", "never", "reserved", "unit", "group", "minutes", "holding devices"}
    assert min(seen[word] for word in rare) >= 3, seen
    assert seen["losing"] >= 3, seen
