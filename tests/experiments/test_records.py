import json
from dataclasses import replace
from pathlib import Path

import pytest

from gangplan.experiments import records
from gangplan.models.errors import InputError
from tests.experiments.record_cases import record, tier


def test_what_is_appended_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    written = [record("a"), record("b", tiers=(tier(4, None),)), record("c", status="skipped")]
    for one in written:
        records.append(path, one)
    assert records.load(path) == (tuple(written), ())


def test_a_torn_last_line_costs_its_own_cell_only(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    records.append(path, record("a"))
    records.append(path, record("b"))
    path.write_bytes(path.read_bytes()[:-40])
    records.append(path, record("c"))
    loaded = records.load(path)
    assert [one.key for one in loaded.records] == ["a", "c"]
    assert loaded.notes == (f"{path}: line 2 is torn and was left out",)


def test_a_file_without_any_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("no json\n")
    with pytest.raises(InputError, match="no line of it is a record"):
        records.load(path)


def test_another_schema_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(record().as_json() | {"schema": "gangplan/record/v2"}) + "\n")
    with pytest.raises(InputError, match="line 1: schema gangplan/record/v1 expected"):
        records.load(path)


def test_a_missing_field_is_refused_by_name() -> None:
    document = record().as_json()
    del document["status"]
    with pytest.raises(ValueError, match="status"):
        records.from_json(document)


def test_a_field_of_a_later_version_is_ignored() -> None:
    assert records.from_json(record().as_json() | {"later": 1}) == record()


def test_a_full_disk_is_one_clear_line() -> None:
    with pytest.raises(InputError, match="/dev/full: cannot be written: No space left"):
        records.append("/dev/full", record())


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        records.load(tmp_path / "none.jsonl")


def test_a_folder_is_read_file_by_file_in_order_of_name(tmp_path: Path) -> None:
    for name in ("b", "a"):
        records.append(tmp_path / f"{name}.jsonl", record(name))
    assert [one.key for one in records.load(tmp_path).records] == ["a", "b"]


def test_the_last_record_of_a_cell_counts_whatever_its_versions() -> None:
    failed = record("a", status="failed")
    other = record("b", solver="cbc")
    assert records.latest([failed, other, record("c")]) == (record("c"), other)


def test_the_gap_is_that_of_the_first_tier() -> None:
    assert record(tiers=(tier(4, 5), tier(0, 9))).gap == 0.25
    assert record(tiers=(tier(0, 3),)).gap == 3
    assert record(tiers=(tier(4, None),)).gap is None
    assert replace(record(), tiers=()).gap is None
