"""Which events can change who is placed: those begin a round, heartbeats and our own words do not.

What takes room away (a pod that is bound, a claim that is allocated) wakes nobody: a plan is held
against the newest world before anything of it is written.
"""

from collections.abc import Callable, Mapping
from typing import Any

from gangplan.cluster.scheduler.overlay import bound, waits
from gangplan.cluster.world import Object
from gangplan.datasets.kubernetes.objects.pods import FINISHED

_NOISE = frozenset({"resourceVersion", "managedFields", "generation"})


def matters(kind: str, new: Object | None, old: Object | None, scheduler: str) -> bool:
    """Whether an event can let somebody in, or changes who asks.

    Parameters
    ----------
    new, old : the object after and before; None where there is none.
    scheduler : schedulerName of our pods.
    """
    if kind == "Pod":
        return _pod(new, old, scheduler)
    if new is None or old is None:
        return True
    if kind == "ResourceClaim":
        return _claim(new, old)
    if kind == "PodDisruptionBudget":
        return bool(new.get("spec") != old.get("spec") or _allowed(new) > _allowed(old))
    essence: Callable[[Object], Any] = _ESSENCE.get(kind, _whole)
    return bool(essence(new) != essence(old))


def _pod(new: Object | None, old: Object | None, scheduler: str) -> bool:
    if new is None:
        return old is not None and (_holds(old) or waits(old, scheduler))
    if old is None:
        return waits(new, scheduler)
    if bound(new):
        if not bound(old):
            return False
        freed = _holds(old) and not _holds(new)
        return freed or bool(_held(new) != _held(old))
    ours = waits(new, scheduler) or waits(old, scheduler)
    return ours and bool(_waiting(new, scheduler) != _waiting(old, scheduler))


def _holds(pod: Object) -> bool:
    return bound(pod) and (pod.get("status") or {}).get("phase") not in FINISHED


def _held(pod: Object) -> tuple[Any, ...]:
    # Labels and requests: what other pods' rules and the room of the node depend on.
    return pod["spec"], pod["metadata"].get("labels")


def _waiting(pod: Object, scheduler: str) -> tuple[Any, ...]:
    metadata, status = pod["metadata"], pod.get("status") or {}
    return (
        waits(pod, scheduler), pod["spec"], metadata.get("labels"), metadata.get("annotations"),
        status.get("resourceClaimStatuses"), status.get("extendedResourceClaimStatus"),
    )  # fmt: skip


def _claim(new: Object, old: Object) -> bool:
    if new.get("spec") != old.get("spec"):
        return True
    after, before = new.get("status") or {}, old.get("status") or {}
    freed = bool(before.get("allocation")) and not after.get("allocation")
    return freed or not _users(before) <= _users(after)


def _users(status: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(str(user.get("uid")) for user in status.get("reservedFor") or ())


def _allowed(budget: Object) -> int:
    return int((budget.get("status") or {}).get("disruptionsAllowed") or 0)


def _node(node: Object) -> tuple[Any, ...]:
    spec, status = node.get("spec") or {}, node.get("status") or {}
    ready = [c.get("status") for c in status.get("conditions") or () if c.get("type") == "Ready"]
    return (
        node["metadata"].get("labels"), spec.get("taints"), spec.get("unschedulable"),
        status.get("allocatable"), ready,
    )  # fmt: skip


def _group(group: Object) -> tuple[Any, ...]:
    metadata, status = group["metadata"], group.get("status") or {}
    return (
        group.get("spec"), status.get("resourceClaimStatuses"), metadata.get("labels"),
        metadata.get("annotations"), metadata.get("deletionTimestamp"),
    )  # fmt: skip


def _whole(obj: Object) -> dict[str, Any]:
    metadata = {k: v for k, v in obj["metadata"].items() if k not in _NOISE}
    return {**{k: v for k, v in obj.items() if k != "status"}, "metadata": metadata}


_ESSENCE: Mapping[str, Callable[[Object], Any]] = {
    "Node": _node,
    "PodGroup": _group,
    "CompositePodGroup": _group,
}
