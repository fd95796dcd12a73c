"""The tables of the records that are kept, made again here from the bare JSON lines."""

import csv
import json
import math
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pytest

from gangplan.experiments.records import load
from gangplan.experiments.report import report

KEPT = sorted((Path(__file__).parents[2] / "experiments" / "results").glob("*.jsonl"))

WHO = ("planner", "solver", "formulation")
ASKED = ("instance", *WHO, "objective", "time_limit", "gap_limit", "threads", "seed")
VARYING = {"objective": "objective", "limit [s]": "time_limit", "threads": "threads"}
"""Columns that a table may have -> what they show."""


def raw(path: Path) -> list[dict[str, Any]]:
    """Read the last line of each cell, of the runs that ended."""
    lines = map(json.loads, path.read_text().splitlines())
    last = {tuple(line[field] for field in ASKED): line for line in lines}
    return [line for line in last.values() if line["status"] == "done"]


def proven(run: dict[str, Any]) -> bool:
    return bool(run["verified"]) and all(tier["bound"] == tier["value"] for tier in run["tiers"])


def gap(run: dict[str, Any]) -> float:
    first = run["tiers"][0]
    return float(100 * abs(first["bound"] - first["value"]) / max(1, abs(first["value"])))


def figures(runs: list[dict[str, Any]]) -> dict[str, float | None]:
    times = [
        run["seconds"]["plan"] if proven(run) else max(run["seconds"]["plan"], run["time_limit"])
        for run in runs
    ]
    gaps = [gap(run) for run in runs if run["tiers"][0]["bound"] is not None]
    return {
        "runs": len(runs),
        "proven": sum(map(proven, runs)),
        "verified": sum(run["verified"] for run in runs),
        "time [s, shifted mean]": math.exp(fmean(math.log(t + 1) for t in times)) - 1,
        "time [s, median]": median(times),
        "gap [%, median]": median(gaps) if gaps else None,
        "gap [%, worst]": max(gaps, default=None),
        "peak memory [MiB, most]": max(run["peak_memory"] for run in runs) / 2**20,
    }


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
@pytest.mark.parametrize("table", ["backends", "instances"])
def test_every_figure_of_the_tables_follows_from_the_records(
    path: Path, table: str, tmp_path: Path
) -> None:
    report(load(path).records, tmp_path)
    with (tmp_path / f"{path.stem}-{table}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    runs = raw(path)
    counted = 0
    for row in rows:
        part = [
            run
            for run in runs
            if run["planner"] == row["planner"]
            and row["backend"]
            in ("/".join(filter(None, (run[w] for w in WHO[1:]))), run["planner"])
            and row.get("instance") in (None, run["family"])
            and all(
                str(run[field]) == row[column] for column, field in VARYING.items() if column in row
            )
        ]
        counted += len(part)
        if part:
            shown = {name: float(row[name]) if row[name] else None for name in figures(part)}
            assert shown == pytest.approx(figures(part), abs=1e-9)
    assert counted == len(runs) > 0


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_what_the_records_say_can_be(path: Path) -> None:
    for run in raw(path):
        above = True
        for tier in run["tiers"]:
            value, bound = tier["value"], tier["bound"]
            above = above and bound == value
            assert tier["proven"] == above, run["instance"]
            if bound is not None and not tier.get("given"):
                assert bound >= value if tier["maximise"] else bound <= value
        seconds = run["seconds"]
        inside = sum(seconds.get(phase, 0.0) for phase in ("build", "handover", "solve"))
        assert inside <= seconds["plan"] + 0.05
        assert 2**24 < run["peak_memory"] < 2**36
