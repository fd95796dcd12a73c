"""Tier after tier: bound it, search for better plans, hold what was reached, go on.

Every tier gets the strongest bound that time allows: by counting, from the duals of its linear
relaxation, from a search. A solver is never believed: its points are rounded, checked against every
row, decoded and verified, its bounds loosened and rounded, and an answer that a verified plan in
hand contradicts is set aside with a warning. All bounds here are lower bounds of the minimised
objective (a maximised tier is negated), all values exact integers.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gangplan.models.certificate import Certificate
from gangplan.models.counts.kind import COUNTS
from gangplan.models.formulation import WHOLE, Formulation, Kind, Writing
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.result import COUNTING, TierReport
from gangplan.models.tiers import Tier, values
from gangplan.solvers.base import Limits, Progress, Solver, silent
from gangplan.solvers.held import families_off, freedom_off, good_enough, priced, signed
from gangplan.solvers.search import Bound, Incumbent, tighter
from gangplan.solvers.standing import by_counting, reports, speaking, standing
from gangplan.solvers.writer import SEARCH_CELLS, Writer

SHARE = 0.5
"""Part of the remaining time that a tier may use while later ones are open."""

INTERRUPTED = "interrupted: the best plan so far, with what was proven by then"
"""The warning after Ctrl-C."""


class Staged(NamedTuple):
    """What a staged solve gives.

    Attributes
    ----------
    plan : verified, and lexicographically no worse than the start.
    tiers : one report a tier.
    warnings : sentences for the user, each once.
    seconds : phase -> seconds: ``build``, ``bound``, ``search``.
    certificates : what each bound rests on, for the tiers that have one.
    interrupted : Ctrl-C ended it before its time.
    """

    plan: Plan
    tiers: tuple[TierReport, ...]
    warnings: tuple[str, ...]
    seconds: dict[str, float]
    certificates: tuple[Certificate, ...] = ()
    interrupted: bool = False


def solve_tiers(
    instance: Instance,
    tiers: Sequence[Tier],
    start: Plan,
    solver: Solver,
    limits: Limits,
    formulation: Formulation | None = None,
    progress: Progress = silent,
    *,
    second: bool = False,
    kind: Kind = COUNTS,
) -> Staged:
    """Improve ``start`` and bound every tier, in order.

    Parameters
    ----------
    start : a plan that keeps the rules; the answer is never worse.
    limits : seconds over all tiers, counted from the first hand-over to the solver.
    kind : the formulation, counts by default.
    second : ask for a second opinion where a search alone proves a tier.

    Notes
    -----
    No solver (and no child process) is started where counting proves every tier. Ctrl-C ends the
    work and not the call: the best plan so far comes back, with a warning. A second one is raised.
    """
    run = _Run(
        instance,
        tuple(tiers),
        solver,
        limits,
        kind,
        WHOLE if formulation is None else formulation,
        progress,
        second,
        Incumbent(start, values(instance, start, tuple(tiers))),
    )
    counted: list[Bound | None] = [None] * len(run.tiers)
    bounds = list(counted)
    try:
        progress("counting", 0.0)
        counted = by_counting(instance, run.tiers)
        bounds = list(counted)
        i = 0
        while i < len(run.tiers) and not run.interrupted:
            before = run.best.values
            if not run.closed(bounds, i):
                bounds[i] = run.solve_tier(bounds, i, run.tiers[i])
            i = run.next_tier(bounds, counted, before, i)
    except KeyboardInterrupt:
        if run.interrupted:
            raise  # the second
        run.stopped = True
    if run.interrupted:
        run.warnings.append(INTERRUPTED)
    kept = standing(run.tiers, run.best.values, bounds, counted, run.warnings)
    return Staged(
        run.best.plan,
        reports(run.tiers, run.best.values, kept),
        tuple(dict.fromkeys(run.warnings)),
        run.seconds,
        tuple(bound.certificate for bound in kept if bound is not None),
        run.interrupted,
    )


@dataclass(slots=True)
class _Run:
    """One staged solve under way."""

    instance: Instance
    tiers: tuple[Tier, ...]
    solver: Solver
    limits: Limits
    kind: Kind
    formulation: Formulation
    progress: Progress
    second: bool
    best: Incumbent
    warnings: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)
    deadline: float | None = None
    writers: dict[str, Writer] = field(default_factory=dict)
    stopped: bool = False

    @property
    def interrupted(self) -> bool:
        """Ctrl-C was pressed: during a solve, or between two of them (``stopped``)."""
        return self.stopped or any(writer.interrupted for writer in self.writers.values())

    def cost(self, i: int) -> int:
        """Exact value of tier i of the best plan, as it is minimised."""
        return signed(self.tiers[i], self.best.values[i])

    def closed(self, bounds: Sequence[Bound | None], i: int) -> bool:
        bound = bounds[i]
        return bound is not None and bound.value >= self.cost(i)

    def next_tier(
        self,
        bounds: list[Bound | None],
        counted: Sequence[Bound | None],
        before: Sequence[int],
        i: int,
    ) -> int:
        """Return the tier to go on with: back to one above that came out better meanwhile.

        A plan whose needless victims came back is better in what is lost, and can be worse in
        what is admitted after that. Every way back is one to a better plan, so they end.
        """
        for j in range(i) if len(self.instance.running) else ():
            if self.best.values[j] != before[j]:
                bounds[:] = speaking(self.tiers, self.best.values, bounds, counted)
                return j
        return i + 1

    def solve_tier(self, bounds: Sequence[Bound | None], i: int, tier: Tier) -> Bound | None:
        """Return the best bound of tier i; better plans go to ``best``."""
        bound = bounds[i]
        if len(self.best.plan.evicted) and not self.formulation.preemption:
            self.warnings.append(
                "the formulation leaves out evictions, and the plan has some: nothing is searched"
            )
            return bound
        writer = self._writer(tier)
        if writer is None:
            self.warnings.append(f"{self.kind.name} do not carry {tier.name}: bounded by counting")
            return bound
        model = writer.model()
        if model is None:
            return bound
        milp = priced(model, self.tiers, i, self.best.values[:i])
        if not milp.cost.any():
            return self._believed(bound, self._constant(model, tier, milp.offset))
        search = writer.search(model)
        if self.deadline is None:
            self.deadline = time.monotonic() + self.limits.seconds
        left = self.deadline - time.monotonic()
        last = all(self.closed(bounds, j) for j in range(i + 1, len(self.tiers)))
        until = time.monotonic() + (left if last else left * SHARE)
        self._say(f"bound {tier.name}")
        relaxed = search.relaxation(milp, self.best, i, until)
        bound = self._believed(bound, relaxed)
        if self.interrupted or self.done(bound, i) or not writer.searchable():
            return bound
        self._say(f"search {tier.name}")
        found, self.best = search.improve(milp, self.best, i, until)
        return self._believed(bound, found)

    def _writer(self, tier: Tier) -> Writer | None:
        """Return what writes a model that carries the tier; None where that would be too big.

        Counts carries every tier. It speaks of the same plans, so the tiers above may be proven by
        one kind and this one, given their values, by another: certificates name their own.
        """
        kind = self.kind
        if tier.kind in kind.lacks:
            if COUNTS.cells(self.instance) > SEARCH_CELLS:
                return None
            kind = COUNTS
        if kind.name not in self.writers:
            self.writers[kind.name] = Writer(
                kind,
                self.instance,
                self.formulation,
                self.tiers,
                self.solver,
                self.limits,
                self.second,
                self.warnings,
                self.seconds,
                self._say,
            )
        return self.writers[kind.name]

    def _believed(self, bound: Bound | None, found: Bound | None) -> Bound | None:
        """Return the better bound; a model with a freedom taken away bounds no plan but its own."""
        off = freedom_off(self.instance, self.formulation)
        if not off:
            return tighter(bound, found)
        self.warnings.append(f"the formulation leaves out {off}: bounds by counting only")
        return bound

    def done(self, bound: Bound | None, i: int) -> bool:
        """Tell whether tier i needs no search: proven, or within the gap that was asked for."""
        return good_enough(self.cost(i), None if bound is None else bound.value, self.limits.gap)

    def _say(self, phase: str) -> None:
        self.progress(phase, time.monotonic() - self.began)

    @staticmethod
    def _constant(model: Writing, tier: Tier, offset: int) -> Bound:
        """Bound a tier that costs the same wherever the columns' own bounds leave it."""
        off = families_off(model.formulation)
        value = signed(tier, offset)
        return Bound(offset, Certificate(tier.name, COUNTING, value, model.kind.name, off))
