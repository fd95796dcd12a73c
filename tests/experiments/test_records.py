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


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"experiment": "../../up"}, "experiment: a name"),
        ({"status": "finished"}, "status: done, skipped or failed expected"),
        ({"seed": "1"}, "seed: a whole number of at least 0 expected, not '1'"),
        ({"nodes": True}, "nodes: a whole number"),
        ({"time_limit": float("nan")}, "time_limit: a number of at least 0 expected, not nan"),
        ({"seconds": {"plan": "2"}}, "seconds: phases and seconds expected"),
        ({"seconds": {"plan": -1.0}}, "seconds: phases and seconds expected"),
        ({"machine": {"load": "high"}}, "machine: a description"),
        ({"verified": "yes"}, "verified: true, false or null expected, not 'yes'"),
        ({"peak_memory": 1.5}, "peak_memory: bytes or null expected"),
        ({"tiers": "none"}, "tiers: a list of objects expected"),
        ({"tiers": [{"name": "a", "value": 1.5}]}, "value: a whole number expected, not 1.5"),
        ({"tiers": [{"name": "a"}]}, "missing"),
    ],
)
def test_an_edited_field_is_refused_by_name(changed: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        records.from_json(record().as_json() | changed)


def test_a_proof_that_its_figures_belie_is_refused() -> None:
    document = json.loads(json.dumps(record().as_json()))
    document["tiers"][0]["bound"] += 1
    with pytest.raises(
        ValueError, match=r"admitted\(0\) is proven, and its bound is not its value"
    ):
        records.from_json(document)


def test_a_line_of_brackets_costs_itself_only(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    records.append(path, record("a"))
    with path.open("a") as file:
        file.write("[" * 100_000 + "\n")
    loaded = records.load(path)
    assert [one.key for one in loaded.records] == ["a"]
    assert len(loaded.notes) == 1


@pytest.mark.parametrize("kept", [1, 10, 40, 200])
def test_a_run_killed_in_its_first_record_leaves_a_file_to_go_on_with(
    tmp_path: Path, kept: int
) -> None:
    path = tmp_path / "r.jsonl"
    records.append(path, record("a"))
    path.write_bytes(path.read_bytes()[:kept])
    assert records.load(path).records == ()
    records.append(path, record("b"))
    assert [one.key for one in records.load(path).records] == ["b"]


def test_a_plan_that_failed_its_check_proves_nothing() -> None:
    broken = record(verified=False, violations=("node n: 9 of 8 cpu",))
    assert (broken.proven, broken.gap) == (False, None)


def test_one_run_at_a_time_writes_a_file(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with (
        records.writing(path),
        pytest.raises(InputError, match="another run is writing to it"),
        records.writing(path),
    ):
        pytest.fail("two runs hold one file")
    with records.writing(path):
        records.append(path, record())


def test_a_bound_that_holds_only_given_the_tiers_above_says_so(tmp_path: Path) -> None:
    document = json.loads(json.dumps(record(tiers=(tier(4, 5),)).as_json()))
    assert records.from_json(document).tiers[0].given is False
    document["tiers"][0]["given"] = True
    assert records.from_json(document).tiers[0].given is True
    del document["tiers"][0]["given"]
    assert records.from_json(document).tiers[0].given is False
