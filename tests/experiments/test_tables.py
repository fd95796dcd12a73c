import csv
import math

import pytest

from gangplan.experiments.tables import Table, by_backend, by_instance, runs, shifted_mean
from tests.experiments.record_cases import record, tier


def row(table: Table, number: int = 0) -> dict[str, object]:
    return dict(zip(table.head, table.rows[number], strict=True))


def test_the_shifted_mean_is_the_geometric_mean_of_what_is_shifted() -> None:
    assert shifted_mean([1.0, 7.0], shift=1.0) == pytest.approx(3.0)
    assert shifted_mean([0.0, 0.0]) == 0
    with pytest.raises(ValueError, match="no value"):
        shifted_mean([])


def test_a_run_without_a_proof_counts_with_its_limit() -> None:
    open_run = record("b", tiers=(tier(4, 5),), stop="feasible", seconds={"plan": 3.0})
    table = by_backend([record("a"), open_run])
    assert row(table)["time [s, median]"] == (2 + 20) / 2
    assert row(table)["time [s, shifted mean]"] == pytest.approx(math.sqrt(3 * 21) - 1)
    assert row(table)["proven"] == 1
    assert row(table)["gap [%, worst]"] == 25


def test_backends_keep_apart_and_skipped_runs_are_counted() -> None:
    skipped = record("b", status="skipped", solver="cbc", tiers=(), verified=None)
    table = by_backend([record("a"), skipped])
    assert [r[1] for r in table.rows] == ["highs/counts", "cbc/counts"]
    assert row(table, 1) | {"runs": 0, "skipped": 1, "proven": None} == row(table, 1)


def test_instances_keep_apart_and_seeds_go_together() -> None:
    other = record("c", family="racks 18/4")
    table = by_instance([record("a"), record("b", seed=2), other])
    assert [(r[0], r[3]) for r in table.rows] == [("training 16/8", 2), ("racks 18/4", 1)]


def test_runs_with_and_without_evictions_keep_apart() -> None:
    others = [record("b", preemption=False), record("c", pdb="hard")]
    table = by_backend([record("a"), *others])
    place = table.head.index("evictions")
    assert [row[place] for row in table.rows] == ["on", "off", "hard budgets"]
    assert "evictions" not in by_backend([record("a")]).head
    assert [row[1] for row in runs(others).rows] == ["exact, no evictions", "exact, hard budgets"]


def test_few_seeds_are_said() -> None:
    few = by_backend([record(str(seed), seed=seed) for seed in range(4)])
    assert any("Only 4 seeds" in note for note in few.notes)
    enough = by_backend([record(str(seed), seed=seed) for seed in range(5)])
    assert not any("Only" in note for note in enough.notes)


def test_a_busy_machine_is_said() -> None:
    busy = record("b", machine={"cpu": "x", "cores": 2, "load": 7.5})
    said = "1 of 2 runs began on a machine with more work than cores (load up to 7.5)"
    assert any(note.startswith(said) for note in by_backend([record("a"), busy]).notes)
    assert not any("began" in note for note in by_backend([record("a")]).notes)


def test_the_shift_is_said() -> None:
    assert "shift of 1 s" in by_backend([record()]).notes[0]


def test_csv_keeps_commas_and_markdown_keeps_bars() -> None:
    table = runs([record(warnings=("a, b | c",))])
    assert list(csv.reader(table.csv().splitlines()))[1][-1] == "a, b | c"
    assert "a, b \\| c |" in table.markdown()


def test_json_has_numbers_and_nulls() -> None:
    document = runs([record(tiers=(tier(4, None),))]).as_json()
    assert document["rows"][0][6:9] == [4, None, None]  # type: ignore[index]  # a list, as written


def test_no_record_is_a_table_without_rows() -> None:
    assert by_backend([]).rows == ()


def test_gap_limits_keep_apart() -> None:
    table = by_backend([record("a"), record("b", gap_limit=0.05)])
    assert [r[table.head.index("gap limit")] for r in table.rows] == [0.0, 0.05]


def test_memory_limits_keep_apart() -> None:
    table = by_backend([record("a"), record("b", memory_limit=2**30)])
    at = table.head.index("memory limit [MiB]")
    assert [r[at] for r in table.rows] == [None, 1024]
    assert "memory limit [MiB]" not in by_backend([record("a"), record("b", seed=2)]).head


def test_a_plan_that_failed_its_check_is_counted_and_proves_nothing() -> None:
    table = by_backend([record("a"), record("b", seed=2, verified=False, violations=("too full",))])
    shown = row(table)
    assert (shown["runs"], shown["proven"], shown["verified"]) == (2, 1, 1)
    assert shown["time [s, median]"] == (2 + 20) / 2
    listed = row(runs([record("b", verified=False, violations=("too full",))]))
    assert (listed["status"], listed["proven"]) == ("not verified", "0/1")
    assert (listed["verified"], listed["note"]) == ("no", "too full")


def test_a_name_with_a_line_end_stays_one_row() -> None:
    text = by_instance([record(family="two\nlines")]).markdown()
    assert "| two lines |" in text
