"""One call of the anytime planner: the first plan, the race, the last check and the report."""

import os
import time
from dataclasses import dataclass, field, replace
from math import inf

from gangplan.models.formulation import WHOLE, Formulation, Kind
from gangplan.models.gone import without_units
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.result import Result, TierReport
from gangplan.models.shortage import Shortage
from gangplan.models.tiers import Tier, better, values
from gangplan.models.verify.check import check
from gangplan.solvers.base import Limits, Progress, Solver
from gangplan.solvers.crew.crew import Crew
from gangplan.solvers.explain.reasons import reasons
from gangplan.solvers.planners.anytime.carry import carried, forgotten
from gangplan.solvers.planners.anytime.choose import Chooser
from gangplan.solvers.planners.anytime.ledger import Ledger
from gangplan.solvers.planners.anytime.race import Race
from gangplan.solvers.planners.anytime.yesterday import Yesterday
from gangplan.solvers.planners.greedy import SECONDS, clean_plan, greedy_plan
from gangplan.solvers.planners.refuse import refuse_broken
from gangplan.solvers.search import Bound, Incumbent
from gangplan.solvers.staged import INTERRUPTED
from gangplan.solvers.standing import reports, standing
from gangplan.solvers.versions import versions

PROCESSES = 2
"""Processes that work, at most; each of one thread."""

QUICK = 0.1
"""Seconds for the first plan, or as many as the first greedy run takes."""

FIRST = 0.6
"""Part of the time after which the first greedy run is cut off, with the plan that it has."""

LONGER = 0.1
"""Part of the time for a better greedy plan, beside the rest; at most ``greedy.SECONDS``."""

RESERVE = 0.1
"""Seconds that are kept for the end, beside what a check and the reasons take."""

BEYOND = 0.1
"""Seconds past the limit that the reasons may take at the end."""

SHORT = 2.0
"""Seconds left below which nobody finds out what the reasons take."""


@dataclass(slots=True, eq=False)
class Run:
    """One call.

    Attributes
    ----------
    kinds : formulations, the first that takes the instance is used.
    began : of ``time.monotonic()``.
    counted : what counting says of groups that wait.
    """

    instance: Instance
    tiers: tuple[Tier, ...]
    solver: Solver
    kinds: tuple[Kind, ...]
    formulation: Formulation
    limits: Limits
    began: float
    progress: Progress
    second: bool = False
    previous: Plan | Yesterday | None = None
    warnings: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    counted: dict[int, Shortage | None] = field(default_factory=dict)
    interrupted: bool = False

    def result(self, about: dict[str, object]) -> Result:
        """Plan, check and report; ``about`` names the planner and its options."""
        self.progress("greedy", 0.0)
        kept = {"instance": self.instance, "tiers": self.tiers, "formulation": self.formulation}
        crew = Crew(processes(), kept, self.limits.memory)
        try:
            ledger = self._ledger()
            self.seconds["greedy"] = self._used()
            try:
                self._race(ledger, crew)
            except KeyboardInterrupt:
                self.interrupted = True
            crew.halt()
            return self._report(ledger, about)
        finally:
            crew.halt()
            crew.close()

    def _ledger(self) -> Ledger:
        """Begin with a verified plan: greedy, or the one given where that is better."""
        instance, limit = self.instance, min(QUICK, LONGER * self.limits.seconds)
        # A model without evictions cannot go on from a plan with some.
        first = instance if self.formulation.preemption else without_units(instance)
        start = greedy_plan(first, self.tiers, limit, FIRST * self.limits.seconds - self._used())
        start, more = clean_plan(instance, start, self.tiers, limit)
        self.warnings += more
        worth = values(instance, start, self.tiers)
        if self.previous is not None:
            known = self.previous
            if isinstance(known, Yesterday):
                known = carried(instance, given := known, self.tiers, limit)
                self.warnings += filter(None, [forgotten(instance, given, known)])
            known.fits(instance)
            before = values(instance, known, self.tiers)
            if better(self.tiers, before, worth) and not check(instance, known):
                start, worth = known, before
        return Ledger(instance, self.tiers, self.began, self.limits.gap, Incumbent(start, worth))

    def _race(self, ledger: Ledger, crew: Crew) -> None:
        instance, end = self.instance, self.began + self.limits.seconds
        race = Race(
            ledger,
            crew,
            Chooser(instance, self.tiers, self.limits.seed, crew.size),
            self.kinds,
            self.solver,
            replace(self.limits, threads=1),  # HiGHS cannot change it within a process
            end - RESERVE,
            lambda phase, _: self.progress(phase, self._used()),
            second=self.second,
            parts=self.formulation == WHOLE,
            greedy=min(SECONDS, LONGER * self.limits.seconds),
        )
        race.begin()
        race.until = end - self._reserve(ledger)
        race.run()

    def _reserve(self, ledger: Ledger) -> float:
        """Seconds that the last check and the report will take, at most a quarter of all.

        While the first jobs run there is time to find out.
        """
        if self.limits.seconds - self._used() > SHORT:
            # What counting says of groups is kept, and is not asked again at the end.
            self._reasons(ledger, self._reports(ledger, ledger.bounds))
        begin = time.monotonic()
        check(self.instance, ledger.best.plan)
        if self.counted:
            self._reasons(ledger, self._reports(ledger, ledger.bounds))
        spent = time.monotonic() - begin
        return min(RESERVE + 2 * spent, self.limits.seconds / 4)

    def _report(self, ledger: Ledger, about: dict[str, object]) -> Result:
        """Check the plan once more, and say what is proven and why groups wait."""
        solved = self._used()
        if self.interrupted:
            ledger.warnings.append(INTERRUPTED)
        else:
            self.progress("verify", solved)
        plan = ledger.best.plan
        refuse_broken(self.instance, plan, "anytime")
        kept = standing(
            self.tiers, ledger.best.values, ledger.bounds, ledger.counted, ledger.warnings
        )
        ledger.close(kept)
        tiers = self._reports(ledger, kept)
        certificates = tuple(bound.certificate for bound in kept if bound is not None)
        names = [self.solver.name, *(who.name for c in certificates for who in c.solvers)]
        left = max(0.0, self.limits.seconds - self._used()) + BEYOND
        why = self._reasons(ledger, tiers, left)
        greedy = self.seconds["greedy"]
        return Result(
            plan,
            tiers,
            "optimal" if all(tier.proven for tier in tiers) else "feasible",
            about,
            why,
            tuple(dict.fromkeys((*self.warnings, *ledger.warnings))),
            {
                "greedy": greedy,
                "build": 0.0,
                "solve": solved - greedy,
                "verify": self._used() - solved,
            },
            versions(names),
            certificates,
            tuple(ledger.trace),
        )

    def _reports(self, ledger: Ledger, bounds: list[Bound | None]) -> tuple[TierReport, ...]:
        return reports(self.tiers, ledger.best.values, bounds)

    def _reasons(
        self, ledger: Ledger, tiers: tuple[TierReport, ...], seconds: float = inf
    ) -> dict[int, str]:
        return reasons(self.instance, ledger.best.plan, tiers, self.counted, seconds)

    def _used(self) -> float:
        return time.monotonic() - self.began


def processes() -> int:
    """Return how many processes work: two, or one where this process may use one core only."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(PROCESSES, cores or 1))
