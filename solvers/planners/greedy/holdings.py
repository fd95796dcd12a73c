"""Holdings: devices that running work holds, on the ledger until their users have fallen.

A holding of a shared claim comes free only where nobody can use the claim in the same plan: its
groups wait for other reasons, or lose the pods that used it.
"""

from collections.abc import Callable
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


class Held:
    """Which holdings are free while a plan grows."""

    def __init__(self, holdings: Holdings) -> None:
        self._holdings = holdings
        self._standing = [len(holding.users) for holding in holdings.all]

    def fall(self, units: Ints) -> list[Holding]:
        """Count units out; return what comes free."""
        freed = []
        for v in units.tolist():
            for h in self._holdings.of_unit[v]:
                self._standing[h] -= 1
                if self._is_free(h):
                    freed.append(self._holdings.all[h])
        return freed

    def stand(self, units: Ints) -> list[Holding]:
        """Count units in; return what is held again."""
        held = self._again(units)
        for v in units.tolist():
            for h in self._holdings.of_unit[v]:
                self._standing[h] += 1
        return held

    def look(
        self, node: int, seen: Callable[[int], tuple[int, list[int]]]
    ) -> tuple[int, list[int]]:
        """Return class and order of devices of a closed node, worked out once."""
        key = (node, tuple(h for h in self._holdings.at_node[node] if self._is_free(h)))
        if key not in self._holdings.looks:
            self._holdings.looks[key] = seen(node)
        return self._holdings.looks[key]

    def spares(self, units: Ints, ledger: Ledger, serves: Callable[[int], bool]) -> bool:
        """Tell whether units could have back what they held; closed nodes still ``serve``."""
        booked: list[Holding] = []
        fits = True
        for holding in self._again(units):
            fits = holding.fits(ledger)
            if not fits:
                break
            holding.book(ledger, 1)
            booked.append(holding)
        fits = fits and all(serves(n) for n in sorted({n for one in booked for n in one.nodes}))
        for holding in booked:
            holding.book(ledger, -1)
        return fits

    def _again(self, units: Ints) -> list[Holding]:
        """Return holdings that are no longer free when these units stand."""
        mine = {h for v in units.tolist() for h in self._holdings.of_unit[v]}
        return [self._holdings.all[h] for h in sorted(mine) if self._is_free(h)]

    def _is_free(self, holding: int) -> bool:
        return self._standing[holding] == 0 and self._holdings.all[holding].comes_free


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
