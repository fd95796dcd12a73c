"""Devices that a cluster has, by name, as the API has them: slices of the newest generation."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gangplan.cluster.world import Object, World
from gangplan.datasets.kubernetes.text.quantity import exact

DeviceId = tuple[str, str, str]
"""Driver, pool, name."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device, and the ``spec`` of the ResourceSlice that it stands in."""

    entry: Object
    slice: Object

    @property
    def shared(self) -> bool:
        """Whether several claims may have a share of it (KEP-5075)."""
        return bool(self.entry.get("allowMultipleAllocations"))

    @property
    def node(self) -> str:
        """Name of the only node that reaches it; empty where others may."""
        where = self.entry if self.slice.get("perDeviceNodeSelection") else self.slice
        return str(where.get("nodeName") or "")

    @property
    def selector(self) -> Mapping[str, Any]:
        """Node selector of its reach; empty where it has none."""
        where = self.entry if self.slice.get("perDeviceNodeSelection") else self.slice
        found: Mapping[str, Any] = where.get("nodeSelector") or {}
        return found


@dataclass(frozen=True, slots=True)
class Inventory:
    """See the module.

    Attributes
    ----------
    devices : by name. counters : (driver, pool, counter set, counter) -> value (KEP-4815).
    """

    devices: Mapping[DeviceId, Device]
    counters: Mapping[tuple[str, str, str, str], Fraction]


def inventory(world: World) -> Inventory:
    """Read the ResourceSlices of a world; ``world.once(inventory)`` reads them once."""
    specs = [one["spec"] for one in world.objects.get("ResourceSlice", ())]
    newest: dict[tuple[str, str], int] = {}
    for spec in specs:
        key = (spec["driver"], spec["pool"]["name"])
        newest[key] = max(newest.get(key, 0), int(spec["pool"].get("generation", 0)))
    devices: dict[DeviceId, Device] = {}
    counters = {}
    for spec in specs:
        driver, pool = spec["driver"], spec["pool"]["name"]
        if int(spec["pool"].get("generation", 0)) < newest[driver, pool]:
            continue
        for entry in spec.get("devices") or ():
            devices[driver, pool, entry["name"]] = Device(entry, spec)
        for group in spec.get("sharedCounters") or ():
            for name, counter in group["counters"].items():
                counters[driver, pool, group["name"], name] = exact(counter["value"])
    return Inventory(devices, counters)
