"""One run of kube-scheduler: load everything, start it, wait until it has nothing more to do."""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gangplan.cluster.client import Client, connect
from gangplan.cluster.kinds import NODE, POD, PRIORITY_CLASS, SCHEDULING, Kind
from gangplan.experiments.controlplane.plane import ControlPlane
from gangplan.experiments.kubescheduler import objects
from gangplan.models.errors import GangplanError
from gangplan.models.instance import Instance

Obj = dict[str, Any]

VERSION = "1.37"

QUIET = 11.0
"""Seconds without a change after which it counts as done: more than its longest backoff (10 s)."""

_GROUP = Kind(SCHEDULING, "v1beta1", "podgroups", "PodGroup")
_NAMESPACE = Kind("", "v1", "namespaces", "Namespace", namespaced=False)
_CONDITION = "PodGroupInitiallyScheduled"
_THREADS = 8
_LOOK = 0.25


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of it.

    Attributes
    ----------
    node_of : ``namespace/name`` of a pod -> its node; of those that are there and stay.
    gone : pods that were evicted on the way.
    seconds : from its start to the last change. load_seconds : to make all objects.
    settled : nothing changed any more; else the time was over before.
    """

    node_of: dict[str, str]
    gone: tuple[str, ...]
    seconds: float
    load_seconds: float
    settled: bool


def run(
    instance: Instance,
    configuration: str,
    folder: Path,
    seconds: float,
    tell: Callable[[str], None] = lambda what: None,
) -> Seen:
    """Give an instance to a fresh kube-scheduler; every pod waits before it starts.

    Parameters
    ----------
    configuration : see ``ControlPlane``. folder : an empty one.
    seconds : from its start; it is not told of them.

    Raises
    ------
    GangplanError : the control plane does not come up.
    """
    with ControlPlane(VERSION, folder) as plane:
        client = connect(str(plane.admin))
        began = time.monotonic()
        tell("load")
        _load(client, instance)
        loaded = time.monotonic() - began
        tell("schedule")
        plane.start_scheduler(configuration)
        spent, settled = _settle(client, plane, seconds)
        found = client.get(POD.path())["items"]
    node_of = {
        f"{pod['metadata']['namespace']}/{pod['metadata']['name']}": str(pod["spec"]["nodeName"])
        for pod in found
        if pod["spec"].get("nodeName") and not pod["metadata"].get("deletionTimestamp")
    }
    there = {
        f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        for pod in found
        if not pod["metadata"].get("deletionTimestamp")
    }
    gone = tuple(name for name in instance.names.pods if name not in there)
    return Seen(node_of, gone, spent, loaded, settled)


def _load(client: Client, instance: Instance) -> None:
    spaces = sorted({name.split("/")[0] for name in instance.names.groups})
    with ThreadPoolExecutor(_THREADS) as pool:

        def post(kind: Kind, found: Iterable[Obj]) -> None:
            paths = ((kind.path(obj["metadata"].get("namespace", "")), obj) for obj in found)
            list(pool.map(lambda one: client.post(*one), paths))

        post(_NAMESPACE, ({"metadata": {"name": space}} for space in spaces))
        post(PRIORITY_CLASS, objects.priority_classes(instance))
        post(NODE, objects.nodes(instance))
        post(_GROUP, objects.pod_groups(instance))
        post(POD, objects.pods(instance))
        list(pool.map(lambda name: _ready(client, name), instance.names.nodes))


def _ready(client: Client, node: str) -> None:
    until = time.monotonic() + 60
    while client.get(NODE.path("", node))["spec"].get("taints"):
        if time.monotonic() > until:
            raise GangplanError(f"kube-scheduler: the node {node} does not become ready")
        time.sleep(_LOOK)


def _settle(client: Client, plane: ControlPlane, seconds: float) -> tuple[float, bool]:
    began = changed = time.monotonic()
    before: object = None
    while True:
        now = time.monotonic()
        state = _state(client)
        if state != before:
            before, changed = state, now
        if not plane.runs("kube-scheduler"):
            raise GangplanError(f"kube-scheduler ended: see {plane.folder}/kube-scheduler.log")
        looked_at = all(state[1].values())
        if now - changed > QUIET and looked_at:
            return changed - began, True
        if now - began > seconds + QUIET:
            return changed - began, False
        time.sleep(_LOOK)


def _state(client: Client) -> tuple[frozenset[tuple[str, str]], dict[str, str]]:
    """Bound pods, and the verdict on each group (empty before there is one)."""
    bound = frozenset(
        (str(pod["metadata"]["uid"]), str(pod["spec"].get("nodeName") or ""))
        for pod in client.get(POD.path(), {"resourceVersion": "0"})["items"]
    )
    verdicts = {}
    for group in client.get(_GROUP.path())["items"]:
        conditions = (group.get("status") or {}).get("conditions") or ()
        found = [one["status"] for one in conditions if one["type"] == _CONDITION]
        verdicts[group["metadata"]["uid"]] = str(found[0]) if found else ""
    return bound, verdicts
