"""Devices: what ResourceSlices offer (resource.k8s.io, KEP-4381), as columns.

A device has one reach: the node it is on, or a zone, the set of nodes that reach it over a network.
Names, drivers and expressions are gone here; what a request may take is a row of `Claims.fits`.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints, at_least, below, flags, ints
from gangplan.models.errors import InstanceError


@dataclass(frozen=True, slots=True, eq=False)
class Devices:
    """Devices i in 0..I-1, with shared counters C, pots M and traits.

    Attributes
    ----------
    node : (I,) the node a device is on; -1 where it has a zone.
    zone : (I,) row of ``zones``; -1 where the device is on a node.
    zones : (Z, N) nodes of each zone.
    multi : (I,) allowMultipleAllocations: any number of claims may share it while its pots last.
    taken : (I,) somebody holds it, and it is not ``multi``: only adminAccess may have it too.
    counter_free : (C,) what is left of each shared counter of a pool, >= 0.
    draw_device, draw_counter, draw_amount : (D,) what a device draws from a counter once it is
        allocated to anybody, >= 1; sorted by device. A device that is held already has draws only
        where it can come free (``Running.freed_device``): what its holder draws is not in
        ``counter_free``.
    pot_device, pot_free : (M,) a pot is one capacity of a ``multi`` device, and what is left of it;
        sorted by device.
    trait_device, trait_attribute, trait_value : (T,) value of an attribute that some constraint
        compares, as a number: equal numbers are equal values of one type. A list has one row an
        element, a device without the attribute has none. Sorted by device, attribute.
    """

    node: Ints
    zone: Ints
    zones: Flags
    multi: Flags
    taken: Flags
    counter_free: Ints
    draw_device: Ints
    draw_counter: Ints
    draw_amount: Ints
    pot_device: Ints
    pot_free: Ints
    trait_device: Ints
    trait_attribute: Ints
    trait_value: Ints

    def __post_init__(self) -> None:
        """Check shapes and ranges."""
        i = len(np.asarray(self.node))
        self._columns(i, "node", "zone")
        self._flags(i, "multi", "taken")
        object.__setattr__(self, "zones", flags(self.zones, -1, -1, name="devices.zones"))
        self._columns(len(np.asarray(self.counter_free)), "counter_free")
        for prefix, parts in (
            ("draw", ("device", "counter", "amount")),
            ("pot", ("device", "free")),
            ("trait", ("device", "attribute", "value")),
        ):
            length = len(np.asarray(getattr(self, f"{prefix}_device")))
            self._columns(length, *(f"{prefix}_{part}" for part in parts))
            device = getattr(self, f"{prefix}_device")
            below(device, i, f"devices.{prefix}_device")
            at_least(np.diff(device), 0, f"devices.{prefix}_device (sorted)")
        for name in ("node", "zone"):
            at_least(getattr(self, name), -1, f"devices.{name}")
        for name in (
            "counter_free", "draw_device", "draw_counter", "pot_device", "pot_free",
            "trait_device", "trait_attribute", "trait_value",
        ):  # fmt: skip
            at_least(getattr(self, name), 0, f"devices.{name}")
        at_least(self.draw_amount, 1, "devices.draw_amount")
        below(self.zone, len(self.zones), "devices.zone")
        below(self.draw_counter, len(self.counter_free), "devices.draw_counter")
        if ((self.node >= 0) == (self.zone >= 0)).any():
            raise InstanceError("devices.node: a device is on one node, or has a zone")
        if (self.multi & self.taken).any():
            raise InstanceError("devices.taken: a device that may be shared is never taken")
        if not self.multi[self.pot_device].all():
            raise InstanceError("devices.pot_device: only a device that may be shared has pots")

    def __len__(self) -> int:
        """Return the number of devices I."""
        return len(self.node)

    @property
    def n_attributes(self) -> int:
        """Number of attributes that constraints compare."""
        return int(self.trait_attribute.max()) + 1 if len(self.trait_attribute) else 0

    def reachable(self, node: int) -> Flags:
        """(I,) devices that a pod on the node can use."""
        there: Flags = self.node == node
        far = self.zone >= 0
        if far.any():
            there[far] = self.zones[self.zone[far], node]
        return there

    def reach(self, device: int, n_nodes: int) -> Flags:
        """(N,) nodes that can use the device."""
        if self.zone[device] >= 0:
            nodes: Flags = self.zones[self.zone[device]]
            return nodes
        alone = np.zeros(n_nodes, dtype=np.bool_)
        alone[self.node[device]] = True
        return alone

    def _columns(self, length: int, *names: str) -> None:
        for name in names:
            column = ints(getattr(self, name), length, name=f"devices.{name}")
            object.__setattr__(self, name, column)

    def _flags(self, length: int, *names: str) -> None:
        for name in names:
            column = flags(getattr(self, name), length, name=f"devices.{name}")
            object.__setattr__(self, name, column)


def _none() -> Devices:
    none, no = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_)
    return Devices(none, none, np.zeros((0, 0), dtype=np.bool_), no, no, *[none] * 9)


NO_DEVICES = _none()
"""No device, for any number of nodes."""
