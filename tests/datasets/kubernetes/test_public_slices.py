"""Public ResourceSlices: those that are API objects lose nothing, the others are refused."""

import os
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from gangplan.datasets.kubernetes.devicerecords import DeviceRecord, SliceRecord
from gangplan.datasets.kubernetes.read import snapshot_of
from gangplan.datasets.kubernetes.text.documents import load
from gangplan.datasets.kubernetes.text.fields import Faults
from tests.datasets.kubernetes.device_objects import records

ROOT = Path(__file__).parents[3]
PUBLIC = Path(os.environ.get("GANGPLAN_DATA", ROOT.parent / "shared" / "data"))
FOLDER = PUBLIC / "dra-resourceslices"
FILES = sorted(FOLDER.glob("*.yaml"))

pytestmark = [
    pytest.mark.public_data,
    pytest.mark.skipif(not FILES, reason=f"no public slices in {FOLDER} (GANGPLAN_DATA)"),
]

# Abridged by their authors, entries and fragments without kind, kinds of a prototype, and the one
# that is wrong on purpose: the words of every fault are among these.
REFUSED = {
    "amd-mi300x_gpu.amd.com.yaml": {
        "spec.driver: missing",
        "spec.pool: missing",
        "spec: one of nodeName, nodeSelector, allNodes, perDeviceNodeSelection must be set",
    },
    "kep-4815_mig_a100_counters_fragment.yaml": {"kind: missing"},
    "kep-4815_multinode_tpu_counters.yaml": {
        "a mapping expected, got the text '16'",
        "a mapping expected, got the text '8'",
        "a mapping expected, got the text '4'",
        "one of In, NotIn, Exists, DoesNotExist, Gt, Lt expected, got 'IN'",
    },
    "nvidia-driver_device_entries_gpu_mig_vfio.yaml": {"an object expected, got a list"},
    "wg-devmgmt_dgxa100_mig_DevicePool_prototype.yaml": {
        "was a prototype; resource.k8s.io/v1 has ResourceSlice"
    },
    "wg-devmgmt_sriov_prototype.yaml": {"was a prototype; resource.k8s.io/v1 has ResourceSlice"},
}
UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


def read(path: Path) -> tuple[list[SliceRecord], list[str]]:
    found = Faults()
    snapshot = snapshot_of(load([str(path)], found), found)
    return snapshot.devices.slices, [str(fault) for fault in found]


def objects(path: Path) -> Iterator[dict[str, Any]]:
    for document in yaml.load_all(path.read_text(encoding="utf-8"), yaml.CSafeLoader):
        yield from document.get("items", [document])


def amount(text: str) -> Fraction:
    """A second, simple reading of a quantity."""
    digits = text.rstrip("kKMGi")
    return Fraction(digits) * UNITS[text[len(digits) :]]


def qualified(name: str, driver: str) -> str:
    return name if "/" in name else f"{driver}/{name}"


def compare(device: dict[str, Any], record: DeviceRecord, driver: str) -> int:
    """Find everything of a device again in its record; give the number of values."""
    count = 0
    assert record.name == device["name"]
    for name, typed in device.get("attributes", {}).items():
        ((kind, value),) = typed.items()
        kept = record.attributes[qualified(name, driver)]
        assert kept.listed == isinstance(value, list)
        assert kept.type == (kind[:-1] if kept.listed else kind)
        assert list(kept.values) == (value if kept.listed else [value])
        count += 1
    for name, capacity in device.get("capacity", {}).items():
        assert record.capacity[qualified(name, driver)].value == amount(capacity["value"])
        count += 1
    drawn = {
        (use["counterSet"], name, amount(counter["value"]))
        for use in device.get("consumesCounters", [])
        for name, counter in use["counters"].items()
    }
    assert set(record.draws) == drawn
    assert record.multi == device.get("allowMultipleAllocations", False)
    assert count + len(drawn) == (len(record.attributes) + len(record.capacity) + len(record.draws))
    return count + len(drawn)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_public_slice_loses_nothing_or_is_refused_in_words(path: Path) -> None:
    slices, faults = read(path)
    words = REFUSED.get(path.name)
    if words is not None:
        assert faults
        for word in words:
            assert any(word in line for line in faults), faults
        assert all(any(word in line for word in words) for line in faults), faults
        return
    assert faults == []
    values = 0
    for obj, record in zip(objects(path), slices, strict=True):
        spec, pool = obj["spec"], obj["spec"]["pool"]
        assert (record.name, record.driver) == (obj["metadata"]["name"], spec["driver"])
        assert (record.pool, record.generation, record.slices) == (
            pool["name"],
            pool["generation"],
            pool["resourceSliceCount"],
        )
        assert record.node == spec.get("nodeName", "")
        assert record.counters == {
            one["name"]: {
                name: amount(counter["value"]) for name, counter in one["counters"].items()
            }
            for one in spec.get("sharedCounters", [])
        }
        for device, kept in zip(spec.get("devices", []), record.devices, strict=True):
            values += compare(device, kept, spec["driver"])
    assert values > 0


def test_the_public_files_are_all_accounted_for() -> None:
    assert len(FILES) == 16
    assert {path.name for path in FILES} >= set(REFUSED)


def test_the_abridged_slice_loses_nothing_once_its_head_is_there() -> None:
    (obj,) = objects(FOLDER / "amd-mi300x_gpu.amd.com.yaml")
    pool = {"name": "n1", "generation": 1, "resourceSliceCount": 1}
    obj["spec"] |= {"driver": "gpu.amd.com", "nodeName": "n1", "pool": pool}
    (record,) = records(obj).slices
    ((device,), (kept,)) = obj["spec"]["devices"], record.devices
    assert compare(device, kept, "gpu.amd.com") == 14


def test_the_entries_of_the_driver_are_devices_once_their_names_are_labels() -> None:
    path = FOLDER / "nvidia-driver_device_entries_gpu_mig_vfio.yaml"
    entries = [entry for (entry,) in yaml.safe_load_all(path.read_text(encoding="utf-8"))]
    for number, entry in enumerate(entries):
        entry["name"] = f"d{number}"
    pool = {"name": "n1", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "gpu.nvidia.com", "nodeName": "n1", "pool": pool, "devices": entries}
    obj = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": spec,
    }
    (record,) = records(obj).slices
    for entry, kept in zip(entries, record.devices, strict=True):
        assert compare(entry, kept, "gpu.nvidia.com") > 8
