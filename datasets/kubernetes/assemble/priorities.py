"""Priorities as numbers: the object's own, else its class's, else the global default's, else 0."""

from gangplan.datasets.kubernetes.records import (
    CompositeRecord,
    GroupRecord,
    PodRecord,
    PriorityClassRecord,
)
from gangplan.datasets.kubernetes.text.fields import Faults

SYSTEM = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""Classes that every cluster has."""


class Priorities:
    """Resolves priorities against the classes of a snapshot.

    Parameters
    ----------
    classes : of several global defaults the lowest value counts, as in Kubernetes.
    faults : a class name without a class goes here, once an object.
    """

    def __init__(self, classes: list[PriorityClassRecord], faults: Faults) -> None:
        self._faults = faults
        self._value = SYSTEM | {record.name: record.value for record in classes}
        self._default = min((record.value for record in classes if record.default), default=0)

    def of_pod(self, pod: PodRecord) -> int:
        """Priority of a pod without a group."""
        item = f"Pod {pod.namespace}/{pod.name}"
        return self._of(pod.priority, pod.priority_class, pod.source, item)

    def of_group(self, group: GroupRecord) -> int:
        """Priority of a PodGroup; it stands for all its pods."""
        item = f"PodGroup {group.namespace}/{group.name}"
        return self._of(group.priority, group.priority_class, group.source, item)

    def of_composite(self, composite: CompositeRecord) -> int:
        """Priority of a CompositePodGroup."""
        item = f"CompositePodGroup {composite.namespace}/{composite.name}"
        return self._of(composite.priority, composite.priority_class, composite.source, item)

    def _of(self, number: int | None, name: str, source: str, item: str) -> int:
        if number is not None:
            return number
        if not name:
            return self._default
        if name not in self._value:
            self._faults.add(
                source, item, "spec.priorityClassName", f"no PriorityClass {name} in the sources"
            )
            return 0
        return self._value[name]
