"""Events (events.k8s.io/v1): what ``kubectl describe`` shows beneath an object."""

import time
from datetime import UTC, datetime

from gangplan.cluster.errors import ClusterError
from gangplan.cluster.kinds import EVENT
from gangplan.cluster.site import Site
from gangplan.cluster.telling.conditions import cut
from gangplan.cluster.telling.told import Told
from gangplan.cluster.world import Object, name_of, uid_of

CONTROLLER = "gangplan.io/scheduler"

_ACTIONS = {"Scheduled": "Binding", "FailedScheduling": "Scheduling", "Preempted": "Preempting"}
_NOTE, _WORD = 1024, 128
_TOLD = Told(60.0)


def event(site: Site, regarding: Object, reason: str, note: str, type: str = "Normal") -> None:
    """Write an event about an object; the same one not again within a minute.

    A failed event is told to ``site.say`` and is no error: nothing depends on it.

    Parameters
    ----------
    regarding : the object, with its ``apiVersion`` and ``kind``.
    reason : a word that the API's users know, such as ``FailedScheduling``.
    type : ``Normal`` or ``Warning``.
    """
    key = (site.holder, regarding["kind"], name_of(regarding), uid_of(regarding), reason)
    if _TOLD.lately(key, note):
        return
    metadata = regarding["metadata"]
    namespace = metadata.get("namespace") or "default"
    now = time.time_ns()
    body: Object = {
        "apiVersion": EVENT.api_version,
        "kind": EVENT.name,
        "metadata": {"name": f"{_stem(metadata['name'])}.{now:x}", "namespace": namespace},
        "eventTime": _micro(now),
        "reportingController": CONTROLLER,
        "reportingInstance": site.holder[:_WORD] or CONTROLLER,
        "action": _ACTIONS.get(reason, "Scheduling"),
        "reason": reason[:_WORD],
        "regarding": _reference(regarding),
        "note": cut(note, _NOTE),
        "type": type,
    }
    try:
        site.client.post(EVENT.path(namespace), body)
    except ClusterError as error:
        site.say(f"{name_of(regarding)}: its event {reason} could not be written: {error}")
        return
    _TOLD.note(key, note)


def _stem(name: str) -> str:
    """Give as much of a name as leaves room for a time, and can stand before a full stop."""
    return name[:230].rstrip(".-")


def _reference(obj: Object) -> Object:
    metadata = obj["metadata"]
    found = {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        **{key: metadata.get(key) for key in ("name", "namespace", "uid", "resourceVersion")},
    }
    return {key: value for key, value in found.items() if value}


def _micro(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 10**9)
    whole = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{whole}.{rest // 1000:06d}Z"
