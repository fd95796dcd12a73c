"""Puts the objects of a case into a real API server, and says what the server will not take.

What a file may say and a server decides itself is brought about: priorities by PriorityClasses,
UIDs of users of claims by the pods that are made, ``deletionTimestamp`` by a finalizer and a
deletion, phases by a patch of the status. KWOK does not run: it would let every bound pod run.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gangplan.cluster.errors import ApiError
from gangplan.cluster.kinds import NODE, POD, PRIORITY_CLASS
from tests.cluster.audit.state import full_name
from tests.cluster.live import Live
from tests.cluster.workloads import GROUPS, OLD, OURS, priority_class

Object = dict[str, Any]

FINALIZER = "example.com/held"
PROTECTION = "resource.kubernetes.io/delete-protection"
_OF_THE_SYSTEM = {2_000_000_000: "system-cluster-critical", 2_000_001_000: "system-node-critical"}
_ORDER = ("Namespace", "PriorityClass", "Node", "DeviceClass", "ResourceSlice",
          "ResourceClaimTemplate", "ResourceClaim", "Workload", "CompositePodGroup", "PodGroup",
          "Pod")  # fmt: skip


class Refused(Exception):
    """The server does not take an object of a case, or has no such kind."""


def load(live: Live, documents: Sequence[Object]) -> None:
    """Create everything, and wait until the controllers have made what belongs to it.

    Raises
    ------
    Refused : the case cannot be said to this server.
    """
    items = [_as_served(live, document) for document in _flat(documents)]
    unknown = sorted({item["kind"] for item in items} - set(_ORDER))
    if unknown:
        raise Refused(f"no {', '.join(unknown)} here")
    for name, value in _classes(items).items():
        live.create(priority_class(name, value))
    held: list[Object] = []
    for item in sorted(items, key=lambda item: _ORDER.index(item["kind"])):
        if item["kind"] == "ResourceClaim" and "status" in item:
            held.append({**item, "status": dict(item["status"])})
            item.pop("status")
        try:
            _create(live, item)
        except ApiError as error:
            raise Refused(str(error)) from None
    _allocate(live, held)
    live.wait(lambda: _complete(live), 20.0, "claims of templates are not made")


def _flat(documents: Iterable[Object]) -> Iterable[Object]:
    for document in documents:
        if document["kind"].endswith("List") and "items" in document:
            yield from _flat(document["items"])
        else:
            yield document


def _as_served(live: Live, document: Object) -> Object:
    """Say the same in the version that is served, with priorities by class."""
    item: Object = {**document, "metadata": dict(document["metadata"])}
    item["metadata"].pop("uid", None)
    if item["kind"] not in ("Pod", "PodGroup"):
        return item
    spec = item["spec"] = dict(item["spec"])
    priority = spec.pop("priority", None)
    if priority and "priorityClassName" not in spec:
        spec["priorityClassName"] = _class_name(int(priority))
    if item["kind"] == "Pod":
        spec["schedulerName"] = OURS
        return item
    version = live.served.group_version
    item["apiVersion"] = f"{GROUPS}/{version}"
    if version == OLD and isinstance(spec.get("disruptionMode"), dict):
        spec["disruptionMode"] = "PodGroup" if "all" in spec["disruptionMode"] else "Pod"
    return item


def _class_name(priority: int) -> str:
    return _OF_THE_SYSTEM.get(priority) or f"p{priority}".replace("-", "m")


def _classes(items: Iterable[Object]) -> dict[str, int]:
    """Classes that are asked for by our names, with their values."""
    names = {item.get("spec", {}).get("priorityClassName", "") for item in items}
    numbers = {name: name[1:].replace("m", "-") for name in names if name[:1] == "p"}
    return {name: int(text) for name, text in numbers.items() if text.lstrip("-").isdigit()}


def _create(live: Live, item: Object) -> None:
    leaving = item["metadata"].pop("deletionTimestamp", None)
    if leaving:
        item["metadata"]["finalizers"] = [FINALIZER]
    unschedulable = item["kind"] == "Node" and item.get("spec", {}).get("unschedulable")
    live.create(item)
    if unschedulable:
        live.admin.patch(NODE.path_of(item["metadata"]["name"]), {"spec": {"unschedulable": True}})
    if leaving:
        live.admin.delete(POD.path_of(full_name(item)))


def _allocate(live: Live, claims: Iterable[Mapping[str, Any]]) -> None:
    for claim in claims:
        name = full_name(claim)
        path = live.served["ResourceClaim"].path_of(name)
        namespace = name.rpartition("/")[0]
        status = dict(claim["status"])
        status["reservedFor"] = [
            {**user, "uid": live.get("Pod", f"{namespace}/{user['name']}")["metadata"]["uid"]}
            for user in status.get("reservedFor", ())
        ]
        try:
            live.admin.patch(path, {"metadata": {"finalizers": [PROTECTION]}})
            live.admin.patch(f"{path}/status", {"status": status})
        except ApiError as error:
            raise Refused(str(error)) from None


def _complete(live: Live) -> bool:
    """Whether each claim of a template is made and told to its pod."""
    pods = live.all("Pod") if "ResourceClaim" in live.served else []
    return all(
        entry["name"] in {row["name"] for row in pod["status"].get("resourceClaimStatuses", ())}
        for pod in pods
        for entry in pod["spec"].get("resourceClaims", ())
        if "resourceClaimTemplateName" in entry
    )


def unload(live: Live) -> None:
    """Take everything away again."""
    live.wipe()
    for entry in live.admin.get(PRIORITY_CLASS.path())["items"]:
        name = entry["metadata"]["name"]
        if not name.startswith("system-"):
            live.admin.delete(PRIORITY_CLASS.path_of(name))
