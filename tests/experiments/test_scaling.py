"""The table of how good plans are, and when."""

from pathlib import Path

import pytest

from gangplan.experiments import records
from gangplan.experiments.report import report
from gangplan.experiments.scaling import HEAD, reached, scaling
from tests.experiments.record_cases import record, tier


def traced(key: str = "k", seed: int = 1, end: int = 996, **changed: object) -> records.Record:
    """Make a run that had 500 at once, a bound of 1000 after 1 s and 996 after 3 s."""
    trace = ((0.2, 500, None), (1.0, 500, 1000), (3.0, end, 1000))
    return record(
        key, seed=seed, planner="anytime", trace=trace, tiers=(tier(end, 1000),),
        seconds={"plan": 4.0}, **changed,
    )  # fmt: skip


def test_times_come_from_the_trace() -> None:
    table = scaling([traced("a"), traced("b", seed=2, end=900)])
    assert table is not None
    row = dict(zip(HEAD, table.rows[0], strict=True))
    assert row["first plan [s, median]"] == 0.2
    assert row["first bound [s, median]"] == 1.0
    assert row["to 1 % [s, median]"] == 3.0
    assert row["to 1 % [s, worst]"] is None
    assert row["gap at the end [%, worst]"] == 100 * 100 / 900
    assert row["proven"] == 0


def test_one_per_cent_is_of_the_value() -> None:
    assert reached(traced(end=800), 0.25) == 3.0
    assert reached(traced(end=800), 0.249) is None


def test_a_run_without_a_trace_has_its_plan_at_the_end() -> None:
    table = scaling([traced(), record("c")])
    assert table is not None
    other = dict(zip(HEAD, table.rows[1], strict=True))
    assert other["first plan [s, median]"] == other["to proof [s, median]"] == 2.0


def test_without_any_trace_there_is_no_such_table() -> None:
    assert scaling([record()]) is None


def test_a_plan_that_failed_its_check_counts_for_nothing() -> None:
    assert scaling([traced(verified=False)]) is None


def test_a_trace_survives_its_file(tmp_path: Path) -> None:
    file = tmp_path / "hand.jsonl"
    records.append(file, traced())
    (found,) = records.load(file).records
    assert found == traced()
    assert {table.name for table in report([found], tmp_path).tables["hand"]} >= {"scaling"}


def test_a_trace_with_another_shape_is_refused(tmp_path: Path) -> None:
    for wrong in ([[1, 2]], [["a", 1, 2]], [[1.0, 2.5, None]], "abc"):
        with pytest.raises(ValueError, match="trace"):
            records.from_json(traced().as_json() | {"trace": wrong})
