"""A pod of ours that somebody else bound, to a node that we did not choose."""

from typing import Any

from gangplan.cluster.errors import NotFound
from gangplan.cluster.flight import Flight, Placing
from gangplan.cluster.kinds import NODE
from gangplan.cluster.site import Site

_DEEPEST = 4
"""Levels of a tree (KEP-6012)."""


def allowed(site: Site, flight: Flight, placing: Placing, node: str) -> bool:
    """Whether a pod may count where it is: not where devices or a topology say otherwise.

    A pod whose claims this flight allocates belongs where its devices are. The domains of a group
    (KEP-5732) are those of the nodes that were planned for its other pods.

    Raises
    ------
    ClusterError : the server does not answer, or refuses.
    """
    users = {user.get("uid") for one in flight.allocatings for user in one.users}
    group_uids = {m.uid for m in flight.members if m.group == placing.group}
    if placing.uid in users or users & group_uids:
        return False
    keys = _keys(site, placing.group)
    if not keys:
        return True
    planned = _labels(site, placing.node)
    found = _labels(site, node)
    return all(key in found and found[key] == planned.get(key) for key in keys)


def _keys(site: Site, group: str) -> set[str]:
    """Topology keys of a group and of the trees that it hangs under."""
    keys: set[str] = set()
    namespace = group.rpartition("/")[0]
    kind, name = "PodGroup", group
    for _ in range(_DEEPEST):
        if kind not in site.served:
            break
        try:
            spec = site.client.get(site.served[kind].path_of(name))["spec"]
        except NotFound:
            break
        topology = (spec.get("schedulingConstraints") or {}).get("topology") or ()
        keys |= {str(entry["key"]) for entry in topology}
        above = spec.get("parentCompositePodGroupName")
        if not above:
            break
        kind, name = "CompositePodGroup", f"{namespace}/{above}"
    return keys


def _labels(site: Site, node: str) -> dict[str, Any]:
    try:
        found = site.client.get(NODE.path_of(node))
    except NotFound:
        return {}
    return dict(found["metadata"].get("labels") or {})
