import gzip
import io
import sys
from pathlib import Path

import pytest

from gangplan.datasets.kubernetes.text.documents import load
from gangplan.datasets.kubernetes.text.fields import Faults
from gangplan.models.errors import InputError
from tests.datasets.kubernetes.manifests import lines, load_all, loaded

POD = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}'


def test_a_document_knows_kind_version_and_file(tmp_path: Path) -> None:
    (document,) = loaded(tmp_path / "a.yaml", "apiVersion: batch/v1\nkind: Job\n")
    assert (document.kind, document.api_version) == ("Job", "batch/v1")
    assert document.source == f"{tmp_path}/a.yaml"


def test_several_documents_of_a_file_are_told_apart_by_line(tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: Pod\n---\n# no object here\n---\napiVersion: v1\nkind: Node\n"
    found = loaded(tmp_path / "a.yaml", text)
    assert [document.source.rpartition("/")[2] for document in found] == ["a.yaml", "a.yaml:6"]


def test_the_content_tells_yaml_from_json_not_the_suffix(tmp_path: Path) -> None:
    (json_in_yaml,) = loaded(tmp_path / "a.yaml", POD)
    (yaml_in_json,) = loaded(tmp_path / "a.json", "apiVersion: v1\nkind: Pod\n")
    assert json_in_yaml.kind == yaml_in_json.kind == "Pod"


def test_yaml_that_starts_like_json_is_read_as_yaml(tmp_path: Path) -> None:
    text = '{"apiVersion": v1, "kind": Pod}\n---\n{"apiVersion": "v1", "kind": "Node"}\n'
    assert [document.kind for document in loaded(tmp_path / "a.yaml", text)] == ["Pod", "Node"]


def test_a_flow_mapping_without_quotes_is_yaml(tmp_path: Path) -> None:
    (document,) = loaded(tmp_path / "a.yaml", "{apiVersion: v1, kind: Pod, x: 0.5}")
    assert document.obj["x"] == "0.5"


def test_a_list_is_taken_apart(tmp_path: Path) -> None:
    other = POD.replace('"a"', '"b"')
    text = f'{{"apiVersion": "v1", "items": [{POD}, {other}], "kind": "List"}}'
    found = loaded(tmp_path / "l.json", text)
    assert [document.obj["metadata"]["name"] for document in found] == ["a", "b"]
    assert [document.source.rpartition("/")[2] for document in found] == ["l.json[0]", "l.json[1]"]


@pytest.mark.parametrize("order", ["first", "last"])
def test_items_of_a_typed_list_take_its_kind(tmp_path: Path, order: str) -> None:
    head = '"kind": "PodList", "apiVersion": "v1"'
    items = '"items": [{"metadata": {"name": "x"}}, {"metadata": {"name": "y"}}]'
    text = f"{{{head}, {items}}}" if order == "first" else f"{{{items}, {head}}}"
    found = loaded(tmp_path / "l.json", text)
    assert [(d.kind, d.api_version, d.obj["metadata"]["name"]) for d in found] == [
        ("Pod", "v1", "x"),
        ("Pod", "v1", "y"),
    ]


def test_items_of_a_yaml_list_are_taken_apart(tmp_path: Path) -> None:
    text = (
        "apiVersion: v1\nkind: NodeList\nitems:\n- metadata: {name: n1}\n- metadata: {name: n2}\n"
    )
    found = loaded(tmp_path / "l.yaml", text)
    assert [(d.kind, d.obj["metadata"]["name"]) for d in found] == [("Node", "n1"), ("Node", "n2")]


def test_an_item_of_an_untyped_list_must_say_its_kind(tmp_path: Path) -> None:
    text = '{"apiVersion": "v1", "kind": "List", "items": [{"metadata": {"name": "x"}}]}'
    assert load_all(tmp_path / "l.json", text) == ([], ["l.json[0]: x: kind: missing"])


def test_an_empty_list_is_no_fault(tmp_path: Path) -> None:
    text = '{"apiVersion": "v1", "kind": "List", "items": []}'
    assert load_all(tmp_path / "a.json", text) == ([], [])
    assert load_all(tmp_path / "a.yaml", "apiVersion: v1\nkind: PodList\nitems:\n") == ([], [])


def test_lists_nest_only_so_deep(tmp_path: Path) -> None:
    text = POD
    for _ in range(20):
        text = f'{{"apiVersion": "v1", "kind": "List", "items": [{text}]}}'
    found, faults = load_all(tmp_path / "a.json", text)
    assert found == []
    assert len(faults) == 1
    assert "too deep" in faults[0]


@pytest.mark.parametrize("name", ["a.json", "a.yaml"])
@pytest.mark.parametrize("kind", ["List", "PodList"])
def test_one_page_of_a_longer_list_is_refused(tmp_path: Path, name: str, kind: str) -> None:
    head = f'"apiVersion": "v1", "kind": "{kind}"'
    page = f'{{{head}, "metadata": {{"continue": "abc"}}, "items": [{POD}]}}'
    if name == "a.yaml":
        page = "# a page\n" + page
    (fault,) = load_all(tmp_path / name, page)[1]
    assert "one page of a longer list (metadata.continue is set): ask without a limit" in fault
    whole = page.replace('"abc"', '""')
    assert len(loaded(tmp_path / name, whole)) == 1


def test_json_lines_are_read(tmp_path: Path) -> None:
    found = loaded(tmp_path / "a.json", f"{POD}\n{POD}\n\n{POD}\n")
    assert [d.source.rpartition("/")[2] for d in found] == ["a.json", "a.json:2", "a.json:4"]


def test_folders_are_read_whole_and_sorted(tmp_path: Path) -> None:
    for name in ("b.yaml", "sub/a.json", "a.yml", "no.txt", "sub/deep/c.YAML"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(POD)
    faults = Faults()
    found = [d.source[len(f"{tmp_path}/") :] for d in load([str(tmp_path)], faults)]
    assert found == ["a.yml", "b.yaml", "sub/a.json", "sub/deep/c.YAML"]
    assert lines(faults) == []


def test_a_file_of_a_folder_may_be_commented_out(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("# kind: Pod\n---\n")
    (tmp_path / "b.json").write_text(POD)
    assert len(loaded(tmp_path)) == 1
    assert load_all(tmp_path / "a.yaml")[1] == ["a.yaml: empty, no object in it"]


@pytest.mark.parametrize("text", ["", "null"])
def test_a_file_of_a_folder_that_a_failed_command_left_is_a_fault(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "pods.json").write_text(text)
    (fault,) = load_all(tmp_path)[1]
    assert fault.endswith("pods.json: empty, no object in it")


def test_linked_folders_are_followed_once(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.yaml").write_text(POD)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link").symlink_to(tmp_path / "real")
    (tmp_path / "in" / "again").symlink_to(tmp_path / "in")
    (tmp_path / "in" / "loop").symlink_to(tmp_path / "in" / "loop")
    faults = Faults()
    found = [d.source for d in load([str(tmp_path / "in")], faults)]
    assert found == [f"{tmp_path}/in/link/a.yaml"]
    assert lines(faults) == []


def test_an_instance_file_is_no_kubernetes_object(tmp_path: Path) -> None:
    assert load_all(tmp_path / "i.json", '{"schema": "gangplan/instance/v1"}')[1] == [
        "i.json: kind: missing (a file of schema gangplan/instance/v1 is no Kubernetes object)"
    ]


def test_a_folder_without_manifests_is_a_fault(tmp_path: Path) -> None:
    faults = Faults()
    assert list(load([str(tmp_path)], faults)) == []
    assert lines(faults) == [f"{tmp_path}: no *.yaml, *.yml or *.json file in this folder"]


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(POD.encode())))
    faults = Faults()
    (document,) = load(["-"], faults)
    assert (document.source, document.kind, len(faults)) == ("-", "Pod", 0)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "f: empty, no object in it"),
        (b"# nothing\n---\n---\n", "f: empty, no object in it"),
        (b"\xef\xbb\xbf", "f: empty, no object in it"),
        (b"\x00\x01\x02\xff", "f: line 1: not UTF-8 text"),
        (b"a: b\n\xff\xfea\x00", "f: line 2: not UTF-8 text"),
        (b"\x00\x01\x02", "f: unacceptable character"),
        (b"[]", "f: an object expected, got a list"),
        (b"- a: 1\n", "f: an object expected, got a list"),
        (b"12", "f: an object expected, got the number 12"),
        (b"hello", "f: an object expected, got the text 'hello'"),
        (b"a: [1, 2\nb: 3\n", "f: line 2, column"),
        (b"a: b\n  c: d\n", "f: line 2, column 4: mapping values are not allowed"),
        (b'{"kind": "Pod", "kind": "Node", "apiVersion": "v1"}', "f: line 1, column 17: the key"),
        (b"kind: Pod\nkind: Node\n", "f: line 2, column 1: the key 'kind' appears twice"),
        (b"kind: Pod\n", "f: Pod: apiVersion: missing"),
        (b"apiVersion: v1\nmetadata: {name: a}\n", "f: a: kind: missing"),
        (b"apiVersion: v1\nkind: [1]\n", "f: kind: text expected"),
        (b"apiVersion: 1\nkind: Pod\n", "f: Pod: apiVersion: text expected"),
        (b"apiVersion: v1\nkind: List\nitems: 3\n", "f: List: items: a list expected, got the"),
        (b"apiVersion: v1\nkind: List\nitems: [3]\n", "f[0]: an object expected, got the number"),
    ],
)
def test_what_cannot_be_read_is_one_clear_fault(
    tmp_path: Path, content: bytes, expected: str
) -> None:
    found, faults = load_all(tmp_path / "f", content)
    assert found == []
    assert len(faults) == 1
    assert faults[0].startswith(expected)


def test_malformed_json_names_the_place(tmp_path: Path) -> None:
    found, faults = load_all(tmp_path / "f.json", '{"apiVersion": "v1",\n  "kind" "Pod"}')
    assert (found, faults) == ([], ["f.json: line 2, column 10: ':' expected"])


def test_a_missing_file_is_a_fault_and_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(POD)
    faults = Faults()
    found = list(load([str(tmp_path / "none"), str(tmp_path / "a.json"), "a\0b"], faults))
    assert len(found) == 1
    assert lines(faults) == [
        f"{tmp_path}/none: cannot be read: No such file or directory",
        "a\\x00b: cannot be read: embedded null byte",
    ]


def test_a_folder_that_cannot_be_listed_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    faults = Faults()
    assert list(load([str(tmp_path)], faults)) == []
    assert lines(faults) == [f"{tmp_path}: cannot be read: Permission denied"]


def test_faults_do_not_stop_at_the_first_and_are_capped(tmp_path: Path) -> None:
    text = "".join(f'{{"kind": "K{number}"}}\n' for number in range(25))
    (tmp_path / "f.json").write_text(text)
    faults = Faults()
    assert list(load([str(tmp_path / "f.json")], faults)) == []
    with pytest.raises(InputError) as caught:
        faults.check()
    assert len(caught.value.faults) == 21
    assert str(caught.value).splitlines()[-1] == "and 5 more"


def test_a_packed_dump_is_read_like_a_plain_one(tmp_path: Path) -> None:
    path = tmp_path / "dump.json.gz"
    path.write_bytes(gzip.compress(POD.encode()))
    faults = Faults()
    assert [document.kind for document in load([str(path)], faults)] == ["Pod"]
    assert not len(faults)


def test_damaged_gzip_data_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "dump.json.gz"
    path.write_bytes(gzip.compress(POD.encode())[:-9])
    faults = Faults()
    assert list(load([str(path)], faults)) == []
    with pytest.raises(InputError, match=r"dump\.json\.gz: damaged gzip data"):
        faults.check()
