"""One condition of an object's status, written as kube-scheduler does: merged by its type."""

import time
from dataclasses import dataclass

from gangplan.cluster.client import STRATEGIC
from gangplan.cluster.errors import ClusterError, Conflict, NotFound, is_uncertain
from gangplan.cluster.kinds import Kind
from gangplan.cluster.site import Site
from gangplan.cluster.telling.told import Told
from gangplan.cluster.world import Object, timestamp, uid_of

SCHEDULED, UNSCHEDULABLE, PREEMPTED = "Scheduled", "Unschedulable", "PreemptionByScheduler"
"""Reasons, as the API has them."""

_INITIALLY = {
    "PodGroup": "PodGroupInitiallyScheduled",
    "CompositePodGroup": "CompositePodGroupInitiallyScheduled",
    "Pod": "PodScheduled",
}
_LONGEST = 32 * 1024
_TRIES = 8
_TOLD = Told(600.0)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition without its times.

    Attributes
    ----------
    lasting : once True it is never made False (KEP-4671: ``PodGroupInitiallyScheduled``; a pod
        that is bound).
    """

    type: str
    status: str
    reason: str
    message: str
    lasting: bool = False


def scheduled_type(kind: Kind) -> str:
    """Give the type of the condition that says whether an object has been scheduled.

    Up to v1alpha2 (Kubernetes 1.36) that of a PodGroup is ``PodGroupScheduled``.
    """
    if kind.name == "PodGroup" and kind.version == "v1alpha2":
        return "PodGroupScheduled"
    return _INITIALLY[kind.name]


def write(site: Site, kind: Kind, full_name: str, condition: Condition, *, uid: str = "") -> bool:
    """Write a condition where it says something new.

    Parameters
    ----------
    uid : the object that is meant; another one of its name is left alone.

    Returns
    -------
    bool : whether it was written: not where the object is gone, says so already, or says True for
        good, and not where this process wrote the same a short while ago.

    Raises
    ------
    ClusterError : the server refuses, or does not answer.
    """
    key = (site.holder, kind.name, full_name, uid, condition.type)
    if _TOLD.lately(key, condition):
        return False
    written = _write(site, kind, full_name, condition, uid)
    _TOLD.note(key, condition)
    return written


def _write(site: Site, kind: Kind, full_name: str, condition: Condition, uid: str) -> bool:
    last: ClusterError | None = None
    for _ in range(_TRIES):
        try:
            obj = site.client.get(kind.path_of(full_name))
            if uid and uid_of(obj) != uid:
                return False
            entry = entry_of(obj, condition, site.client.server_time or time.time())
            if entry is None:
                return last is not None
            metadata = {"uid": uid_of(obj)}
            if condition.lasting:
                # What has become True in between must not be overwritten unseen.
                metadata["resourceVersion"] = obj["metadata"]["resourceVersion"]
            body = {"metadata": metadata, "status": {"conditions": [entry]}}
            site.client.patch(kind.path_of(full_name, "status"), body, kind=STRATEGIC)
            return True
        except NotFound:
            return False
        except ClusterError as error:
            if not isinstance(error, Conflict) and not is_uncertain(error):
                raise
            last = error
        time.sleep(0.05)
    raise last or ClusterError(f"{full_name}: its condition {condition.type} cannot be written")


def entry_of(obj: Object, condition: Condition, now: float) -> Object | None:
    """Give the entry of ``status.conditions`` to merge; None where there is nothing to say."""
    status = obj.get("status") or {}
    old: Object = next(
        (one for one in status.get("conditions") or () if one["type"] == condition.type), {}
    )
    is_so = old.get("status") == "True" or (obj.get("spec") or {}).get("nodeName")
    if condition.lasting and is_so and condition.status != "True":
        return None
    entry: Object = {
        "type": condition.type,
        "status": condition.status,
        "reason": condition.reason,
        "message": cut(condition.message, _LONGEST),
    }
    generation = obj["metadata"].get("generation")
    if generation:
        entry["observedGeneration"] = generation
    if all(old.get(key, "") == value for key, value in entry.items()):
        return None
    same = old.get("status") == condition.status
    entry["lastTransitionTime"] = old["lastTransitionTime"] if same else timestamp(now)
    return entry


def cut(text: str, most: int) -> str:
    """Shorten a text to so many bytes of UTF-8, where it is longer."""
    data = text.encode()
    if len(data) <= most:
        return text
    return data[: most - 4].decode(errors="ignore") + " ..."
