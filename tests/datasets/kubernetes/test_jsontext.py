import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gangplan.datasets.kubernetes.text import text as text_module
from gangplan.datasets.kubernetes.text.documents import load
from gangplan.datasets.kubernetes.text.fields import Faults
from gangplan.datasets.kubernetes.text.jsontext import looks_like, values
from gangplan.datasets.kubernetes.text.text import Ahead, Malformed
from gangplan.experiments.dump import write_dump
from tests.datasets.kubernetes.manifests import load_all


class Pieces:
    """Gives a text in pieces of one size."""

    def __init__(self, text: str, size: int) -> None:
        self._pieces = iter([text[i : i + size] for i in range(0, len(text), size)])
        self.breaks = 0

    def read(self) -> str:
        piece = next(self._pieces, "")
        self.breaks += piece.count("\n")
        return piece


def objects(text: str, size: int = 10**6) -> list[Any]:
    return [value.obj for value in values(Pieces(text, size))]


HARD = (
    ' {"kind":"List","apiVersion":"v1","items":[ {"kind":"A","apiVersion":"v1",'
    '"s":"\\u00e9\\ud83d\\ude00 ] } , \\" \\\\","n":[-1,2.50,3e4,true,null]} ,\n {"kind":"B",'
    '"apiVersion":"v1","deep":{"a":[[],{}]}}],"metadata":{"x":12345}}\n 17 "text"\t-1.5e-3 '
)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 11, 64])
def test_the_size_of_the_chunks_changes_nothing(size: int) -> None:
    assert objects(HARD, size) == objects(HARD)
    assert objects(HARD)[-3:] == [17, "text", "-1.5e-3"]


@pytest.mark.parametrize("size", [1, 2, 5, 10**6])
def test_every_value_knows_its_line(size: int) -> None:
    text = "\n{}\n\n" + HARD + '\n[\n1\n]\n {"a":\n2} "x" 3\n\n4'
    lines = [value.line for value in values(Pieces(text, size))]
    assert lines == [2, 4, 4, 6, 6, 6, 7, 10, 11, 11, 13]


@pytest.mark.parametrize("size", [1, 3, 10**6])
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a":\n 1,\n "b": tru }', "line 3, column 7: Expecting value"),
        ('{"a": 1\n "b": 2}', "line 2, column 2: ',' expected"),
        ('{"a": {"b": 1 2}}', "line 1, column 15: Expecting ',' delimiter"),
        ('{"a": "x', "line 1, column 7: Unterminated string"),
        ('{"a": 1', "line 1, column 8: ',' expected"),
        ("{1: 2}", "line 1, column 2: a field name in double quotes expected"),
        ('{"a": NaN}', "line 1, column 7: NaN is no JSON number"),
        ('{"a": 1, "a": 2}', "line 1, column 13: the key 'a' appears twice"),
        ('{"a": {"b": 1, "b": 2}}', "line 1, column 7: the key 'b' appears twice"),
        ('{"items": [{}, ]}', "line 1, column 16: Expecting value"),
        ('{"items": [{} {}]}', "line 1, column 15: ',' expected"),
        ('{"a": "tab\there"}', "line 1, column 11: Invalid control character"),
    ],
)
def test_an_error_names_its_place_whatever_the_chunks(text: str, place: str, size: int) -> None:
    with pytest.raises(Malformed) as caught:
        objects(text, size)
    assert str(caught.value).startswith(place)


def test_fractions_stay_text_and_integers_do_not() -> None:
    assert objects('{"a": 0.1, "b": 1e3, "c": 7}') == [{"a": "0.1", "b": "1e3", "c": 7}]


def test_deep_nesting_is_malformed() -> None:
    with pytest.raises(Malformed, match="nested too deep"):
        objects('{"a": ' + "[" * 100_000)


def test_an_endless_number_is_malformed() -> None:
    with pytest.raises(Malformed, match=r"line 1, column 7: a number of too many digits$"):
        objects('{"a": ' + "1" * 5000 + "}")


def test_items_of_what_is_no_list_are_malformed() -> None:
    with pytest.raises(Malformed, match="items without a kind that ends in List"):
        objects('{"items": [{"kind": "Pod", "apiVersion": "v1"}], "kind": "Pod"}')


def test_an_object_may_have_items_of_its_own() -> None:
    text = '{"kind": "Menu", "apiVersion": "x/v1", "items": [{"dish": 1}, 2]}'
    assert objects(text) == [json.loads(text)]


def test_items_come_before_the_text_ends() -> None:
    def endless() -> Iterator[str]:
        yield '{"kind": "List", "apiVersion": "v1", "items": ['
        while True:
            yield '{"kind": "A", "apiVersion": "v1"},'

    class Endless(Ahead):
        def __init__(self) -> None:
            super().__init__("")
            self._pieces = endless()

        def read(self) -> str:
            return next(self._pieces)

    found = values(Endless())
    assert [next(found).index for _ in range(5)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "json_like"),
    [
        ('{"a": 1}', True),
        (" \n{ }", True),
        ("[{}]", True),
        ("{a: 1}", False),
        ("{'a': 1}", False),
        ("a: 1", False),
        ("---\n{}", False),
        ("", False),
    ],
)
def test_json_is_told_by_its_start(text: str, json_like: bool) -> None:
    assert looks_like(text) is json_like


def test_a_dump_is_read_in_bounded_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_module, "CHUNK", 1 << 16)
    monkeypatch.setattr(text_module, "SMALL", 1 << 16)
    write_dump(tmp_path / "d.json", 50, 400)
    size = (tmp_path / "d.json").stat().st_size
    faults = Faults()
    tracemalloc.start()
    kinds: dict[str, int] = {}
    for document in load([str(tmp_path / "d.json")], faults):
        kinds[document.kind] = kinds.get(document.kind, 0) + 1
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kinds == {"Node": 50, "Pod": 400, "PodGroup": 50}
    assert len(faults) == 0
    assert size > 3_000_000
    assert peak < 1_000_000


def test_a_short_text_is_searched_for_keys_that_come_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search is left out of dumps of many megabytes, which no hand has written."""
    obj = '{"kind": "A", "apiVersion": "v1", "x": {"a": 1, "a": 2}}'
    found, faults = load_all(tmp_path / "d.json", obj)
    assert (found, faults) == ([], ["d.json: line 1, column 40: the key 'a' appears twice"])
    monkeypatch.setattr(text_module, "CHUNK", 16)
    monkeypatch.setattr(text_module, "SMALL", 16)
    assert len(load_all(tmp_path / "d.json", obj)[0]) == 1


def test_a_cut_off_dump_gives_what_came_before_and_one_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_module, "CHUNK", 1 << 16)
    monkeypatch.setattr(text_module, "SMALL", 1 << 16)
    write_dump(tmp_path / "d.json", 50, 100)
    whole = (tmp_path / "d.json").read_bytes()
    found, faults = load_all(tmp_path / "d.json", whole[: len(whole) // 2])
    assert len(found) > 10
    assert len(faults) == 1
    assert faults[0].startswith("d.json: line ")


def test_a_dump_is_json_that_others_read(tmp_path: Path) -> None:
    write_dump(tmp_path / "d.json", 2, 9)
    whole = json.loads((tmp_path / "d.json").read_text())
    assert [obj["kind"] for obj in whole["items"]].count("Pod") == 9
    sizes = [len(json.dumps(obj)) for obj in whole["items"] if obj["kind"] != "PodGroup"]
    assert min(sizes) > 3000
