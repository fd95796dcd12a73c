"""Device kinds: devices that no selector, toleration or capacity request can tell apart.

Only what some selector of the instance reads makes a kind: drivers publish a uuid for each device.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.datasets.kubernetes.assemble.devices.capacity import qualified
from gangplan.datasets.kubernetes.assemble.devices.inventory import Inventory
from gangplan.datasets.kubernetes.cel import Reads
from gangplan.datasets.kubernetes.devicerecords import DeviceRecord
from gangplan.datasets.kubernetes.records import Taint
from gangplan.models.arrays import Ints


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind, shown by one of its devices."""

    driver: str
    record: DeviceRecord
    taints: frozenset[Taint]


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """(I,) kind of each device, and the kinds in the order of their first device."""

    of: Ints
    kinds: Sequence[Kind]


def kinds_of(inventory: Inventory, reads: Reads, requested: Iterable[str]) -> Kinds:
    """Divide the devices.

    Parameters
    ----------
    reads : what selectors read.
    requested : capacities that requests name.
    """
    bare = sorted(set(requested))
    number: dict[Hashable, int] = {}
    kinds: list[Kind] = []
    of = np.empty(len(inventory), dtype=np.int64)
    known: dict[str, list[str]] = {}
    rows = zip(inventory.pools, inventory.records, inventory.taints, strict=True)
    for i, (pool, device, taints) in enumerate(rows):
        driver = pool.driver
        if driver not in known:
            known[driver] = sorted({qualified(name, driver) for name in bare})
        capacity = device.capacity
        key = (
            driver,
            device.multi,
            taints,
            reads.of(device, driver),
            # A device that is shared gives of all its capacities, asked for or not.
            tuple(sorted(capacity.items()))
            if device.multi
            else tuple([capacity.get(name) for name in known[driver]]),
        )
        kind = number.setdefault(key, len(kinds))
        if kind == len(kinds):
            kinds.append(Kind(driver, device, taints))
        of[i] = kind
    return Kinds(of, kinds)
