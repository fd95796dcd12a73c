"""Priorities as numbers: the object's own, else its class's, else the global default's, else 0.

Policies of preemption likewise, with ``PreemptLowerPriority`` in the end.
"""

from gangplan.datasets.kubernetes.records import (
    MOST_PRIORITY,
    OF_JOB,
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
    faults : a class name without a class, and a number that is not its class's, go here, once an
        object.

    Attributes
    ----------
    changed : objects of a cluster whose number is no longer that of their class.
    """

    def __init__(self, classes: list[PriorityClassRecord], faults: Faults) -> None:
        self._faults = faults
        self._told: set[tuple[str, str]] = set()
        self._value = SYSTEM | {record.name: record.value for record in classes}
        self._policy = {record.name: record.preemption_policy for record in classes}
        defaults = [record for record in classes if record.default]
        lowest = min(defaults, key=lambda record: (record.value, record.name), default=None)
        self._default = 0 if lowest is None else lowest.value
        self._policy[""] = "" if lowest is None else lowest.preemption_policy
        self.changed: dict[str, None] = {}

    def of_pod(self, pod: PodRecord) -> int:
        """Priority of a pod without a group."""
        item = f"Pod {pod.namespace}/{pod.name}"
        return self._of(pod, item)

    def of_group(self, group: GroupRecord) -> int:
        """Priority of a PodGroup; it stands for all its pods."""
        item = f"PodGroup {group.namespace}/{group.name}"
        if group.api_version == OF_JOB:  # its pods have a priority of their own, of the system too
            return self._of(group, item)
        return self._below_system(group, item)

    def of_composite(self, composite: CompositeRecord) -> int:
        """Priority of a CompositePodGroup."""
        item = f"CompositePodGroup {composite.namespace}/{composite.name}"
        return self._below_system(composite, item)

    def policy_of(self, record: PodRecord | GroupRecord | CompositeRecord) -> str:
        """Give the preemptionPolicy of an object, or of its class; empty where nobody says any."""
        return record.preemption_policy or self._policy.get(record.priority_class, "")

    def _below_system(self, record: GroupRecord | CompositeRecord, item: str) -> int:
        found = self._of(record, item)
        if found > MOST_PRIORITY:  # of a class: a number of its own is refused where it is read
            which = record.priority_class or "that is the default"
            text = f"{found} of PriorityClass {which} is above {MOST_PRIORITY}"
            text += ", the most that a group may have"
            self._fault(record.source, item, "spec.priorityClassName", text)
        return found

    def _of(self, record: PodRecord | GroupRecord | CompositeRecord, item: str) -> int:
        number, name = record.priority, record.priority_class
        value = self._value.get(name) if name else self._default
        if number is None:
            if value is None:
                text = f"no PriorityClass {name} in the sources"
                self._fault(record.source, item, "spec.priorityClassName", text)
            return value or 0
        if name and value is not None and value != number:
            text = f"{number} is not {value}, the value of PriorityClass {name}"
            if not record.uid:  # the API server admits no such object
                self._fault(record.source, item, "spec.priority", text)
            else:  # the class was made anew, with another value
                self.changed[item] = None
        return number

    def _fault(self, source: str, item: str, path: str, text: str) -> None:
        if (item, path) not in self._told:
            self._told.add((item, path))
            self._faults.add(source, item, path, text)
