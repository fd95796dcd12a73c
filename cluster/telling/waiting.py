"""A group that waits says why: on itself, and on each of its pods that has no node."""

from gangplan.cluster.kinds import POD, Kind
from gangplan.cluster.parallel import each
from gangplan.cluster.site import Site
from gangplan.cluster.telling.conditions import UNSCHEDULABLE, Condition, scheduled_type, write
from gangplan.cluster.telling.events import event
from gangplan.cluster.world import Object, World, name_of, uid_of

_KINDS = ("PodGroup", "CompositePodGroup", "Pod")


def waiting(site: Site, group: str, reason: str, *, kind: str = "") -> None:
    """Write the condition ``...Scheduled=False`` with reason ``Unschedulable``.

    Nothing is written where nothing has changed; a group that was scheduled once stays so, and
    only its pods say that they wait.

    Parameters
    ----------
    group : ``namespace/name`` of a PodGroup, a CompositePodGroup, or a pod of its own.
    reason : the planner's words.
    kind : which of them; the first of that name in this order where it is not said.

    Raises
    ------
    ClusterError : the server refuses, or does not answer.
    """
    world = site.world()
    found = _find(site, world, group, kind)
    if found is None:
        return
    at, obj = found
    pods = [obj] if at.name == "Pod" else _pods(world, at, group)
    each(site.parallel, pods, lambda pod: _say(site, POD, pod, reason))
    if at.name != "Pod" and not _say(site, at, obj, reason):
        return
    event(site, obj, "FailedScheduling", reason, "Warning")


def _say(site: Site, kind: Kind, obj: Object, reason: str) -> bool:
    condition = Condition(scheduled_type(kind), "False", UNSCHEDULABLE, reason, lasting=True)
    return write(site, kind, name_of(obj), condition, uid=uid_of(obj))


def _find(site: Site, world: World, group: str, kind: str) -> tuple[Kind, Object] | None:
    for name in (kind,) if kind else _KINDS:
        obj = world.find(name, group) if name in site.served else None
        if obj is not None:
            return site.served[name], obj
    return None


def _pods(world: World, kind: Kind, group: str) -> list[Object]:
    """Give the pods of a PodGroup that wait for a node."""
    if kind.name != "PodGroup":
        return []
    return [pod for pod in world.once(_waiting).get(group, ()) if _waits(pod)]


def _waiting(world: World) -> dict[str, list[Object]]:
    found: dict[str, list[Object]] = {}
    for pod in world.objects.get("Pod", ()):
        name = (pod["spec"].get("schedulingGroup") or {}).get("podGroupName")
        if name:
            found.setdefault(f"{pod['metadata']['namespace']}/{name}", []).append(pod)
    return found


def _waits(pod: Object) -> bool:
    spec = pod["spec"]
    gone = pod["metadata"].get("deletionTimestamp")
    return not (spec.get("nodeName") or spec.get("schedulingGates") or gone)
