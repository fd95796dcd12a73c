"""Free room of nodes: allocatable minus what bound pods hold, exact, in columns.

Devices (GPUs) are the extended resources ``is_device`` names; nothing else decides what a GPU is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.datasets.kubernetes.order import full_name
from gangplan.datasets.kubernetes.records import NodeRecord, PodRecord
from gangplan.datasets.kubernetes.text.fields import Faults
from gangplan.models.arrays import Flags, Ints

PODS = "pods"

MOST = 2**62
"""Requests above it are refused and free room is cut to it, so that columns never overflow."""


def is_device(resource: str) -> bool:
    """Whether a resource counts as devices: ``DOMAIN/...gpu...``, not of kubernetes.io itself."""
    domain, slash, rest = resource.partition("/")
    native = domain == "kubernetes.io" or domain.endswith(".kubernetes.io")
    return bool(slash) and not native and is_gpu(rest)


def is_gpu(name: str) -> bool:
    """Whether the last part of a name speaks of GPUs: of a resource, a driver, a device class."""
    return "gpu" in name.rsplit("/", 1)[-1].lower()


def resources_of(pending: Sequence[PodRecord]) -> tuple[str, ...]:
    """Name the resources that waiting pods ask for, and ``pods``; sorted."""
    return tuple(sorted({PODS}.union(*(_asked(request) for request in _distinct(pending)))))


def row(request: Mapping[str, int], resources: Sequence[str]) -> list[int]:
    """Give a pod's request in columns; every pod takes one of ``pods``."""
    return [1 if name == PODS else request.get(name, 0) for name in resources]


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """Columns of nodes.

    Attributes
    ----------
    free : (N, R) room for new pods, base units.
    intact : (N,) the node has devices and all of them are free.
    busy : (N,) a pod there holds one.
    over : (N, R) what pods there hold beyond what the node has: room that they leave goes there
        first.
    """

    free: Ints
    intact: Flags
    busy: Flags
    over: Ints

    def with_claimed(self, has: Flags, used: Flags) -> Flags:
        """(N,) ``intact`` where nodes also have, and pods also use, GPUs of claims."""
        return (self.intact | (has & ~self.busy)) & ~used


def room_of(
    nodes: Sequence[NodeRecord], holding: Sequence[PodRecord], resources: Sequence[str]
) -> Room:
    """Subtract what the pods on each node hold; sums are Python integers, then cut to `MOST`."""
    used: dict[str, list[int]] = {node.name: [0] * len(resources) for node in nodes}
    column = {name: r for r, name in enumerate(resources)}
    slot = column[PODS]
    for pod in holding:
        held = used.get(pod.node)
        if held is None:
            continue
        for name, amount in pod.request.items():
            r = column.get(name)
            if r is not None and r != slot:
                held[r] += amount
        held[slot] += 1
    devices = [r for r, name in enumerate(resources) if is_device(name)]
    free, over = np.zeros((2, len(nodes), len(resources)), dtype=np.int64)
    intact, busy = (np.zeros(len(nodes), dtype=np.bool_) for _ in range(2))
    for n, node in enumerate(nodes):
        has = [node.allocatable.get(name, 0) for name in resources]
        held = used[node.name]
        free[n] = [min(max(a - b, 0), MOST) for a, b in zip(has, held, strict=True)]
        over[n] = [min(max(b - a, 0), MOST) for a, b in zip(has, held, strict=True)]
        busy[n] = any(held[r] for r in devices)
        intact[n] = any(has[r] > 0 for r in devices) and not busy[n]
    return Room(free, intact, busy, over)


def _distinct(pods: Sequence[PodRecord]) -> list[dict[str, int]]:
    return list({id(pod.request): pod.request for pod in pods}.values())


def _asked(request: dict[str, int]) -> set[str]:
    return {name for name, amount in request.items() if amount > 0}


def refuse_huge(pods: Iterable[PodRecord], faults: Faults) -> None:
    """Fault requests that no column can hold."""
    for pod in pods:
        for name, amount in pod.request.items():
            if amount > MOST:
                text = f"a request of {name} above 2^62 base units"
                faults.add(pod.source, f"Pod {full_name(pod)}", "spec.containers", text)
