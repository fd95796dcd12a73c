import gzip
import io
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gangplan.datasets.instance_file import instance_document, instance_of
from gangplan.datasets.io import INSTANCE_SCHEMA, read_instance, write_instance
from gangplan.datasets.json_file import schema_of
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance
from tests.tiny import make_instance


def small() -> Instance:
    return make_instance(
        nodes=[
            {"gpu": 8, "cpu": 64, "rack": "r0", "shared": [1000, 400]},
            {"gpu": 4, "cpu": 64, "rack": "r1"},
        ],
        groups=[
            {"wanted": 2, "request": {"gpu": 4}, "rules": [("rack", "required")], "running": [1]},
            {"wanted": 1, "request": {"cpu": 2}, "kind": "bare", "name": "test/é"},
            {"wanted": 1, "request": {"gpu": 1}, "eligible": [1], "held": True, "parent": 0},
        ],
        composites=[{"minimum": 1}],
    )


def empty() -> Instance:
    return make_instance(nodes=[], groups=[])


def changed(path: list[str], value: object) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(instance_document(small())))
    inner: Any = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return document


@pytest.mark.parametrize("make", [small, empty])
@pytest.mark.parametrize("name", ["instance.json", "instance.json.gz"])
def test_a_round_trip_keeps_the_digest(make: Any, name: str, tmp_path: Path) -> None:
    instance = make()
    path = str(tmp_path / name)
    write_instance(instance, path)
    again = read_instance(path)
    assert again.digest() == instance.digest()
    assert schema_of(path) == INSTANCE_SCHEMA
    raw = Path(path).read_bytes()
    assert (raw[:2] == b"\x1f\x8b") == name.endswith(".gz")


def test_writing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.json.gz", "b.json.gz"):
        write_instance(small(), str(tmp_path / name))
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()


def test_an_instance_comes_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = json.dumps(instance_document(small())).encode()
    stream = io.BufferedReader(io.BytesIO(gzip.compress(raw)))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
    assert schema_of("-") == INSTANCE_SCHEMA
    assert read_instance("-").digest() == small().digest()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["schema"], "gangplan/instance/v2", "schema: gangplan/instance/v2 is not known here"),
        (["schema"], "gangplan/plan/v1", "schema: gangplan/instance/v1 expected"),
        (["schema"], None, "schema: gangplan/instance/v1 expected, not null"),
        (["digest"], "0" * 64, "digest: the content does not match it"),
        (["device_unit"], 0, "device_unit: a positive integer expected"),
        (["device_unit"], 1000, "digest: the content does not match it"),
        (["device_columns"], [7], "device_columns: a resource number is out of range"),
        (["names", "pods"], ["a"], "roles.wanted: more pods than the 1 named"),
        (["names", "nodes"], [1, 2], "names.nodes: a list of texts expected"),
        (["nodes", "node_class"], [0, "x"], "nodes.node_class: a list of integers expected"),
        (["nodes", "node_class"], [0, 1.5], "nodes.node_class: a list of integers expected"),
        (["nodes", "node_class"], [0, 2**70], "nodes.node_class: an integer above 2^63"),
        (["nodes", "node_class"], [0, 10], "roles.eligible: fewer columns than node classes"),
        (["nodes", "intact"], "0x", "nodes.intact: a text of 0 and 1 expected"),
        (["nodes", "intact"], [1, 0], "nodes.intact: booleans expected, not int64"),
        (["nodes", "free"], [1, 2], "nodes: a column of another shape expected"),
        (["nodes", "free", "shape"], [3, 2], "nodes.free: 3 x 2 values expected, not 4"),
        (["nodes", "free", "shape"], [-2, -2], "nodes.free: a shape and its values expected"),
        (["nodes", "free", "values"], [-1, 0, 0, 0], "nodes.free: -1 is below 0"),
        (["nodes", "colour"], [], "nodes.colour: not known in this version"),
        (["colour"], [], "colour: not known in this version"),
        (["nodes"], [], "nodes: an object expected"),
        (["roles", "wanted"], [20, 1, 1], "roles.wanted: more pods than the 4 named"),
        (["roles", "wanted"], [2**62, 2**62, 2**62], "roles.wanted: more pods than the 4 named"),
        (["shared", "free"], [10000, 400], "shared.free: 10000 is out of range"),
    ],
)
def test_a_changed_file_is_refused_in_one_line(
    path: list[str], value: object, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        instance_of(changed(path, value), "file.json")
    assert str(caught.value).startswith("file.json: " + message)
    assert "\n" not in str(caught.value)


def test_every_missing_column_is_named() -> None:
    whole = instance_document(small())
    for section, columns in whole.items():
        document = json.loads(json.dumps(whole))
        del document[section]
        with pytest.raises(InputError, match=f"{section}: (missing|gangplan/instance/v1 expected)"):
            instance_of(document, "f")
        if isinstance(columns, dict):
            for column in columns:
                document = json.loads(json.dumps(whole))
                del document[section][column]
                with pytest.raises(InputError, match=rf"{section}\.{column}: missing"):
                    instance_of(document, "f")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON"),
        (b"[1]", "a JSON object expected"),
        (b"{", "not JSON"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a number too long"),
        (b"\xff\xfe", "not UTF-8 text"),
        (b"\x1f\x8bnothing", "damaged gzip data"),
        (gzip.compress(b'{"schema": "gangplan/instance/v1"}', mtime=0)[:-9], "damaged gzip data"),
    ],
)
def test_a_file_that_is_not_json_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_instance(str(path))
    assert str(caught.value).startswith(str(path))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.json: cannot be read: No such file"):
        read_instance(str(tmp_path / "nowhere.json"))


@pytest.mark.parametrize("name", ["i.json", "i.json.gz"])
def test_a_full_disk_is_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError, match=f"^.*/{name}: cannot be written: No space left on dev"):
        write_instance(small(), str(tmp_path / name))
    assert not list(tmp_path.iterdir())


def test_five_thousand_nodes_are_written_and_read_in_seconds(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    nodes = [
        {"gpu": 8, "cpu": int(c), "rack": f"r{n // 16}"}
        for n, c in enumerate(rng.integers(1, 99, 5120))
    ]
    groups = [
        {"wanted": 6, "request": {"gpu": 1, "cpu": 3}, "rules": [("rack", "required")]}
        for _ in range(1500)
    ]
    instance = make_instance(nodes=nodes, groups=groups)
    path = str(tmp_path / "big.json")
    start = time.perf_counter()
    write_instance(instance, path)
    assert read_instance(path).digest() == instance.digest()
    assert time.perf_counter() - start < 5
    assert Path(path).stat().st_size < 2_000_000
