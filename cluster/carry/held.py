"""Nodes that foreign victims leave are held by a taint until the flight has ended.

A node has one taint of a key and effect, so flights that hold the same node share its value.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from gangplan.cluster import faultpoints
from gangplan.cluster.carry.patience import Pauses, each
from gangplan.cluster.client import Object
from gangplan.cluster.errors import ClusterError, Conflict, NotFound
from gangplan.cluster.flight import Flight
from gangplan.cluster.kinds import NODE
from gangplan.cluster.site import Site

TAINT = "gangplan.io/held"
EFFECT = "NoSchedule"
_BETWEEN = "_"


def hold(site: Site, flight: Flight) -> None:
    """Taint the nodes of victims that are not ours.

    Raises
    ------
    ClusterError : a node cannot be tainted.
    """
    each(site, _nodes(flight), lambda name: _set(site, flight.key, name, wanted=True))


def let_go(site: Site, flight: Flight) -> None:
    """Take the taints of this flight away; nodes that are gone have none.

    Raises
    ------
    ClusterError : a node cannot be written.
    """
    each(site, _nodes(flight), lambda name: _set(site, flight.key, name, wanted=False))


def without(taints: Iterable[Mapping[str, Any]], key: str) -> list[dict[str, Any]]:
    """Give the taints as they are without this flight."""
    found = []
    for taint in taints:
        if taint.get("key") != TAINT:
            found.append(dict(taint))
            continue
        holders = [one for one in _holders(taint) if one != key]
        if holders:
            found.append({**taint, "value": _BETWEEN.join(holders)})
    return found


def _nodes(flight: Flight) -> list[str]:
    return sorted({falling.node for falling in flight.fallings if not falling.ours})


def _set(site: Site, key: str, name: str, *, wanted: bool) -> None:
    path = NODE.path_of(name)
    pauses = Pauses(site.waits.bind)
    while True:
        try:
            node = site.client.get(path)
        except NotFound:
            return
        taints = _changed(node, key, wanted=wanted)
        if taints is None:
            return
        version = node["metadata"]["resourceVersion"]
        body = {"metadata": {"resourceVersion": version}, "spec": {"taints": taints or None}}
        faultpoints.point("taint.before")
        try:
            site.client.patch(path, body)
        except NotFound:
            return
        except Conflict as error:
            # A heartbeat came in between.
            if not pauses.rest():
                raise ClusterError(f"Node {name}: its taints cannot be written") from error
        else:
            faultpoints.point("taint.after")
            return


def _changed(node: Object, key: str, *, wanted: bool) -> list[dict[str, Any]] | None:
    """Taints to write; None where they are as wanted already."""
    taints = [dict(taint) for taint in node["spec"].get("taints") or ()]
    ours = next((taint for taint in taints if taint.get("key") == TAINT), None)
    holders = _holders(ours) if ours else []
    if (key in holders) == wanted:
        return None
    if not wanted:
        return without(taints, key)
    rest = [taint for taint in taints if taint is not ours]
    value = _BETWEEN.join([*holders, key])
    return [*rest, {"key": TAINT, "value": value, "effect": EFFECT}]


def _holders(taint: Mapping[str, Any]) -> list[str]:
    return [one for one in str(taint.get("value") or "").split(_BETWEEN) if one]
