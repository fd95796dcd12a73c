"""Relief: take a few gangs out, let come back who then can, and make room for them again.

Large neighbourhood search (Shaw 1998) over placements and victims together: what was cheap for one
gang after the other is not always cheap for all of them.
"""

from collections.abc import Iterable
from time import perf_counter

import numpy as np

from gangplan.models.losses import lost_tiers
from gangplan.models.tiers import Tier, worth_of
from gangplan.solvers.planners.greedy.orders import Unit
from gangplan.solvers.planners.greedy.preempt import Preemptor

IDLE = 6
"""Rounds a gang without improvement, after which the search ends; LEAST in all."""

LEAST = 60

NOISE = 0.3
"""Spread of the logarithms of weights."""

MOST = 4
"""Gangs taken out at once, and waiting ones that join them, at most."""


class Relief:
    """Improves who is admitted and who falls for it, with what the room holds before elastic pods.

    Parameters
    ----------
    units : all root units of the run.
    tiers : the objective.
    """

    def __init__(self, preemptor: Preemptor, units: list[Unit], tiers: tuple[Tier, ...]) -> None:
        self._preemptor = preemptor
        self.forest = preemptor.forest
        self.book, self.room = self.forest.book, self.forest.room
        instance = self.book.instance
        roles = instance.roles
        pooled = set(roles.group[(roles.share > 0) | (roles.whole > 0)].tolist())
        pooled |= set(roles.group[instance.claims.user_role].tolist())
        gangs = [u for u in units if u.kind == "gang" and u.number not in pooled]
        self._inside = [u for u in gangs if self.forest.placed(u.number)]
        self._waiting = [u for u in gangs if not self.forest.placed(u.number)]
        counted = [tier for tier in tiers if tier.kind in ("lost", "admitted")]
        own = [tier for mine in lost_tiers(instance).values() for tier in mine]
        # The tiers may be those of a larger instance: what nobody here can lose stays 0.
        self._lost = [
            own.index(tier) if tier in own else -1 for tier in counted if tier.kind == "lost"
        ]
        self._kinds = [tier.kind for tier in counted]
        self._worth = [
            worth_of(instance, tier, self.book.needs).group
            for tier in counted
            if tier.kind == "admitted"
        ]
        self._draws = np.random.default_rng(0)

    def run(self, until: float) -> None:
        """Go on until nothing improves for a while, or until ``perf_counter`` says so."""
        idle, most = 0, max(IDLE * (len(self._inside) + len(self._waiting)), LEAST)
        while self._inside and idle < most and perf_counter() < until and self._movable():
            idle = 0 if self._round(self._drawn()) else idle + 1

    def _movable(self) -> bool:
        return bool(self._waiting or (self.room.evictions and self.room.evictions.fallen))

    def _drawn(self) -> list[Unit]:
        """Draw a gang and a few others, near it as often as anywhere."""
        seed = self._inside[int(self._draws.integers(len(self._inside)))]
        others = self._inside
        levels = sorted(self.forest.placer.required_levels(seed.number))
        if levels and self._draws.random() < 0.5:
            domain = self.book.instance.topology.domain[
                levels[int(self._draws.integers(len(levels)))]
            ]
            home = domain[self.room.home(seed.number)]
            others = [u for u in others if domain[self.room.home(u.number)] == home]
        number = int(self._draws.integers(MOST))
        chosen = self._draws.permutation(len(others))[:number]
        return list(dict.fromkeys([seed, *(others[i] for i in chosen)]))

    def _round(self, out: list[Unit]) -> bool:
        """Take gangs out and make room anew; keep it where it is no worse, tell if it is better."""
        mark, known = self.room.mark(), self.forest.placer.forget()
        before = self._value(out)
        for unit in out:
            self.room.release(unit.number)
        self._preemptor.forget()
        self._preemptor.reprieve()
        joining = self._draws.permutation(len(self._waiting))[:MOST]
        self._preemptor.weight = self.book.falls.weight * self._draws.lognormal(
            0.0, NOISE, len(self.book.falls.weight)
        )
        units = self._order([*out, *(self._waiting[i] for i in joining)])
        entered = [u for u in units if self._preemptor.admit(u.number)]
        self._preemptor.reprieve()
        found = self._value(entered)
        if found < before:
            self.room.undo(mark)
            self.forest.placer.remember(known)
            return False
        gone, back = set(out), set(entered)
        self._inside = [u for u in self._inside if u not in gone] + entered
        self._waiting = [u for u in [*self._waiting, *out] if u not in back]
        return found > before

    def _order(self, units: list[Unit]) -> list[Unit]:
        """Sort by rank, then the heavy first, with noise."""
        noise = self._draws.lognormal(0.0, 0.5, len(units))
        keyed = [(-u.rank, -u.size * x) for u, x in zip(units, noise, strict=True)]
        return [units[i] for i in sorted(range(len(units)), key=keyed.__getitem__)]

    def _value(self, units: Iterable[Unit]) -> tuple[int, ...]:
        """Return what counts, to be maximised: of admissions, those of some gangs alone."""
        numbers = [u.number for u in units]
        cost = (*self._preemptor.cost(), 0)
        lost, worth = iter(self._lost), iter(self._worth)
        return tuple(
            -cost[next(lost)] if kind == "lost" else int(next(worth)[numbers].sum())
            for kind in self._kinds
        )
