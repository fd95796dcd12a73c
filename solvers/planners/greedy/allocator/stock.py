"""Stock: which devices a node reaches, and what is taken of those that several nodes reach.

Most nodes are *closed*: their devices, and the counters of these, are theirs alone. The others
share devices of zones, or counters; what one takes there, others lack, so it is on a ledger.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.claims import ALL, Claims
from gangplan.models.devices import Devices
from gangplan.models.instance import Instance
from gangplan.solvers.planners.greedy.allocator.counts import Kinds
from gangplan.solvers.planners.greedy.allocator.supply import Thing

Rows = tuple[tuple[int, int], ...]
"""(choice b, device i) of devices given."""


class Stock:
    """What an instance says of its devices, in the order that allocators ask for it."""

    def __init__(self, instance: Instance, kind: Sequence[int], kinds: Kinds) -> None:
        devices, claims = instance.devices, instance.claims
        self.kind, self.kinds = kind, kinds
        self.multi: list[bool] = devices.multi.tolist()
        self.taken: list[bool] = devices.taken.tolist()
        self.zone: list[int] = devices.zone.tolist()
        self.zones = devices.zones
        self.draws = _lists(
            len(devices), devices.draw_device, devices.draw_counter, devices.draw_amount
        )
        self.pots = [
            tuple(free for _, free in mine)
            for mine in _lists(len(devices), devices.pot_device, devices.pot_free, devices.pot_free)
        ]
        self.values = _lists(
            len(devices), devices.trait_device, devices.trait_attribute, devices.trait_value
        )
        self.admin: list[bool] = claims.choice_admin.tolist()
        self.left: list[int] = devices.counter_free.tolist()
        # A device that somebody holds matters to admin and ALL choices alone.
        holds = claims.choice_admin[:, None] | (claims.choice_count == 0)[:, None]
        seen = np.zeros(len(devices), dtype=np.bool_)
        if len(claims.asks):
            seen = (claims.asks & (holds | ~devices.taken)).any(axis=0)
        self.in_zone = _on_nodes(len(devices.zones), devices.zone, seen)
        # What shared claims take of zones alone is nothing to the allocator of a node.
        near = seen & _near(instance)
        self.on_node = _on_nodes(len(instance.nodes), devices.node, near)
        self._near_in_zone = _on_nodes(len(devices.zones), devices.zone, near)
        self.open = self._open(instance, near)
        barred = claims.barred
        self.barred = (
            [
                frozenset(np.flatnonzero(barred[:, n]).tolist())
                if len(barred)
                else frozenset[int]()
                for n in range(len(instance.nodes))
            ]
            if barred.any()
            else [frozenset[int]()] * len(instance.nodes)
        )

    def _open(self, instance: Instance, seen: Flags) -> Flags:
        """(N,) nodes that share devices or counters with others."""
        devices = instance.devices
        open_nodes = np.zeros(len(instance.nodes), dtype=np.bool_)
        far = np.unique(devices.zone[seen & (devices.zone >= 0)])
        if len(far):
            open_nodes |= devices.zones[far].any(axis=0)
        drawn = seen[devices.draw_device]
        where = devices.node[devices.draw_device[drawn]]
        counter = devices.draw_counter[drawn]
        low = np.full(len(devices.counter_free), len(instance.nodes), dtype=np.int64)
        high = np.full(len(devices.counter_free), -2, dtype=np.int64)
        np.minimum.at(low, counter, where)
        np.maximum.at(high, counter, where)
        wide = (low < high)[counter] & (where >= 0)
        open_nodes[where[wide]] = True
        return open_nodes

    def reached(self, node: int) -> list[int]:
        """Devices of the node, and of its zones, for the claims that are allocated there."""
        found = list(self.on_node[node])
        for z in np.flatnonzero(self.zones[:, node]).tolist() if len(self.zones) else ():
            found += self._near_in_zone[z]
        return found


class Ledger:
    """What is taken, by whoever took it, of devices and counters that several nodes share."""

    def __init__(self, stock: Stock) -> None:
        self._stock = stock
        self._holders: dict[int, int] = {}
        self._drawn: dict[int, int] = {}
        self._used: dict[int, dict[int, int]] = {}

    def book(self, rows: Iterable[tuple[int, int]], sign: int = 1) -> None:
        """Take devices (``sign`` 1), or give them back (-1)."""
        stock = self._stock
        for choice, device in rows:
            if stock.admin[choice]:
                continue
            before = self._holders.get(device, 0)
            self._holders[device] = before + sign
            # Draws are charged with the first share, and freed with the last.
            if (before, sign) in ((0, 1), (1, -1)):
                for counter, amount in stock.draws[device]:
                    self._drawn[counter] = self._drawn.get(counter, 0) + sign * amount
            used = self._used.setdefault(device, {})
            for pot, amount in stock.kinds.uses.get((choice, stock.kind[device]), ()):
                used[pot] = used.get(pot, 0) + sign * amount

    def hold(
        self,
        devices: Iterable[int],
        counters: Iterable[tuple[int, int]],
        pots: Iterable[tuple[int, int, int]],
        sign: int,
    ) -> None:
        """Take what running work holds (``sign`` 1), or give it back (-1).

        Parameters
        ----------
        counters : (counter, amount): the draws of the devices, and nothing beside.
        pots : (device, position of the pot there, amount).
        """
        for device in devices:
            self._holders[device] = self._holders.get(device, 0) + sign
        for counter, amount in counters:
            self._drawn[counter] = self._drawn.get(counter, 0) + sign * amount
        for device, at, amount in pots:
            used = self._used.setdefault(device, {})
            used[at] = used.get(at, 0) + sign * amount

    def spares(
        self,
        devices: Iterable[int],
        counters: Iterable[tuple[int, int]],
        pots: Iterable[tuple[int, int, int]],
    ) -> bool:
        """Tell whether so much could be held besides."""
        return (
            not any(self._holders.get(device, 0) for device in devices)
            and all(
                self._drawn.get(counter, 0) + amount <= self._stock.left[counter]
                for counter, amount in counters
            )
            and all(
                self._used.get(device, {}).get(at, 0) + amount <= self._stock.pots[device][at]
                for device, at, amount in pots
            )
        )

    def things(self, devices: Iterable[int]) -> tuple[list[Thing], dict[int, int]]:
        """Devices as they are now, and what is left of their counters."""
        stock = self._stock
        things: list[Thing] = []
        left: dict[int, int] = {}
        for i in devices:
            held, multi = self._holders.get(i, 0) > 0, stock.multi[i]
            draws = () if held or stock.taken[i] else stock.draws[i]
            for counter, _ in draws:
                left[counter] = stock.left[counter] - self._drawn.get(counter, 0)
            used = self._used.get(i, {})
            things.append(
                Thing(
                    i,
                    stock.kind[i],
                    not (held or stock.taken[i]) or multi,
                    multi,
                    draws,
                    tuple(free - used.get(at, 0) for at, free in enumerate(stock.pots[i])),
                    stock.values[i],
                )
            )
        return things, left


def reach_of(
    stock: Stock, claims: Claims, devices: Devices, given: Sequence[tuple[int, int]]
) -> Flags:
    """(N,) nodes whose pods may use a claim that has these (choice, far device)."""
    reach = np.ones(claims.barred.shape[1], dtype=np.bool_)
    for b, i in given:
        reach &= stock.zones[stock.zone[i]] & ~claims.barred[b]
    for b in {b for b, _ in given if claims.choice_count[b] == ALL}:
        # Some user's node must reach exactly what was taken; so here all of them do.
        taken = {i for c, i in given if c == b}
        for n in np.flatnonzero(reach).tolist():
            seen = np.flatnonzero(claims.asks[b] & devices.reachable(n))
            reach[n] = set(seen.tolist()) == taken
    return reach


def _near(instance: Instance) -> Flags:
    """(I,) devices for own claims, and for shared ones that some device on a node can serve."""
    devices, claims = instance.devices, instance.claims
    near = np.zeros(len(devices), dtype=np.bool_)
    own = set(claims.own_spec.tolist())
    for s in range(claims.n_specs):
        asks = claims.asks[claims.choices_of(s)].any(axis=0)
        if s in own or (asks & (devices.node >= 0)).any():
            near |= asks
    return near


def _lists(n: int, device: Ints, left: Ints, right: Ints) -> list[tuple[tuple[int, int], ...]]:
    """(X,) pairs of columns, one list a device."""
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    at = np.searchsorted(device, np.arange(n + 1)).tolist()
    return [tuple(pairs[a:b]) for a, b in pairwise(at)]


def _on_nodes(n: int, place: Ints, seen: Flags) -> list[list[int]]:
    """Devices that matter, one list a place."""
    found: list[list[int]] = [[] for _ in range(n)]
    for i in np.flatnonzero(seen & (place >= 0)).tolist():
        found[int(place[i])].append(i)
    return found
