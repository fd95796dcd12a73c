"""Which devices of claims count as GPUs, and which nodes have all of theirs free."""

from dataclasses import dataclass

import numpy as np

from gangplan.datasets.devices import Choice
from gangplan.datasets.kubernetes.assemble.devices.held import Held
from gangplan.datasets.kubernetes.assemble.devices.inventory import Inventory
from gangplan.datasets.kubernetes.assemble.room import is_gpu
from gangplan.datasets.kubernetes.devicerecords import ALL, SpecRecord
from gangplan.models.arrays import Flags
from gangplan.models.claims import MOST_RESULTS


@dataclass(frozen=True, slots=True, eq=False)
class Gpus:
    """GPUs among the devices of an inventory: by the name of the driver, as with resources.

    Attributes
    ----------
    mine : (I,) the driver gives GPUs.
    """

    inventory: Inventory
    mine: Flags

    def asked(self, record: SpecRecord, choices: list[Choice]) -> int:
        """Count the GPUs that the first choice of each request takes.

        ALL counts as the fewest devices that a node has for it. ``choices`` : the first ones.
        """
        total = 0
        for request, choice in zip(record.requests, choices, strict=True):
            first = request.choices[0]
            drivers = self.mine[choice.fits]
            if is_gpu(first.device_class) or (len(drivers) and drivers.all()):
                asks = choice.fits if choice.asks is None else choice.asks
                total += (
                    min(self.inventory.fewest(asks), MOST_RESULTS)
                    if first.count == ALL
                    else first.count
                )
        return total

    def nodes(self, held: Held) -> tuple[Flags, Flags]:
        """(N,) nodes with a GPU of their own, and those where somebody holds one."""
        node, mine = self.inventory.node, self.mine
        busy = np.array([key in held.consumed for key in self.inventory.keys], dtype=bool)
        has, used = (np.zeros(len(self.inventory.unsettled), dtype=np.bool_) for _ in range(2))
        has[node[mine & (node >= 0)]] = True
        used[node[mine & busy & (node >= 0)]] = True
        return has, used


def gpus_of(inventory: Inventory) -> Gpus:
    """Find the devices whose drivers give GPUs."""
    known = {driver: is_gpu(driver) for driver in {pool.driver for pool in inventory.pools}}
    mine = np.array([known[pool.driver] for pool in inventory.pools], dtype=np.bool_)
    return Gpus(inventory, mine)
