"""The objects that a plan touches, found by following its names.

Nodes that get a pod; pods that get a node and pods that are evicted, with their PodGroups up to the
root of the tree and their claims; the devices that are given away and the classes asked for.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gangplan.cluster.world import Object
from gangplan.datasets.plan_fields import objects, text, texts

Find = Callable[[str, str], Object | None]
"""Gives an object by kind and ``namespace/name``."""

Device = tuple[str, str, str]
"""Driver, pool and name of a device."""


@dataclass(slots=True)
class Touched:
    """Names of what a plan touches, by kind, and devices that it gives away."""

    find: Find
    names: dict[str, set[str]] = field(
        default_factory=lambda: {
            kind: set()
            for kind in (
                "Node", "Pod", "PodGroup", "CompositePodGroup", "ResourceClaim", "DeviceClass"
            )
        }
    )  # fmt: skip
    devices: set[Device] = field(default_factory=set)

    def plan(self, document: Mapping[str, Any]) -> None:
        """Take every placement and every eviction of a plan."""
        for i, group in enumerate(objects("plan", "groups", document.get("groups"))):
            for entry in objects("plan", f"groups[{i}].pods", group.get("pods")):
                self.names["Node"].add(text("plan", "groups.pods.node", entry.get("node")))
                self._pod(text("plan", "groups.pods.pod", entry.get("pod")))
                self._rows(entry.get("claims", []))
        self._rows(document.get("shared_claims", []))
        for entry in objects("plan", "evictions", document.get("evictions", [])):
            for name in texts("plan", "evictions", entry.get("pods")):
                self._pod(name)

    def _rows(self, rows: Any) -> None:
        for row in objects("plan", "claims", rows):
            keys = ("driver", "pool", "device")
            driver, pool, device = (text("plan", f"claims.{k}", row.get(k)) for k in keys)
            self.devices.add((driver, pool, device))

    def _pod(self, name: str) -> None:
        self.names["Pod"].add(name)
        pod = self.find("Pod", name)
        if pod is None:
            return
        space = name.partition("/")[0]
        group_name = (pod["spec"].get("schedulingGroup") or {}).get("podGroupName")
        group = self._group(f"{space}/{group_name}") if group_name else None
        for claim in claims_of(pod, group):
            self._claim(f"{space}/{claim}")

    def _group(self, name: str) -> Object | None:
        group = self.find("PodGroup", name)
        if name in self.names["PodGroup"] or group is None:
            return group
        self.names["PodGroup"].add(name)
        space, above = name.partition("/")[0], group["spec"].get("parentCompositePodGroupName")
        while above and (full := f"{space}/{above}") not in self.names["CompositePodGroup"]:
            self.names["CompositePodGroup"].add(full)
            parent = self.find("CompositePodGroup", full)
            above = parent["spec"].get("parentCompositePodGroupName") if parent else None
        return group

    def _claim(self, name: str) -> None:
        if name in self.names["ResourceClaim"]:
            return
        self.names["ResourceClaim"].add(name)
        claim = self.find("ResourceClaim", name)
        asked = ((claim or {"spec": {}})["spec"].get("devices") or {}).get("requests") or ()
        for request in asked:
            for one in (request.get("exactly"), *(request.get("firstAvailable") or ())):
                if one and one.get("deviceClassName"):
                    self.names["DeviceClass"].add(one["deviceClassName"])


def claims_of(pod: Object, group: Object | None) -> Iterator[str]:
    """Name the ResourceClaims of a pod that are made, those of its PodGroup included."""
    for entry in pod["spec"].get("resourceClaims") or ():
        if entry.get("resourceClaimName"):
            yield entry["resourceClaimName"]
    for owner in (pod, group or {}):
        for made in (owner.get("status") or {}).get("resourceClaimStatuses") or ():
            if made.get("resourceClaimName"):
                yield made["resourceClaimName"]
    extended = (pod.get("status") or {}).get("extendedResourceClaimStatus")
    if extended:
        yield extended["resourceClaimName"]
