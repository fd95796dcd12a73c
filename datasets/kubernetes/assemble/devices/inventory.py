"""Devices of all pools as columns: where they are, whether they may be allocated, their taints."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from gangplan.datasets.kubernetes.assemble.devices.pools import Pool
from gangplan.datasets.kubernetes.assemble.devices.reach import NOWHERE, Reach
from gangplan.datasets.kubernetes.assemble.devices.taints import Taints
from gangplan.datasets.kubernetes.assemble.holds import counted, some
from gangplan.datasets.kubernetes.devicerecords import DeviceRecord, Identity
from gangplan.datasets.kubernetes.records import Taint
from gangplan.models.arrays import Flags, Ints

ITSELF = "device"
"""Name of what is compared where a device counts as itself; attributes have a domain."""


# No slots: cached_property needs a __dict__.
@dataclass(frozen=True, eq=False)
class Inventory:
    """Devices that some node reaches, by driver, pool and name.

    Attributes
    ----------
    pools, records, taints : of each device.
    node, zone : (I,) as in `gangplan.models.devices.Devices`.
    mates : (I,) number of its slice where that leaves the nodes to each device; else -1.
    usable : (I,) its pool is whole, and all its fields are honoured.
    unsettled : (N,) nodes that reach a pool that is not whole: nobody knows what all
        devices are there.
    """

    pools: list[Pool]
    records: list[DeviceRecord]
    taints: list[frozenset[Taint]]
    node: Ints
    zone: Ints
    mates: Ints
    usable: Flags
    unsettled: Flags
    reach: Reach
    _carry: dict[str, Flags] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of devices."""
        return len(self.records)

    @cached_property
    def multi(self) -> Flags:
        """(I,) devices that allow multiple allocations."""
        return np.array([device.multi for device in self.records], dtype=np.bool_)

    @cached_property
    def keys(self) -> list[Identity]:
        """Driver, pool and name of each device."""
        pairs = zip(self.pools, self.records, strict=True)
        return [(pool.driver, pool.name, device.name) for pool, device in pairs]

    def name(self, device: int) -> str:
        """``driver/pool/device``."""
        return "/".join(self.keys[device])

    def names(self, devices: Flags) -> str:
        """Name a few devices."""
        return some([self.name(i) for i in np.flatnonzero(devices).tolist()])

    def nodes_of(self, devices: Flags) -> Flags:
        """(N,) nodes that reach one of the flagged devices."""
        reached = np.zeros(len(self.unsettled), dtype=np.bool_)
        node, zone = self.node[devices], self.zone[devices]
        reached[node[node >= 0]] = True
        for number in np.unique(zone[zone >= 0]).tolist():
            reached |= self.reach.zones[number]
        return reached

    def beside(self, devices: Flags) -> Flags:
        """(I,) the flagged devices, and all of slices that leave the nodes to each device."""
        mates = self.mates[devices]
        return devices | np.isin(self.mates, mates[mates >= 0])

    def carry(self, attribute: str) -> Flags:
        """(I,) devices that have an attribute, and a value of it."""
        if attribute not in self._carry:
            found = (device.attributes.get(attribute) for device in self.records)
            has = [one is not None and bool(one.values) for one in found]
            self._carry[attribute] = np.array(has, dtype=np.bool_)
        return self._carry[attribute]

    def fewest(self, devices: Flags) -> int:
        """Fewest of the flagged devices that a node reaches, of those that reach any."""
        node, zone = self.node[devices], self.zone[devices]
        count = np.bincount(node[node >= 0], minlength=len(self.unsettled))
        zones, times = np.unique(zone[zone >= 0], return_counts=True)
        for number, devices_there in zip(zones.tolist(), times.tolist(), strict=True):
            count += devices_there * self.reach.zones[number]
        return int(count[count > 0].min(initial=len(self)))


def inventory_of(
    pools: Sequence[Pool], reach: Reach, taints: Taints, notes: list[str]
) -> Inventory:
    """List the devices; tell of those that no node reaches, and of those not honoured."""
    owner: list[Pool] = []
    records: list[DeviceRecord] = []
    marks: list[frozenset[Taint]] = []
    places: list[tuple[int, int]] = []
    usable: list[bool] = []
    mates: list[int] = []
    number: dict[int, int] = {}
    unsettled = np.zeros(len(reach.number), dtype=np.bool_)
    lost: list[str] = []
    strange: defaultdict[str, list[str]] = defaultdict(list)
    for pool in pools:
        if pool.held and not pool.devices:
            for one in pool.slices:
                unsettled |= reach.of_slice(one)
        for device, inside in pool.devices:
            for path in device.unsupported:
                strange[path].append(f"{pool.full_name}/{device.name}")
            place = reach.place(device, inside)
            if place == NOWHERE:
                lost.append(f"{pool.full_name}/{device.name}")
                continue
            owner.append(pool)
            records.append(device)
            places.append(place)
            marks.append(taints.of(pool.driver, pool.name, device))
            usable.append(not pool.held and not device.unsupported)
            mates.append(number.setdefault(id(inside), len(number)) if inside.each else -1)
    if not pools:
        notes.append("no ResourceSlice in the sources: no claim gets a device")
    if lost:
        notes.append(
            f"{counted(len(lost), 'device')} that no node in the sources reaches: {some(lost)}"
        )
    notes += [
        f"unsupported {path} of {counted(len(names), 'device')}, not allocated: {some(names)}"
        for path, names in strange.items()
    ]
    table = np.array(places, dtype=np.int64).reshape(len(places), 2)
    columns = table[:, 0].copy(), table[:, 1].copy(), np.array(mates, dtype=np.int64)
    may = np.array(usable, dtype=np.bool_)
    found = Inventory(owner, records, marks, *columns, may, unsettled, reach)
    held = np.array([bool(pool.held) for pool in owner], dtype=np.bool_)
    return replace(found, unsettled=unsettled | found.nodes_of(held))
