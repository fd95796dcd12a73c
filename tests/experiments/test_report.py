import json
from pathlib import Path
from typing import Any

import pytest

from gangplan.experiments import plots
from gangplan.experiments.report import report
from gangplan.models.errors import InputError
from tests.experiments.record_cases import record, tier

RECORDS = [
    record("a"),
    record("b", solver="cbc", seconds={"plan": 5.0}),
    record("c", solver="scip", tiers=(tier(4, 5),), stop="feasible"),
    record("d", solver="cpsat", status="skipped", tiers=(), verified=None, stop=""),
]


def test_equal_records_give_equal_files(tmp_path: Path) -> None:
    first = report(RECORDS, tmp_path / "a")
    again = report(RECORDS, tmp_path / "b")
    assert len(first.files) == len(again.files) > 4
    for one, two in zip(first.files, again.files, strict=True):
        assert one.read_bytes() == two.read_bytes(), one.name


def test_the_file_for_the_paper_has_bare_numbers(tmp_path: Path) -> None:
    report(RECORDS, tmp_path)
    document = json.loads((tmp_path / "hand.json").read_text())
    assert document["schema"] == "gangplan/tables/v1"
    table = document["tables"]["backends"]
    row = dict(zip(table["head"], table["rows"][2], strict=True))
    assert (row["backend"], row["gap [%, median]"], row["proven"]) == ("scip/counts", 25.0, 0)


def test_a_newer_record_of_a_cell_replaces_the_older(tmp_path: Path) -> None:
    newer = record("other version", seconds={"plan": 4.0})
    tables = report([*RECORDS, newer], tmp_path).tables["hand"]
    assert dict(zip(tables[0].head, tables[0].rows[0], strict=True))["time [s, median]"] == 4


def test_experiments_have_files_of_their_own(tmp_path: Path) -> None:
    written = report([record(), record(experiment="other")], tmp_path)
    assert set(written.tables) == {"hand", "other"}
    assert (tmp_path / "other.md").is_file()


@pytest.mark.skipif(not plots.available(), reason="matplotlib is not installed")
def test_limits_are_drawn_apart(tmp_path: Path) -> None:
    report([*RECORDS, record(time_limit=3.0)], tmp_path)
    assert {path.name for path in tmp_path.glob("*-time.svg")} == {
        "hand-20s-time.svg",
        "hand-3s-time.svg",
    }


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "hand.md").mkdir()
    with pytest.raises(InputError, match=r"hand\.md: cannot be written: a folder"):
        report(RECORDS, tmp_path)


def test_the_profile_is_relative_to_the_fastest_proof_of_each_run() -> None:
    runs = {
        "fast": [record(seconds={"plan": 1.0})],
        "slow": [record(seconds={"plan": 3.0})],
        "open": [record(tiers=(tier(4, 5),))],
    }
    assert plots.profile(runs) == {"fast": [1.0], "slow": [2.0], "open": []}


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        ({"objective": "gpus"}, {"groups", "gpus"}),
        ({"preemption": False}, {"evictions-on", "evictions-off"}),
        ({"threads": 2}, {"1threads", "2threads"}),
        ({"memory_limit": 2**30}, {"nolimit", "1073741824bytes"}),
        ({"gap_limit": 0.05}, {"gap0.0", "gap0.05"}),
        ({"time_limit": 20.000001}, {"20s", "20.000001s"}),
    ],
)
def test_whatever_differs_is_drawn_apart(changed: dict[str, Any], names: set[str]) -> None:
    parts = plots.settings([*RECORDS, record(**changed)])
    assert {setting for (setting,) in parts} == names
    # Each run is in its part once: no share of runs can be above one.
    assert all(len(runs) == 1 for part in parts.values() for runs in plots.series_of(part).values())


def test_planners_with_one_backend_are_drawn_as_two() -> None:
    series = plots.series_of([record("a"), record("b", planner="mine"), record("c", solver="cbc")])
    assert list(series) == ["exact: highs/counts", "mine: highs/counts", "cbc/counts"]
