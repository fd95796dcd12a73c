"""Extended resources that a DeviceClass stands for (KEP-5004, resource.k8s.io).

On a node that offers the resource itself a pod takes of its room. Where no node does, the scheduler
makes a claim for devices. Where some do, only those are used.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gangplan.datasets.kubernetes.devicerecords import (
    ChoiceRecord,
    ClassRecord,
    RequestRecord,
    SpecRecord,
)
from gangplan.datasets.kubernetes.records import NodeRecord, PodRecord

DEVICE_CLASS = "deviceclass.resource.kubernetes.io/"
"""Prefix of the resource by which every DeviceClass may be asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Extended:
    """Resources and the classes that stand for them.

    Attributes
    ----------
    classes : resource -> DeviceClass, of those that classes name.
    offered : resources that some node offers itself.
    partly : those of them that not every node offers.
    """

    classes: Mapping[str, str]
    offered: frozenset[str]
    partly: frozenset[str]

    def class_of(self, resource: str) -> str:
        """Name of the class that stands for a resource; empty without one."""
        if resource.startswith(DEVICE_CLASS):
            return resource.removeprefix(DEVICE_CLASS)
        return self.classes.get(resource, "")

    def asked(self, pod: PodRecord) -> dict[str, int]:
        """Give the resources of a pod that devices serve, and how many."""
        return {
            name: amount
            for name, amount in sorted(pod.request.items())
            if amount and name not in self.offered and "/" in name and self.class_of(name)
        }

    def spec(self, resources: Mapping[str, int]) -> SpecRecord:
        """Give the claim for them: one request a resource, of any devices of its class."""
        return SpecRecord(
            tuple(
                RequestRecord(
                    f"request-{number}", (ChoiceRecord("", self.class_of(name), count=amount),)
                )
                for number, (name, amount) in enumerate(sorted(resources.items()))
            )
        )

    def without(self, pods: Iterable[PodRecord]) -> list[PodRecord]:
        """Give the pods without what devices serve: no node has room of it."""
        known: dict[int, dict[str, int]] = {}
        made = []
        for pod in pods:
            served = self.asked(pod)
            if served:
                rest = {name: n for name, n in pod.request.items() if name not in served}
                # Equal pods of a Job share one request.
                pod = replace(pod, request=known.setdefault(id(pod.request), rest))
            made.append(pod)
        return made

    def notes(self, pods: Iterable[PodRecord]) -> list[str]:
        """Tell where only some nodes offer a resource themselves."""
        names = {name for pod in pods for name in pod.request}
        return [
            f"DeviceClass {self.class_of(name)} gives {name} too: only nodes that offer it in"
            " status.allocatable are used"
            for name in sorted(names & self.partly)
        ]


def extended_of(classes: Iterable[ClassRecord], nodes: Sequence[NodeRecord]) -> Extended:
    """Find which class stands for which resource: of several the newest, then by name.

    Names are compared as texts, as Kubernetes does: ``gpu-10`` comes before ``gpu-2``.
    """
    found: dict[str, str] = {}
    for record in sorted(
        classes,
        key=lambda one: (
            one.created is None,
            -(one.created or 0),
            one.name,
        ),
    ):
        if record.extended:
            found.setdefault(record.extended, record.name)
    offers: dict[str, int] = {}
    for node in nodes:
        for name, amount in node.allocatable.items():
            if amount and (name in found or name.startswith(DEVICE_CLASS)):
                offers[name] = offers.get(name, 0) + 1
    partly = {name for name, count in offers.items() if count < len(nodes)}
    return Extended(found, frozenset(offers), frozenset(partly))
