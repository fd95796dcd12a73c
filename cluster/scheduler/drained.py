"""The cluster as it would be for one unit if the work of its own and lower priority were done."""

from collections.abc import Mapping
from typing import Any

from gangplan.cluster.scheduler.holds import Units
from gangplan.cluster.scheduler.overlay import MIRROR, ON_ITS_WAY, bound, group_of
from gangplan.cluster.scheduler.reservations import Gone
from gangplan.cluster.world import Object, World, uid_of

_SOURCE = "kubernetes.io/config.source"


def drained(world: World, unit: str, priority: int, units: Units) -> World:
    """Take away the pods that will be done some day, and all who wait but the unit.

    Pods of other schedulers stay, and those of higher priority, and those that never end (of
    DaemonSets, and static ones); so do the unit's own.
    """
    kept: list[Object] = []
    gone: list[Object] = []
    for pod in world.objects.get("Pod", ()):
        if units.of(pod) == unit:
            kept.append(pod)
        elif bound(pod):
            (gone if _ends(world, pod, priority, units) else kept).append(pod)
    still = {group_of(pod) for pod in kept}
    left = Gone(frozenset(map(uid_of, gone)), frozenset({group_of(pod) for pod in gone} - still))
    claims = [left.left_by(claim) for claim in world.objects.get("ResourceClaim", ())]
    return world.with_objects({"Pod": kept, **({"ResourceClaim": claims} if claims else {})})


def _ends(world: World, pod: Mapping[str, Any], priority: int, units: Units) -> bool:
    if pod["spec"].get("schedulerName") != world.scheduler:
        return False
    return units.priority_of(pod) <= priority and not _fixed(pod["metadata"])


def _fixed(metadata: Mapping[str, Any]) -> bool:
    owners = {owner.get("kind") for owner in metadata.get("ownerReferences") or ()}
    notes = metadata.get("annotations") or {}
    mirror = notes.get(MIRROR, ON_ITS_WAY) != ON_ITS_WAY
    return bool(owners & {"DaemonSet", "Node"}) or mirror or notes.get(_SOURCE, "api") != "api"
