"""Greedy runs: one in each style, then a few more that favour what failed; the best plan stays.

The last part is squeaky wheel optimisation (Joslin and Clements 1999): what did not fit goes first
the next time, inside its priority.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import inf
from time import perf_counter

import numpy as np

from gangplan.models.gone import loosened, without_units
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.tiers import Tier, better, values
from gangplan.models.victims import victims_of
from gangplan.solvers.planners.greedy.allocator.search import STEPS
from gangplan.solvers.planners.greedy.attempt import Attempt
from gangplan.solvers.planners.greedy.balanced import balanced_plan, suits
from gangplan.solvers.planners.greedy.book import book_of
from gangplan.solvers.planners.greedy.orders import NO_BLAME, Unit, styles, units_of
from gangplan.solvers.planners.greedy.style import Style
from gangplan.solvers.reprieve import reprieved

SECONDS = 1.0
"""Time after which no further run is begun; the first one may take longer."""

LEAST = 0.3
"""Seconds that a first run has in any case: a plan of nothing helps nobody."""

ROUNDS = 8
"""Runs that favour what failed, at most."""

CALM = 0.1
"""Part of the time for plans without evictions, where some are possible."""

CROWDED = 0.7
"""Where groups that may evict ask more of what there is, the better packing comes first."""

STYLES = 0.5
"""Part of the time for runs in other styles; the rest is for repacking what the best one left.

Half of it where somebody may fall: there, moving gangs gains more.
"""


def greedy_plan(
    instance: Instance, tiers: tuple[Tier, ...], seconds: float = SECONDS, most: float = inf
) -> Plan:
    """Return the lexicographically best plan of several greedy runs.

    Every plan keeps all rules by construction: a step that breaks one is taken back. The result
    depends on the clock only through the number of runs and of repackings, and where ``most`` ends
    the first run.

    Parameters
    ----------
    tiers : the objective; decides the order of units and which plan is best.
    seconds : no run is begun that would not end by then, judged by the longest so far.
    most : seconds, at least LEAST, after which a run, the first one too, places no more minima.
    """
    return greedy_runs(instance, tiers, seconds, most)[0]


def greedy_runs(
    instance: Instance, tiers: tuple[Tier, ...], seconds: float = SECONDS, most: float = inf
) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan of ``greedy_plan``, and sentences on what was given up on the way."""
    if not instance.n_pods or not len(instance.nodes):
        return empty_plan(instance), ()
    end = perf_counter() + max(most, LEAST)
    if not len(instance.running):
        runs = _search(instance, tiers, seconds, end)
        return _or_balanced(instance, tiers, runs), runs.warnings()
    begin = perf_counter()
    calm = _search(without_units(instance), tiers, CALM * seconds, end)
    if not victims_of(instance).evicts.any():
        return calm.plan, calm.warnings()
    runs = _search(instance, tiers, seconds + begin - perf_counter(), end)
    best = calm if better(tiers, calm.values, runs.values) else runs
    return reprieved(instance, best.plan), (*calm.warnings(), *runs.warnings())


def _or_balanced(instance: Instance, tiers: tuple[Tier, ...], runs: "_Runs") -> Plan:
    """Return the better of what the runs found and, where parts of devices are asked, another."""
    if not suits(instance):
        return runs.plan
    plan = balanced_plan(instance, tiers)
    return plan if better(tiers, values(instance, plan, tiers), runs.values) else runs.plan


def _search(instance: Instance, tiers: tuple[Tier, ...], seconds: float, end: float) -> "_Runs":
    """Run in one style after the other, then favour what failed."""
    runs = _Runs(instance, tiers, seconds, end)
    falls = len(instance.running) > 0
    for style in _with_together(instance, tiers) if falls else styles(tiers):
        if runs.late(STYLES / 2 if falls else STYLES):
            break
        runs.add(style)
    if falls:
        runs.improve()
    elif runs.failed and not runs.late():
        runs.add(runs.style, repack=True)
    blame: Counter[Unit] = Counter(runs.failed)
    for _ in range(ROUNDS):
        if not runs.failed or runs.late():
            break
        blame.update(runs.add(runs.style, blame))
    return runs


def _with_together(instance: Instance, tiers: tuple[Tier, ...]) -> Iterator[Style]:
    """Yield styles where somebody may fall, those with most promise first."""
    # Domains for their price come first, unless it matters more that they are filled well.
    priced = _asked(instance) < CROWDED
    found = sorted(styles(tiers), key=lambda style: priced and style.domain != "full")
    several = victims_of(instance).evicts.sum() > 1
    for number, style in enumerate(found, 1):
        if several:
            yield replace(found[0], together=number)
        yield style


def _asked(instance: Instance) -> float:
    """Return what groups that may evict ask, in parts of what is free once nobody else is there.

    Infinite where nobody may evict.
    """
    evicts, roles = victims_of(instance).evicts, instance.roles
    if not evicts.any():
        return inf
    mine = evicts[roles.group]
    asked = (roles.request[mine] * roles.wanted[mine, None].astype(np.float64)).sum(axis=0)
    free = loosened(instance).nodes.free.astype(np.float64).sum(axis=0)
    return float((asked / np.maximum(free, 1.0)).max(initial=0.0))


class _Runs:
    """The best plan so far, and the clock."""

    def __init__(
        self, instance: Instance, tiers: tuple[Tier, ...], seconds: float, end: float
    ) -> None:
        self._end = end
        self._begin = perf_counter()
        self._seconds = seconds
        self._longest = self._writing = 0.0
        self._best: Attempt | None = None
        self._tiers = tiers
        self._by_rank = all(len(tier.weights) <= 1 for tier in tiers)
        self._book = book_of(instance)
        self._units = units_of(self._book, tiers)
        self.plan = empty_plan(instance)
        self.style = Style()
        self.failed: list[Unit] = []
        self.values = values(instance, self.plan, tiers)

    def warnings(self) -> tuple[str, ...]:
        """Say which nodes the allocator gave up on: there, some claims may fit after all."""
        if not self._book.instance.claims:
            return ()
        dealer, nodes = self._book.dealer, self._book.instance.names.nodes
        first: dict[int, str] = {}
        for name, situation in zip(nodes, self._book.untouched[0].tolist(), strict=True):
            first.setdefault(dealer.class_number(situation), name)
        lost = Counter(
            first.get(dealer.class_number(s), "(one that shares devices with others)")
            for s in dealer.gave_up
        )
        return tuple(
            f"allocator gave up on node {name} and those like it after {STEPS} steps, "
            f"for {times} mixes of claims"
            for name, times in sorted(lost.items())
        )

    def late(self, part: float = 1.0) -> bool:
        """Tell whether another run would end after that part of the time."""
        spent = perf_counter() - self._begin
        return self._longest > 0.0 and spent + self._longest > part * self._seconds

    def add(
        self, style: Style, blame: Mapping[Unit, int] = NO_BLAME, repack: bool = False
    ) -> list[Unit]:
        """Run once more, keep the better plan; return what failed in this run."""
        start = perf_counter()
        attempt = Attempt(self._book, self._units, style, blame, self._tiers, self._end)
        if repack:
            # It still has to place elastic pods and to write its plan down.
            attempt.improve(self._by_rank, self._begin + self._seconds - 0.5 * self._longest)
        self._keep(attempt, style)
        if not repack:
            self._longest = max(self._longest, perf_counter() - start)
        return attempt.failed

    def improve(self) -> None:
        """Go on with the best run, where somebody may fall, as long as time is left."""
        if self._best:
            self._best.improve(self._by_rank, self._begin + self._seconds - 1.5 * self._writing)
            self._keep(self._best, self.style)

    def _keep(self, attempt: "Attempt", style: Style) -> None:
        start = perf_counter()
        plan = attempt.plan()
        found = values(self._book.instance, plan, self._tiers)
        if self._longest == 0.0 or better(self._tiers, found, self.values):
            self.plan, self.values, self.style = plan, found, style
            self.failed = attempt.failed
            self._best = attempt if attempt.room.evictions else None
        self._writing = max(self._writing, perf_counter() - start)
