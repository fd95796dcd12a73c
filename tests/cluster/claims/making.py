"""Flights with claims, made by hand from what is on the server."""

from collections.abc import Sequence
from typing import Any

from gangplan.cluster.client import Object
from gangplan.cluster.flight import Allocating, Falling, Flight, Placing
from gangplan.cluster.flights.allocation import allocation_of
from gangplan.cluster.kinds import POD, SCHEDULING
from gangplan.cluster.site import Site
from tests.cluster.devices import DRIVER
from tests.cluster.live import Live

Entry = dict[str, str]


def row(device: str = "gpu-0", *, pool: str = "n0", request: str = "main", **fields: Any) -> Object:
    """Give a device as a plan file has it."""
    return {"request": request, "driver": DRIVER, "pool": pool, "device": device, **fields}


def user(live: Live, pod: str) -> Entry:
    """Give the entry of ``reservedFor`` of a pod."""
    uid = live.get("Pod", f"default/{pod}")["metadata"]["uid"]
    return {"resource": "pods", "name": pod, "uid": uid}


def group_user(live: Live, group: str) -> Entry:
    """Give the entry of ``reservedFor`` of a PodGroup."""
    uid = live.get("PodGroup", f"default/{group}")["metadata"]["uid"]
    return {"apiGroup": SCHEDULING, "resource": "podgroups", "name": group, "uid": uid}


def allocating(
    live: Live, site: Site, claim: str, rows: Sequence[Object] | None, *users: Entry
) -> Allocating:
    """Give a claim that gets devices (None: it has them) and users."""
    obj = live.get("ResourceClaim", f"default/{claim}")
    made = None if rows is None else allocation_of(site.world(), obj, rows, "n0")
    return Allocating(f"default/{claim}", obj["metadata"]["uid"], made, users)


def placing(live: Live, pod: str, group: str = "", node: str = "n0") -> Placing:
    """Give a pod that gets a node."""
    uid = live.get("Pod", f"default/{pod}")["metadata"]["uid"]
    return Placing(f"default/{pod}", uid, node, "", f"default/{group or pod}", "minimum")


def falling(live: Live, pod: str, *, whole: str = "") -> Falling:
    """Give a pod that is evicted."""
    uid = live.get("Pod", f"default/{pod}")["metadata"]["uid"]
    name = f"default/{pod}"
    return Falling(name, uid, "n0", name, "pod", ours=True, whole=whole and f"default/{whole}")


def flight(
    *allocatings: Allocating, placings: Sequence[Placing] = (), fallings: Sequence[Falling] = ()
) -> Flight:
    """Give a flight."""
    return Flight("key", 0, (), tuple(placings), tuple(fallings), allocatings)


def bind(live: Live, pod: str, node: str = "n0") -> None:
    """Bind a pod by hand."""
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod}, "target": target}
    live.admin.post(POD.path("default", pod, "binding"), body)


def delete(live: Live, pod: str) -> None:
    """Delete a pod at once."""
    live.admin.delete(POD.path("default", pod), {"gracePeriodSeconds": 0})


def status(live: Live, claim: str) -> Object:
    """Status of a claim."""
    return dict(live.get("ResourceClaim", f"default/{claim}").get("status") or {})


def devices(live: Live, claim: str) -> list[str]:
    """Devices of a claim."""
    found = status(live, claim).get("allocation") or {"devices": {"results": []}}
    return sorted(result["device"] for result in found["devices"]["results"])


def reserved(live: Live, claim: str) -> list[str]:
    """Names of the users of a claim."""
    return sorted(entry["name"] for entry in status(live, claim).get("reservedFor") or ())


def give(live: Live, site: Site, claim: str, rows: Sequence[Object], *users: Entry) -> None:
    """Allocate a claim by the administrator's hands, as some other scheduler would."""
    path = live.served["ResourceClaim"].path("default", claim)
    made = allocating(live, site, claim, rows).allocation
    finalizers = ["resource.kubernetes.io/delete-protection"]
    live.admin.patch(path, {"metadata": {"finalizers": finalizers}})
    live.admin.patch(f"{path}/status", {"status": {"allocation": made, "reservedFor": list(users)}})
