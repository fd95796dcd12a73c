"""The public way in: files, folders, faults, and independence of order."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from gangplan.datasets.kubernetes.read import read
from gangplan.models.errors import InputError
from tests.datasets.kubernetes.cluster import objects
from tests.datasets.kubernetes.objects import faults, gang, instance, node, pod


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_objects_changes_nothing(seed: int) -> None:
    shuffled = objects()
    random.Random(seed).shuffle(shuffled)
    assert instance(*shuffled).digest() == instance(*objects()).digest()


def test_the_small_cluster_is_what_it_says() -> None:
    built = instance(*objects())
    placeable = [
        name for name, why in zip(built.names.groups, built.names.held, strict=True) if not why
    ]
    assert placeable == [
        "lab/bare-0",
        "lab/batch",
        "lab/left",
        "lab/loose",
        "lab/next",
        "lab/old",
        "lab/right",
        "lab/roles",
        "lab/sliced",
        "lab/whole",
    ]
    assert built.names.units == ("lab/guard", "lab/guard-2", "lab/roles-1", "lab/whole")
    assert built.names.budgets == ("lab/b", "lab/none")
    assert built.reserved.group.tolist() == [built.names.groups.index("lab/next")]
    assert built.names.composites == ("lab/top", "lab/inner")
    assert built.names.levels == ("block", "rack")


def test_lists_and_documents_read_alike(tmp_path: Path) -> None:
    found = objects()
    listed = {"apiVersion": "v1", "kind": "List", "items": found}
    (tmp_path / "list.json").write_text(json.dumps(listed))
    folder = tmp_path / "folder"
    folder.mkdir()
    for n, one in enumerate(found):
        (folder / f"{n}.yaml").write_text(json.dumps(one))
    digest = read([str(tmp_path / "list.json")]).digest()
    assert read([str(folder)]).digest() == digest


def test_faults_of_all_files_come_together(tmp_path: Path) -> None:
    for name, one in (
        ("a", gang("g", 0)),
        ("b", pod("p", spec={"nodeSelectr": {}})),
        ("c", node("n1")),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(one))
    with pytest.raises(InputError) as raised:
        read([str(tmp_path), str(tmp_path / "none.yaml")])
    text = str(raised.value).splitlines()
    assert [line.rpartition("/")[2].partition(":")[0] for line in text[2:]] == ["none.yaml"]
    assert "a.json: PodGroup lab/g: spec.schedulingPolicy.gang.minCount: at least 1" in text[0]
    assert "b.json: Pod lab/p: spec.nodeSelectr: unknown field" in text[1]


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (node("n1") | {"sepc": {}}, "Node n1: sepc: unknown field, is it spec?"),
        (pod("p") | {"staus": {}}, "Pod lab/p: staus: unknown field, is it status?"),
        (pod("p", anotations={}), "Pod lab/p: metadata.anotations: unknown field, is it annotat"),
        (gang("g", 1, labls={}), "PodGroup lab/g: metadata.labls: unknown field, is it labels?"),
    ],
)
def test_a_misspelt_section_is_refused(one: dict[str, Any], words: str) -> None:
    assert any(words in fault for fault in faults(one)), faults(one)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kubernetes": "1.35"}, "kubernetes: one of 1.36, 1.37 expected, got 1.35"),
        ({"levels": ("rack", "rack")}, "levels: different label keys expected"),
        ({"levels": ("",)}, "levels: different label keys expected"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, str], words: str, tmp_path: Path) -> None:
    (tmp_path / "n.json").write_text(json.dumps(node("n1")))
    with pytest.raises(InputError, match=words):
        read([str(tmp_path)], **options)  # type: ignore[arg-type]  # a table of wrong ones


def test_many_faults_are_counted(tmp_path: Path) -> None:
    for n in range(30):
        (tmp_path / f"{n}.json").write_text(json.dumps(gang(f"g{n}", 0)))
    with pytest.raises(InputError) as raised:
        read([str(tmp_path)])
    assert len(raised.value.faults) == 21
    assert str(raised.value.faults[-1]) == "and 10 more"
