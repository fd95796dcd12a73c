"""Bindings: all pods of a flight at once, those of the minimum first.

A Binding names the pod's UID and resource version. So a pod that was made again is never bound, and
of two Bindings of which one got no answer at most one comes about.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from gangplan.cluster import faultpoints
from gangplan.cluster.carry import look, nominate
from gangplan.cluster.carry.devices import without_devices
from gangplan.cluster.carry.journal import Journal
from gangplan.cluster.carry.patience import (
    Pauses,
    each,
    is_away,
    is_unauthorized,
    read_back,
    sentence,
)
from gangplan.cluster.client import Object
from gangplan.cluster.errors import ClusterError, Conflict, NotFound
from gangplan.cluster.flight import Placing
from gangplan.cluster.kinds import POD
from gangplan.cluster.site import Site
from gangplan.cluster.world import uid_of

_LEAST = 2.0
"""Seconds that a pod is tried for, also when others have used up the time."""


def bind(journal: Journal) -> str:
    """Bind every pod that can be; what could not is for ``confirm`` to find and judge.

    Raises
    ------
    ClusterError : the server stays away.
    """
    site, flight = journal.site, journal.flight
    pods = look.to_bind(site, flight)
    nodes = look.standing_nodes(site, flight)
    pauses = Pauses(site.waits.bind)
    ordered = sorted(flight.placings, key=lambda placing: placing.mark != "minimum")

    def one(placing: Placing) -> _Said:
        if placing.node not in nodes:
            return _Said(f"{placing.pod}: its node {placing.node} is gone", of_node=True)
        return _bind(journal, placing, pods.get(placing.pod), pauses.anew(_LEAST))

    refused = set(journal.refused)
    for placing, said in zip(ordered, each(site, ordered, one), strict=True):
        if said.why:
            journal.note(said.why)
        if said.of_node:
            refused.add(placing.node)
    journal.refused = tuple(sorted(refused))
    return "confirm"


@dataclass(frozen=True, slots=True)
class _Said:
    """Why a pod is not bound, empty where it is; ``of_node``: its node takes no other either."""

    why: str = ""
    of_node: bool = False


def _bind(journal: Journal, placing: Placing, pod: Object | None, pauses: Pauses) -> _Said:
    """Bind a pod; say why not."""
    site, unsure = journal.site, False
    while True:
        if done := _settled(placing, pod):
            return _Said("" if done == placing.node else done)
        assert pod is not None
        if claim := without_devices(site, journal.flight, pod):
            return _given_up(site, placing, f"its claim {claim} has no devices", unsure=unsure)
        faultpoints.point("binding.before")
        try:
            site.client.post(POD.path_of(placing.pod, "binding"), _binding(placing, pod))
        except ClusterError as error:
            unsure = unsure or is_away(error)
            again = isinstance(error, Conflict | NotFound) or is_away(error)
            again = again or is_unauthorized(error)
            why = sentence(error)
        else:
            faultpoints.point("binding.after")
            return _Said()
        if not again or not pauses.rest():
            break
        pod = read_back(lambda: look.pod_of(site, placing.pod), pauses)
    return _given_up(site, placing, why, unsure=unsure, of_node=True)


def _given_up(
    site: Site, placing: Placing, why: str, *, unsure: bool, of_node: bool = False
) -> _Said:
    pod = look.pod_of(site, placing.pod)
    if unsure and pod is not None and not _settled(placing, pod):
        nominate.outdate(site, placing, pod)
        pod = look.pod_of(site, placing.pod)
    done = _settled(placing, pod)
    if done:
        return _Said("" if done == placing.node else done)
    return _Said(f"{placing.pod} cannot be bound to {placing.node}: {why}", of_node=of_node)


def _settled(placing: Placing, pod: Object | None) -> str:
    """Say what has become of a pod that cannot be bound (any more): its node, or a sentence."""
    if pod is None:
        return f"{placing.pod} is gone"
    if uid_of(pod) != placing.uid:
        return f"{placing.pod} was made again"
    node = look.node_of(pod)
    if node:
        return node if node == placing.node else f"{placing.pod} is bound to {node} already"
    if look.leaving(pod):
        return f"{placing.pod} is being deleted"
    return ""


def _binding(placing: Placing, pod: Mapping[str, object]) -> Object:
    namespace, _, name = placing.pod.rpartition("/")
    metadata = pod["metadata"]
    assert isinstance(metadata, dict)
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": placing.uid,
            "resourceVersion": metadata["resourceVersion"],
        },
        "target": {"apiVersion": "v1", "kind": "Node", "name": placing.node},
    }
