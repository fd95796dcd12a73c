import io

import numpy as np
import pytest
from rich.console import Console

from gangplan.cli.render import ROWS, _unit, show_plan, verdict
from gangplan.cli.tables import show_table
from gangplan.models.plan import empty_plan, plan_from_counts
from gangplan.models.result import COUNTING, SEARCH, Result, TierReport
from gangplan.models.tiers import OBJECTIVES, tiers_of
from tests.tiny import make_instance

PROVEN = TierReport("admitted(1)", True, 3, 3, COUNTING, True)
SEARCHED = TierReport("admitted(0)", True, 3, 3, SEARCH, True)
OPEN = TierReport("admitted(0)", True, 92528, 92529, COUNTING, False)
OPEN_MINIMISED = TierReport("preferred", False, 3, 1, COUNTING, False)
ELASTIC = TierReport("elastic(0)", True, 0, 0, COUNTING, True)
OPEN_ELASTIC = TierReport("elastic(0)", True, 0, 3, COUNTING, False)
WITHOUT = TierReport("preferred", False, 3, None, "", False)


@pytest.mark.parametrize(
    ("tiers", "sentence"),
    [
        ((), "optimal: no better plan exists (every tier is proven)"),
        ((PROVEN,), "optimal: no better plan exists (every tier is proven)"),
        (
            (PROVEN, SEARCHED),
            "optimal: no better plan exists (every tier is proven, 1 of 2 by one solver's word)",
        ),
        (
            (PROVEN, OPEN),
            "not proven optimal: 1 of 2 tiers are proven; admitted(0) is 92528, "
            "at most 92529 is possible (gap 0.00108 %)",
        ),
        (
            (OPEN_MINIMISED,),
            "not proven optimal: 0 of 1 tiers are proven; preferred is 3, "
            "at least 1 is possible (gap 66.7 %)",
        ),
        (
            (PROVEN, WITHOUT),
            "not proven optimal: 1 of 2 tiers are proven; preferred is 3, without a bound",
        ),
    ],
)
def test_the_verdict_says_no_more_than_is_proven(
    tiers: tuple[TierReport, ...], sentence: str
) -> None:
    assert verdict(tiers) == sentence


def test_rows_that_are_left_out_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    instance = make_instance(
        nodes=[], groups=[{"minimum": 1, "wanted": 1, "request": {"gpu": 1}}] * (ROWS + 5)
    )
    show_plan(instance, Result(empty_plan(instance), (), "feasible", {}), 0.0)
    out = capsys.readouterr().out
    assert out.count("pending ") == ROWS
    assert "... and 5 groups more" in out


def test_what_a_terminal_would_act_on_is_escaped() -> None:
    out = Console(file=io.StringIO(), width=80)
    show_table(out, ("name", "text"), [("\x1b[31mred", "[bold]plain[/bold]")])
    assert isinstance(out.file, io.StringIO)
    said = out.file.getvalue()
    assert "\x1b" not in said
    assert "\\x1b[31mred" in said
    assert "[bold]plain[/bold]" in said


def test_a_narrow_terminal_gets_the_sentence_below_its_row() -> None:
    out = Console(file=io.StringIO(), width=44)
    rows = [("ml/a-rather-long-name", "10", "cannot be placed: " + "word " * 20), ("ml/b", "5", "")]
    show_table(out, ("group", "priority", "why"), rows, numbers=("priority",))
    assert isinstance(out.file, io.StringIO)
    lines = out.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 44
    assert lines[:2] == ["group                   priority", "    why"]
    assert lines[3] == "ml/a-rather-long-name         10"
    assert lines[4].startswith("    cannot be placed: word word")
    assert lines[-1] == "ml/b                           5"


def test_a_name_that_is_too_long_for_its_row_has_a_line_of_its_own() -> None:
    out = Console(file=io.StringIO(), width=80)
    name = "research-platform-team-a/evaluation-nightly-checkpoint-sweep-7b"
    head = ("evicted", "falls as", "priority", "pods", "GPUs", "ran", "for")
    row = ("group", "100", "2", "8", "30m", "research-platform-team-a/urgent")
    show_table(out, head, [(name, *row), ("ml/short", *row)], numbers=("pods", "GPUs", "ran"))
    assert isinstance(out.file, io.StringIO)
    lines = out.file.getvalue().splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert lines[3] == name
    assert lines[4].split() == [*row[:-1]]
    assert lines[4].index("group") == lines[0].index("falls as")
    assert lines[5].strip() == row[-1]
    assert lines[6].startswith("ml/short ")


def test_every_tier_says_what_it_counts() -> None:
    instance = make_instance(
        nodes=[{"gpu": 1}], groups=[{"priority": 5, "wanted": 1, "request": {"gpu": 1}}]
    )
    names = {tier.name for o in OBJECTIVES for tier in tiers_of(instance, o)}
    assert len(names) == 8
    assert all(_unit(name, 1) for name in names)
    assert _unit("admitted-gpus(5)", 1000) == "GPUs/1000"


@pytest.mark.parametrize("kind", ["basic", "bare"])
def test_single_pods_that_are_left_over_are_told(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    instance = make_instance(
        nodes=[{"gpu": 2}], groups=[{"kind": kind, "wanted": 5, "request": {"gpu": 1}}]
    )
    plan = plan_from_counts(instance, np.array([0]), np.array([0]), np.array([2]))
    why = {0: "2 of 5 pods are placed"}
    show_plan(instance, Result(plan, (), "feasible", {}, why), 0.0)
    out = " ".join(capsys.readouterr().out.split())  # however wide the terminal is
    assert "partly 2/5 n0 x2; 2 of 5 pods are placed" in out
    counted = "groups: 1 partly" if kind == "basic" else "single pods: 2 of 5 placed"
    assert counted in out


@pytest.mark.parametrize(
    ("tiers", "proof"),
    [((), ""), ((ELASTIC,), " (elastic(0) is proven)"), ((OPEN_ELASTIC,), " (elastic(0) is not")],
)
def test_pods_beyond_the_minimum_that_wait_are_told(
    tiers: tuple[TierReport, ...], proof: str, capsys: pytest.CaptureFixture[str]
) -> None:
    instance = make_instance(
        nodes=[{"gpu": 1}],
        groups=[
            {"minimum": 1, "wanted": 3, "request": {"gpu": 1}},
            {"minimum": 1, "running": [0], "wanted": 1, "request": {"gpu": 1}},
        ],
    )
    one = np.array([1])
    plan = plan_from_counts(instance, np.array([0]), np.array([0]), one)
    show_plan(instance, Result(plan, tiers, "feasible", {}), 0.0)
    out = " ".join(capsys.readouterr().out.split())
    assert f"admitted 1/3 n0; 2 more than the minimum wait{proof}" in out
    assert f"running 0/1 1 more than the minimum waits{proof}" in out
