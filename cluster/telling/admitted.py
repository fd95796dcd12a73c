"""A flight has its minimum: groups and trees say that they have been scheduled, pods where."""

from functools import partial

from gangplan.cluster.errors import NotFound
from gangplan.cluster.flight import Flight, Placing
from gangplan.cluster.kinds import POD
from gangplan.cluster.site import Site
from gangplan.cluster.telling.conditions import SCHEDULED, Condition, scheduled_type, write
from gangplan.cluster.telling.events import event
from gangplan.cluster.world import Object

_DEEPEST = 4
"""Levels of a tree (KEP-6012)."""


def admitted(site: Site, flight: Flight) -> None:
    """Say that the groups of a flight are scheduled; only after their minimum is seen to be bound.

    PodGroups get ``PodGroupInitiallyScheduled`` (KEP-4671; ``PodGroupScheduled`` on 1.36), the
    trees above them ``CompositePodGroupInitiallyScheduled`` (KEP-6012), pods an event.

    Raises
    ------
    ClusterError : the server refuses, or does not answer.
    """
    trees: set[str] = set()
    for member in flight.members:
        if member.kind == "PodGroup" and "PodGroup" in site.served:
            count = sum(placing.group == member.group for placing in flight.placings)
            kind = site.served["PodGroup"]
            said = f"{count} pods are bound, {member.minimum} are its minimum"
            condition = Condition(scheduled_type(kind), "True", SCHEDULED, said, lasting=True)
            write(site, kind, member.group, condition, uid=member.uid)
            if flight.tree:
                trees |= _above(site, member.group)
    for tree in sorted(trees):
        kind = site.served["CompositePodGroup"]
        said = "as many of its groups are bound as it needs"
        write(site, kind, tree, Condition(scheduled_type(kind), "True", SCHEDULED, said, True))
    site.later([partial(_assigned, site, placing) for placing in flight.placings])


def _above(site: Site, group: str) -> set[str]:
    """Name the CompositePodGroups above a PodGroup."""
    found: set[str] = set()
    namespace = group.rpartition("/")[0]
    path = site.served["PodGroup"].path_of(group)
    for _ in range(_DEEPEST):
        try:
            parent = site.client.get(path)["spec"].get("parentCompositePodGroupName")
        except NotFound:
            break
        if not parent or f"{namespace}/{parent}" in found:
            break
        found.add(f"{namespace}/{parent}")
        path = site.served["CompositePodGroup"].path(namespace, parent)
    return found


def _assigned(site: Site, placing: Placing) -> None:
    note = f"Successfully assigned {placing.pod} to {placing.node}"
    event(site, pod_reference(placing.pod, placing.uid), "Scheduled", note)


def pod_reference(full_name: str, uid: str) -> Object:
    """Give as much of a pod as an event about it needs."""
    namespace, _, name = full_name.rpartition("/")
    metadata = {"namespace": namespace, "name": name, "uid": uid}
    return {"apiVersion": "v1", "kind": POD.name, "metadata": metadata}
