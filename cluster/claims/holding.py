"""Who still holds devices: pods with a node that have not finished, also while they are going."""

from dataclasses import dataclass

from gangplan.cluster.kinds import POD
from gangplan.cluster.site import Site
from gangplan.cluster.uses import group_name
from gangplan.cluster.world import Object, uid_of


@dataclass(frozen=True, slots=True)
class Holding:
    """UIDs of the pods of a namespace that hold something; ``namespace/name`` of their groups."""

    pods: frozenset[str]
    groups: frozenset[str]


def holding(site: Site, namespace: str) -> Holding:
    """Look at all pods of a namespace, as they are now."""
    items = site.client.get(POD.path(namespace), {"fieldSelector": "spec.nodeName!="})["items"]
    pods = [pod for pod in items if _holds(pod)]
    groups = {group_name(pod) for pod in pods} - {""}
    return Holding(frozenset(uid_of(pod) for pod in pods), frozenset(groups))


def _holds(pod: Object) -> bool:
    finished = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
    return bool(pod["spec"].get("nodeName")) and not finished
