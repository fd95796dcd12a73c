"""Victims that were told of their eviction and then stayed are told that it is off."""

from collections.abc import Mapping
from typing import Any

from gangplan.cluster.carry import look
from gangplan.cluster.carry.patience import each
from gangplan.cluster.errors import NotFound
from gangplan.cluster.flight import Flight
from gangplan.cluster.kinds import POD, Kind
from gangplan.cluster.site import Site
from gangplan.cluster.telling.conditions import PREEMPTED, Condition, write
from gangplan.cluster.world import uid_of

_TYPE = "DisruptionTarget"


def spare(site: Site, flight: Flight) -> None:
    """Take the condition ``DisruptionTarget`` back from victims that are still there.

    Raises
    ------
    ClusterError : the server refuses, or does not answer.
    """
    pods = look.pods_of(site, (falling.pod for falling in flight.fallings))
    stay = [
        falling
        for falling in flight.fallings
        if (pod := pods.get(falling.pod)) is not None
        and uid_of(pod) == falling.uid
        and not look.leaving(pod)
        and _is_told(pod)
    ]
    each(site, stay, lambda falling: _write(site, POD, falling.pod, falling.uid))
    wholes = sorted({falling.whole for falling in stay} - {""})
    each(site, wholes, lambda group: _spare_group(site, group))


def _spare_group(site: Site, group: str) -> None:
    kind = site.served["PodGroup"]
    try:
        found = site.client.get(kind.path_of(group))
    except NotFound:
        return
    if _is_told(found):
        _write(site, kind, group, uid_of(found))


def _write(site: Site, kind: Kind, name: str, uid: str) -> None:
    said = f"{site.scheduler}: the preemption was given up"
    write(site, kind, name, Condition(_TYPE, "False", PREEMPTED, said), uid=uid)


def _is_told(obj: Mapping[str, Any]) -> bool:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return any(
        one["type"] == _TYPE and one["status"] == "True" and one.get("reason") == PREEMPTED
        for one in conditions
    )
