"""Holdings: devices that running work holds, on the ledger until their users have fallen.

A holding of a shared claim comes free only where nobody can use the claim in the same plan: its
groups wait for other reasons, or lose the pods that used it.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.victims import victims_of
from gangplan.solvers.planners.greedy.allocator.stock import Ledger, Stock

Amounts = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Holding:
    """What comes free when the last user falls.

    Attributes
    ----------
    users : units, each as often as it has pods among the users.
    devices, counters, pots : numbers; (number, amount); (device, position there, amount).
    nodes : closed nodes that feel it. ``far``: the open ones do.
    comes_free : whether it can.
    """

    users: tuple[int, ...]
    devices: tuple[int, ...]
    counters: Amounts
    pots: tuple[tuple[int, int, int], ...]
    nodes: tuple[int, ...]
    far: bool
    comes_free: bool

    def book(self, ledger: Ledger, sign: int) -> None:
        """Take it (``sign`` 1), or give it back (-1)."""
        ledger.hold(self.devices, self.counters, self.pots, sign)

    def fits(self, ledger: Ledger) -> bool:
        """Tell whether nobody else has its devices, and enough is left of the rest."""
        return ledger.spares(self.devices, self.counters, self.pots)


class Holdings:
    """All holdings that some eviction can free, and what nodes look like without some of them.

    Attributes
    ----------
    of_unit : V lists of holdings, each as often as the unit has pods among its users.
    at_node : closed node -> its holdings.
    looks : (closed node, holdings that are free) -> class and order of devices, as dealt.
    """

    def __init__(self, instance: Instance, stock: Stock) -> None:
        self._stock = stock
        running = instance.running
        self.all = _holdings(instance, stock.open) if len(running.hold_shared) else []
        self.of_unit: list[list[int]] = [[] for _ in range(len(running))]
        self.at_node: dict[int, list[int]] = {}
        self.looks: dict[tuple[int, tuple[int, ...]], tuple[int, list[int]]] = {}
        for h, holding in enumerate(self.all):
            for v in holding.users:
                self.of_unit[v].append(h)
            for n in holding.nodes:
                self.at_node.setdefault(n, []).append(h)

    def ledger(self) -> Ledger:
        """Return a ledger on which everything is held that running work holds."""
        ledger = Ledger(self._stock)
        for holding in self.all:
            holding.book(ledger, 1)
        return ledger


def _holdings(instance: Instance, is_open: Flags) -> list[Holding]:
    running, devices = instance.running, instance.devices
    can = victims_of(instance).can
    free = running.freed(np.flatnonzero(can))
    fine = free & ~_may_be_used(instance)
    first = np.searchsorted(devices.pot_device, devices.pot_device)
    found = []
    for h in np.flatnonzero(free).tolist():
        mine = running.freed_device[running.freed_hold == h]
        back, spare = running.back_hold == h, running.spare_hold == h
        counter, pot = running.back_counter[back], running.spare_pot[spare]
        drawing = devices.draw_device[np.isin(devices.draw_counter, counter)]
        felt = np.concatenate([mine, drawing, devices.pot_device[pot]])
        nodes = np.unique(devices.node[felt])
        nodes = nodes[nodes >= 0]
        at = (pot - first[pot]).tolist()
        found.append(
            Holding(
                tuple(running.pod_unit[running.user_pod[running.user_hold == h]].tolist()),
                tuple(mine.tolist()),
                _pairs(counter, running.back_amount[back]),
                tuple(
                    zip(
                        devices.pot_device[pot].tolist(),
                        at,
                        running.spare_amount[spare].tolist(),
                        strict=True,
                    )
                ),
                tuple(nodes[~is_open[nodes]].tolist()),
                bool((devices.node[felt] < 0).any() or is_open[nodes].any()),
                bool(fine[h]),
            )
        )
    return found


def _pairs(left: Ints, right: Ints) -> Amounts:
    return tuple(zip(left.tolist(), right.tolist(), strict=True))


def _may_be_used(instance: Instance) -> Flags:
    """(H,) allocations of claims that some group could use though all their users have fallen."""
    running, claims, root = instance.running, instance.claims, victims_of(instance).root
    blocked = instance.blocked[0]
    used = np.zeros(len(running.hold_shared), dtype=np.bool_)
    for h in np.flatnonzero(running.hold_shared >= 0).tolist():
        roles = claims.user_role[claims.user_shared == running.hold_shared[h]]
        groups = np.unique(instance.roles.group[roles])
        members = running.pod_group[running.user_pod[running.user_hold == h]]
        losing = root[members[members >= 0]]
        used[h] = (~blocked[groups] & ~np.isin(root[groups], losing)).any()
    return used
