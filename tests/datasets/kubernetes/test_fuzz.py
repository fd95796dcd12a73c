"""Spoiled manifests end in faults, never in another exception."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gangplan.datasets.kubernetes.objects.nodes import node
from gangplan.datasets.kubernetes.objects.pods import pod
from gangplan.datasets.kubernetes.objects.priorityclasses import priority_class
from gangplan.datasets.kubernetes.text import text as text_module
from gangplan.datasets.kubernetes.text.documents import Document, load
from gangplan.datasets.kubernetes.text.fields import Faults, Fields
from gangplan.models.errors import InputError
from tests.datasets.kubernetes.mutate import (
    ODD,
    PRIORITY_CLASS,
    RICH_NODE,
    RICH_POD,
    manifest,
    spoiled_bytes,
)

READERS: dict[str, Callable[[Document, Faults], object]] = {
    "Pod": pod,
    "Node": node,
    "PriorityClass": priority_class,
}


def read(path: Path) -> tuple[int, list[str]]:
    """Read a file to the end; give the number of records and the lines of what was raised."""
    faults = Faults()
    records = 0
    for document in load([str(path)], faults):
        reader = READERS.get(document.kind)
        if reader is not None:
            before = len(faults)
            record = reader(document, faults)
            assert (record is None) == (len(faults) > before)
            records += record is not None
    found = _raised(faults)
    assert "\n" not in "".join(found)
    assert all(line.encode() for line in found)
    return records, found


def _raised(faults: Faults) -> list[str]:
    try:
        faults.check()
    except InputError as error:
        return [str(fault) for fault in error.faults]
    return []


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "f"


def test_the_objects_are_valid_before_they_are_spoiled(path: Path) -> None:
    text = yaml.safe_dump_all([RICH_POD, RICH_NODE, PRIORITY_CLASS])
    path.write_text(text)
    assert read(path) == (3, [])


@given(st.integers(0, 2**32))
def test_spoiled_objects_are_faults(path: Path, seed: int) -> None:
    rng = random.Random(seed)
    whole = manifest(rng)
    if rng.random() < 0.5:
        path.write_text(yaml.safe_dump(whole), encoding="utf-8", errors="replace")
    else:
        path.write_bytes(spoiled_bytes(rng))
    read(path)


@given(st.integers(0, 2**32))
def test_spoiled_bytes_are_faults_in_any_chunks(path: Path, seed: int) -> None:
    rng = random.Random(seed)
    path.write_bytes(spoiled_bytes(rng))
    with pytest.MonkeyPatch.context() as patch:
        whole = read(path)
        patch.setattr(text_module, "CHUNK", rng.randint(1, 200))
        patch.setattr(text_module, "SMALL", rng.randint(1, 200))
        pieces = read(path)
    # A whole text may be tried as YAML too, and is searched for keys that come twice.
    if not pieces[1] and "appears twice" not in "".join(whole[1]):
        assert pieces == whole


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_faulted(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    read(path)


@given(st.text("{}[]\":,-&*!|>#%@`'? \n\tab0<~", max_size=40))
def test_any_yaml_like_text_is_read_or_faulted(path: Path, text: str) -> None:
    path.write_text(text)
    read(path)


@pytest.mark.parametrize("value", ODD)
def test_every_way_to_read_a_field_takes_every_value(value: object) -> None:
    faults = Faults()
    fields = Fields({"x": value, "kind": value, "metadata": value}, "f", faults)
    fields.text("x", required=True)
    fields.integer("x", None)
    fields.boolean("x")
    fields.timestamp("x")
    fields.mapping("x")
    fields.section("x")
    fields.items("x")
    fields.texts("x")
    fields.labels("x")
    fields.quantity("x", milli=True, round_up=False)
    fields.quantities("x", round_up=True)
    fields.one_of("x", "y")
    fields.only(frozenset({"y"}))
    assert all(str(fault).encode() for fault in faults)


@pytest.mark.parametrize("depth", [50, 150, 400, 700, 900, 960, 980, 1000, 5000])
@pytest.mark.parametrize("place", ["nodeSelector", "affinity", "tolerations", "containers", "os"])
def test_any_depth_of_any_field_is_a_fault(path: Path, place: str, depth: int) -> None:
    deep = '{"a": [' * depth + "]}" * depth
    head = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"'
    path.write_text(f'{head}{place}": {deep}}}}}')
    records, found = read(path)
    assert records == 0
    assert found
