"""Dealt: which claims each node serves while a plan grows, and where shared claims are allocated.

On a closed node only the number of claims of each spec is kept; devices are dealt when the plan is
written down. On an open node, and for a shared claim over a zone, devices are dealt at once and
booked on a ledger, since others lack them from then on.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.solvers.planners.greedy.allocated import Site
from gangplan.solvers.planners.greedy.allocator.dealer import Dealer, Specs
from gangplan.solvers.planners.greedy.allocator.search import Given
from gangplan.solvers.planners.greedy.allocator.stock import reach_of
from gangplan.solvers.planners.greedy.holdings import Held, Holding

if TYPE_CHECKING:
    from gangplan.solvers.planners.greedy.book import Book

Served = dict[int, list[Given]]
"""Spec -> (choice b, device i) of each of its claims."""

NOWHERE: Ints = np.zeros(0, dtype=np.int64)


class Dealt:
    """Claims of a room; every change can be undone.

    Attributes
    ----------
    claims : of the instance.
    sites : shared claim c -> where it is allocated; claims that were allocated before included.
    """

    def __init__(self, book: "Book") -> None:
        self.claims = book.instance.claims
        self._devices = book.instance.devices
        self._n_nodes = len(book.instance.nodes)
        self._dealer: Dealer = book.dealer
        self._stock = book.stock
        self._own = book.own
        self._shared = book.common
        untouched, orders = book.untouched
        self._orders = list(orders)
        self._situation = untouched.copy()
        self._open: Flags = self._stock.open
        self._stale = np.zeros(self._n_nodes, dtype=np.bool_)
        self._ledger = book.holdings.ledger()
        self._held = Held(book.holdings)
        self._served: dict[int, Served] = {}
        self._users = [0] * self.claims.n_shared
        self._journal: list[tuple[int, int, Served | None, int]] = []
        self._masks: dict[tuple[bytes, ...], Flags] = {}
        self.sites: dict[int, Site] = {}
        for c, z in enumerate(self.claims.shared_zone.tolist()):
            if z >= 0:
                nodes = self._devices.zones[z]
                self.sites[c] = Site(nodes.tobytes(), nodes, -1, [])

    def mark(self) -> int:
        """Remember this moment."""
        return len(self._journal)

    def caps(self, specs: Specs, nodes: Ints) -> Ints:
        """(n,) how often the claims fit on each node besides, at most."""
        self._refresh(nodes)
        situation, at = np.unique(self._situation[nodes], return_inverse=True)
        caps = [self._dealer.cap(s, specs) for s in situation.tolist()]
        return np.array(caps, dtype=np.int64)[at.reshape(-1)]

    def slots(self, specs: Specs, node: int, wanted: int) -> int:
        """How often the claims fit on a node besides: exact, up to ``wanted``."""
        if self._stale[node]:
            self._refresh(np.array([node]))
        return self._dealer.slots(int(self._situation[node]), specs, wanted)

    def alone(self, role: int) -> bool:
        """Tell whether nodes take pods of the role from one another."""
        return bool(self._own[role]) and bool(self._open.any())

    def reach(self, role: int) -> Flags | None:
        """(N,) nodes that reach the shared claims of a role; None where it has none."""
        shared = self._shared[role]
        if not shared:
            return None
        if any(c not in self.sites for c in shared):
            return np.zeros(self._n_nodes, dtype=np.bool_)
        key = tuple(self.sites[c].key for c in shared)
        if key not in self._masks:
            self._masks[key] = np.logical_and.reduce([self.sites[c].nodes for c in shared])
        return self._masks[key]

    def left(self, role: int) -> int:
        """Pods of the role that may still reserve its shared claims."""
        limit = self.claims.shared_limit
        return min((int(limit[c]) - self._users[c] for c in self._shared[role]), default=2**40)

    def users(self, claim: int) -> int:
        """Return the number of new pods that use a shared claim."""
        return self._users[claim]

    def count_users(self, role: int, pods: int) -> None:
        """Count pods that were placed or, where negative, taken out."""
        for c in self._shared[role]:
            self._users[c] += pods

    def put(self, role: int, nodes: Ints, pods: Ints) -> Ints:
        """Serve the claims of pods; return other nodes that feel it."""
        specs = self._own[role]
        if not specs:
            return NOWHERE
        felt = False
        for node, count in zip(nodes.tolist(), pods.tolist(), strict=True):
            felt |= self._serve(node, specs, count)
        return np.flatnonzero(self._open) if felt else NOWHERE

    def _serve(self, node: int, specs: Specs, times: int) -> bool:
        before = int(self._situation[node])
        after = self._dealer.after(before, specs, times)
        if not self._open[node]:
            self._journal.append((node, before, None, -1))
            self._situation[node] = after
            return False
        if self._stale[node]:
            self._refresh(np.array([node]))
            before = int(self._situation[node])
            after = self._dealer.after(before, specs, times)
        held = self._served.get(node, {})
        self._journal.append((node, before, held, -1))
        self._situation[node] = after
        self._swap(node, held, self._named(node, after, held))
        return True

    def _named(self, node: int, situation: int, held: Served) -> Served:
        """Deal devices of a node, those that it holds already included, by their numbers."""
        order = self._orders[node]
        if self._open[node]:
            self._book(held, -1)
            _, order = self._class(node)
            self._book(held, 1)
        dealt = self._dealer.deal(situation)
        return {s: [[(b, order[d]) for b, d in each] for each in mine] for s, mine in dealt.items()}

    def _swap(self, node: int, old: Served, new: Served) -> None:
        self._book(old, -1)
        self._book(new, 1)
        self._served[node] = new
        self._stale |= self._open
        self._stale[node] = False

    def _book(self, served: Served, sign: int) -> None:
        for mine in served.values():
            for given in mine:
                self._ledger.book(given, sign)

    def _class(self, node: int) -> tuple[int, list[int]]:
        things, left = self._ledger.things(self._stock.reached(node))
        return self._dealer.class_of(things, left, self._stock.barred[node])

    def _refresh(self, nodes: Ints) -> None:
        """Look anew at nodes whose far devices others took or gave back."""
        for node in nodes[self._stale[nodes]].tolist():
            held = self._served.get(node, {})
            self._book(held, -1)
            of, _ = self._class(node)
            self._book(held, 1)
            specs = self._dealer.specs(int(self._situation[node]))
            self._situation[node] = self._dealer.situation(of, specs)
            self._stale[node] = False

    def allocate_at(self, claim: int, node: int) -> Ints | None:
        """Allocate a shared claim with devices of one node; return nodes that feel it, or None."""
        specs = ((int(self.claims.shared_spec[claim]), 1),)
        if not self.slots(specs, node, 1):
            return None
        felt = self._serve(node, specs, 1)
        nodes = np.zeros(self._n_nodes, dtype=np.bool_)
        nodes[node] = True
        self._settle(claim, Site(nodes.tobytes(), nodes, node, []))
        return np.flatnonzero(self._open) if felt else np.array([node])

    def allocate_over(self, claim: int, nodes: Flags) -> Ints | None:
        """Allocate a shared claim with devices that all the nodes reach; as ``allocate_at``."""
        spec = int(self.claims.shared_spec[claim])
        stock = self._stock
        zones = np.flatnonzero((stock.zones | ~nodes).all(axis=1)).tolist()
        things, left = self._ledger.things(i for z in zones for i in stock.in_zone[z])
        barred = self.claims.barred[:, nodes]
        for bars in (barred.any(axis=1), barred.all(axis=1)):
            of, order = self._dealer.class_of(
                things, left, frozenset(np.flatnonzero(bars).tolist())
            )
            situation = self._dealer.situation(of, ((spec, 1),))
            if self._dealer.fits(situation):
                given = [(b, order[d]) for b, d in self._dealer.deal(situation)[spec][0]]
                reach = reach_of(self._stock, self.claims, self._devices, given)
                if reach.any():
                    self._ledger.book(given)
                    self._settle(claim, Site(reach.tobytes(), reach, -1, given))
                    self._stale |= self._open
                    return np.flatnonzero(self._open)
        return None

    def fall(self, units: Ints) -> Ints:
        """Give back what is held by pods of units that fall; return nodes that feel it."""
        return self._hold(self._held.fall(units), -1)

    def stand(self, units: Ints) -> Ints:
        """Take back ``fall``."""
        return self._hold(self._held.stand(units), 1)

    def _hold(self, holdings: Sequence[Holding], sign: int) -> Ints:
        felt: set[int] = set()
        for holding in holdings:
            holding.book(self._ledger, sign)
            felt.update(holding.nodes)
            if holding.far:
                self._stale |= self._open
                felt.update(np.flatnonzero(self._open).tolist())
        for node in felt:
            if not self._open[node]:
                self._look(node)
        return np.array(sorted(felt), dtype=np.int64)

    def _look(self, node: int) -> None:
        """Look anew at a closed node whose running work has come or gone."""
        specs = self._dealer.specs(int(self._situation[node]))
        of, self._orders[node] = self._held.look(node, self._class)
        self._situation[node] = self._dealer.situation(of, specs)

    def spares(self, units: Ints) -> bool:
        """Tell whether units that have fallen could have back what they held."""

        def serves(node: int) -> bool:
            of, _ = self._class(node)
            specs = self._dealer.specs(int(self._situation[node]))
            return self._dealer.fits(self._dealer.situation(of, specs))

        return self._held.spares(units, self._ledger, serves)

    def _settle(self, claim: int, site: Site) -> None:
        self._journal.append((-1, -1, None, claim))
        self.sites[claim] = site

    def undo(self, mark: int) -> Ints:
        """Go back to a remembered moment; return nodes that feel it."""
        felt = False
        nodes: list[int] = []
        while len(self._journal) > mark:
            node, situation, held, claim = self._journal.pop()
            if claim >= 0:
                site = self.sites.pop(claim)
                self._ledger.book(site.given, -1)
                felt |= bool(site.given)
                continue
            nodes.append(node)
            self._situation[node] = situation
            if held is not None:
                self._swap(node, self._served[node], held)
                felt = True
        if felt:
            self._stale |= self._open
            return np.union1d(np.flatnonzero(self._open), np.array(nodes, dtype=np.int64))
        return np.array(sorted(set(nodes)), dtype=np.int64)

    def asks(self, roles: Ints) -> Flags:
        """Tell which of some roles have claims for each pod."""
        return np.isin(roles, [k for k, specs in enumerate(self._own) if specs])

    def served(self, node: int) -> Served:
        """Devices of the claims that a node serves; lists that the caller may use up."""
        if self._open[node]:
            return {s: list(mine) for s, mine in self._served[node].items()}
        return self._named(node, int(self._situation[node]), {})

    def open_claims(self, roles: Sequence[int]) -> list[int]:
        """Shared claims of some roles that are not allocated yet."""
        return sorted({c for k in roles for c in self._shared[k] if c not in self.sites})

    def sited(self, roles: Sequence[int]) -> tuple[bytes, ...]:
        """Where the shared claims of some roles are allocated."""
        shared = [c for k in roles for c in self._shared[k]]
        return tuple(self.sites[c].key if c in self.sites else b"" for c in shared)
