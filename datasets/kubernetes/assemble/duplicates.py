"""Two objects of one kind and name: nobody can say which one is meant."""

from collections.abc import Iterable
from typing import Protocol

from gangplan.datasets.kubernetes.records import Snapshot
from gangplan.datasets.kubernetes.text.fields import Faults


class Named(Protocol):
    """An object that came from somewhere."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def source(self) -> str:
        """The file it came from."""


def duplicates(snapshot: Snapshot, faults: Faults) -> None:
    """Fault every object of a snapshot that is there twice."""
    duplicates_of("Node", snapshot.nodes, faults)
    duplicates_of("Pod", snapshot.pods, faults)
    duplicates_of("PodGroup", snapshot.groups, faults)
    duplicates_of("CompositePodGroup", snapshot.composites, faults)
    duplicates_of("PriorityClass", snapshot.classes, faults)
    duplicates_of("PodDisruptionBudget", snapshot.budgets, faults)
    devices = snapshot.devices
    duplicates_of("ResourceSlice", devices.slices, faults)
    duplicates_of("DeviceClass", devices.classes, faults)
    duplicates_of("ResourceClaim", devices.claims, faults)
    duplicates_of("ResourceClaimTemplate", devices.templates, faults)
    duplicates_of("DeviceTaintRule", devices.taint_rules, faults)


def duplicates_of(kind: str, records: Iterable[Named], faults: Faults) -> None:
    """Fault every record whose namespace and name another one before it has."""
    seen: dict[tuple[str, str], str] = {}
    for record in records:
        namespace = getattr(record, "namespace", "")
        first = seen.get((namespace, record.name))
        if first is None:
            seen[namespace, record.name] = record.source
        elif record.name:  # a missing name is a fault already
            item = f"{kind} {namespace}/{record.name}" if namespace else f"{kind} {record.name}"
            faults.add(record.source, item, "", f"there twice, also in {first}")
