"""Repack: empty one domain, fill it again in another order with what was there and what waits.

Large neighbourhood search (Shaw 1998) at its simplest: a greedy run leaves gaps that no waiting
gang fits; another mix of gangs in the same domain may close them. A repacked domain stays when the
admissions pay as much as before or more, so that the search can drift.
"""

from collections.abc import Iterable
from time import perf_counter

import numpy as np

from gangplan.solvers.planners.greedy.orders import Unit
from gangplan.solvers.planners.greedy.trees import Forest

IDLE = 4
"""Repackings a gang without improvement, after which the search ends."""

MOST = 40
"""Gangs taken out at once, and waiting gangs that join them, at most."""


class Repack:
    """Improves the admission of root gangs without shared devices and without shared claims.

    Parameters
    ----------
    forest : with the room of a finished run, before any elastic pod was placed.
    units : all root units of the run.
    by_rank : whether a higher rank outweighs everything below it; else payments simply add up.
    """

    def __init__(self, forest: Forest, units: list[Unit], by_rank: bool) -> None:
        self.forest = forest
        self.book = forest.book
        self.room = forest.room
        self._by_rank = by_rank
        roles = self.book.instance.roles
        pooled = set(roles.group[(roles.share > 0) | (roles.whole > 0)].tolist())
        pooled |= set(roles.group[self.book.instance.claims.user_role].tolist())
        gangs = [u for u in units if u.kind == "gang" and u.number not in pooled]
        self._inside = [u for u in gangs if forest.placed(u.number)]
        self._waiting = [u for u in gangs if not forest.placed(u.number)]
        self._draws = np.random.default_rng(0)

    def run(self, until: float) -> None:
        """Repack until nothing improves for a while, or until ``perf_counter`` says so."""
        idle, most = 0, IDLE * (len(self._inside) + len(self._waiting))
        while self._waiting and self._inside and idle < most and perf_counter() < until:
            idle = 0 if self._repack(self._neighbours()) else idle + 1

    def _neighbours(self) -> list[Unit]:
        """Draw a gang, and all that share a domain of one of its required levels."""
        seed = self._inside[int(self._draws.integers(len(self._inside)))]
        levels = sorted(self.forest.placer.required_levels(seed.number))
        homes = np.array([self.room.home(u.number) for u in self._inside])
        near = np.arange(len(homes))
        if levels:
            domain = self.book.instance.topology.domain[
                levels[int(self._draws.integers(len(levels)))]
            ]
            near = np.flatnonzero(domain[homes] == domain[self.room.home(seed.number)])
        chosen = self._draws.permutation(near)[:MOST]
        return [self._inside[i] for i in chosen]

    def _repack(self, out: list[Unit]) -> bool:
        """Take gangs out and place anew; keep it when it pays, tell whether it pays more."""
        mark = self.room.mark()
        for unit in out:
            self.room.release(unit.number)
        self.forest.placer.forget()
        joining = self._draws.permutation(len(self._waiting))[:MOST]
        units = self._order([*out, *(self._waiting[i] for i in joining)])
        entered = [unit for unit in units if self.forest.gang(unit.number)]
        gain = self._gain(entered, out)
        if gain < 0:
            self.room.undo(mark)
            return False
        gone = set(out)
        self._inside = [u for u in self._inside if u not in gone] + entered
        back = set(entered)
        self._waiting = [u for u in [*self._waiting, *out] if u not in back]
        return gain > 0

    def _order(self, units: list[Unit]) -> list[Unit]:
        """Sort the heavy first, with noise."""
        noise = self._draws.lognormal(0.0, 0.3, len(units))
        keyed = [(-u.rank, -u.each, -u.size * x) for u, x in zip(units, noise, strict=True)]
        return [units[i] for i in sorted(range(len(units)), key=keyed.__getitem__)]

    def _gain(self, entered: Iterable[Unit], left: Iterable[Unit]) -> int:
        """Change of the first tier that changes."""
        change: dict[int, int] = {}
        for sign, units in ((1, entered), (-1, left)):
            for unit in units:
                rank = unit.rank if self._by_rank else 0
                change[rank] = change.get(rank, 0) + sign * unit.pays
        return next((change[rank] for rank in sorted(change, reverse=True) if change[rank]), 0)
