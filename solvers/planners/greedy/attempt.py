"""Attempt: one greedy run, from the highest rank down, and what moving gangs adds to it."""

from collections.abc import Mapping
from math import inf
from time import perf_counter

from gangplan.models.plan import Plan
from gangplan.models.tiers import Tier
from gangplan.solvers.planners.greedy.book import Book
from gangplan.solvers.planners.greedy.clearance import Clearance
from gangplan.solvers.planners.greedy.orders import NO_BLAME, Unit, ordered
from gangplan.solvers.planners.greedy.placer import Placer
from gangplan.solvers.planners.greedy.preempt import Preemptor
from gangplan.solvers.planners.greedy.relief import Relief
from gangplan.solvers.planners.greedy.repack import Repack
from gangplan.solvers.planners.greedy.room import Room
from gangplan.solvers.planners.greedy.style import Style
from gangplan.solvers.planners.greedy.trees import Forest


def run(
    book: Book,
    units: list[Unit],
    style: Style,
    blame: Mapping[Unit, int] = NO_BLAME,
    repack: tuple[bool, float] = (True, 0.0),
    tiers: tuple[Tier, ...] = (),
) -> tuple[Plan, list[Unit]]:
    """Place in one style; return the plan, and the gangs and trees that did not fit.

    ``repack``: see ``Attempt.improve``.
    """
    attempt = Attempt(book, units, style, blame, tiers)
    attempt.improve(*repack)
    return attempt.plan(), attempt.failed


class Attempt:
    """One greedy run, which can go on where it stopped.

    Parameters
    ----------
    tiers : the objective.
    deadline : of ``perf_counter``; who has not had their turn by then waits.
    """

    def __init__(
        self,
        book: Book,
        units: list[Unit],
        style: Style,
        blame: Mapping[Unit, int] = NO_BLAME,
        tiers: tuple[Tier, ...] = (),
        deadline: float = inf,
    ) -> None:
        self._units, self._tiers = units, tiers
        self.room = Room(book)
        self._forest = Forest(Placer(book, self.room, style))
        full = style.domain == "full"
        self._preemptor = Preemptor(self._forest, not full) if self.room.evictions else None
        clear = None
        if self._preemptor and style.together:
            clear = Clearance(self._preemptor, tiers, style.together)
        in_order = ordered(units, style, blame)
        self.failed = _minima(self._forest, self._preemptor, in_order, clear, deadline)

    def improve(self, by_rank: bool, until: float) -> None:
        """Move gangs about until then; trees are not moved.

        Parameters
        ----------
        by_rank : ranks outweigh payments; where somebody could fall, the tiers say what counts.
        """
        if not (self.failed or self.room.fallen) or perf_counter() >= until:
            return
        if self._preemptor:
            Relief(self._preemptor, self._units, self._tiers).run(until)
            self._preemptor.reprieve()
        else:
            Repack(self._forest, self._units, by_rank).run(until)
        placed = self._forest.placed
        self.failed = [u for u in self.failed if u.kind == "tree"]
        self.failed += [u for u in self._units if u.kind == "gang" and not placed(u.number)]

    def plan(self) -> Plan:
        """Return the plan with elastic pods: these come last, so that none costs an admission."""
        mark = self.room.mark()
        priorities = self._forest.book.instance.groups.priority
        for priority in sorted(set(priorities.tolist()), reverse=True):
            self._forest.extend(priority)
        plan = self.room.plan()
        if self._preemptor:
            self.room.undo(mark)
        return plan


def _minima(
    forest: Forest,
    preemptor: Preemptor | None,
    units: list[Unit],
    clear: Clearance | None,
    deadline: float,
) -> list[Unit]:
    """Place minima, and single pods; return the gangs and trees that did not fit, or were late."""
    failed = []
    rank: int | None = None
    for n, unit in enumerate(units):
        if perf_counter() >= deadline:
            failed += [late for late in units[n:] if late.kind != "loose"]
            break
        if preemptor and rank is not None and unit.rank < rank:
            # Before pods of their own priority or lower stand in their way.
            preemptor.reprieve(unit.rank)
        if clear and unit.rank != rank:
            clear.admit(u for u in units if u.rank == unit.rank)
        rank = unit.rank
        if unit.kind == "loose":
            forest.more(unit.number)
            if preemptor:
                preemptor.loose(unit.number)
        elif not _admitted(forest, preemptor, unit):
            failed.append(unit)
    if preemptor:
        preemptor.reprieve()
    return failed


def _admitted(forest: Forest, preemptor: Preemptor | None, unit: Unit) -> bool:
    if unit.kind == "gang":
        if forest.placed(unit.number):
            return True
        return (preemptor.admit if preemptor else forest.gang)(unit.number)
    return forest.tree(unit.number) or bool(preemptor and preemptor.tree(unit.number))
