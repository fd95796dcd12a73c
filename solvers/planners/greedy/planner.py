"""The greedy planner: several styles within a second, the best plan of them, checked."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from gangplan.models.counting import ceilings
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.result import COUNTING, Result, TierReport
from gangplan.models.tiers import Tier, better, tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.base import Limits, Progress, silent
from gangplan.solvers.planners.greedy.book import Book, book_of
from gangplan.solvers.planners.greedy.orders import Unit, ordered, styles, units_of
from gangplan.solvers.planners.greedy.placer import Placer
from gangplan.solvers.planners.greedy.room import Room
from gangplan.solvers.planners.greedy.style import Style
from gangplan.solvers.planners.greedy.trees import Forest

SECONDS = 1.0
"""Time after which no further style is begun; the first one always ends."""


def greedy_plan(instance: Instance, tiers: tuple[Tier, ...], seconds: float = SECONDS) -> Plan:
    """Return the lexicographically best plan of several greedy runs.

    Every plan keeps all rules by construction: a step that breaks one is taken back. The result
    depends on the clock only through the number of styles that are tried.

    Parameters
    ----------
    tiers : the objective; decides the order of units and which plan is best.
    seconds : no further style is begun when it would not end by then.
    """
    if not instance.n_pods or not len(instance.nodes):
        return empty_plan(instance)
    begin = perf_counter()
    book = book_of(instance)
    units = units_of(book, tiers)
    best, best_values = empty_plan(instance), values(instance, empty_plan(instance), tiers)
    longest = 0.0
    for style in styles(tiers):
        start = perf_counter()
        if longest and start - begin + longest > seconds:
            break
        plan, _ = run(book, units, tiers, style)
        found = values(instance, plan, tiers)
        if better(tiers, found, best_values):
            best, best_values = plan, found
        longest = max(longest, perf_counter() - start)
    return best


def run(
    book: Book,
    units: list[Unit],
    tiers: tuple[Tier, ...],
    style: Style,
    first: Collection[Unit] = (),
) -> tuple[Plan, list[Unit]]:
    """Place in one style; return the plan and the gangs and trees that did not fit."""
    room = Room(book)
    forest = Forest(Placer(book, room, style))
    failed = []
    for unit in ordered(units, style, first):
        if unit.kind == "loose":
            forest.more(unit.number)
        elif not (forest.gang if unit.kind == "gang" else forest.tree)(unit.number):
            failed.append(unit)
    for priority in sorted(set(book.instance.groups.priority.tolist()), reverse=True):
        forest.extend(priority)
    return room.plan(), failed


@dataclass(frozen=True, slots=True)
class Greedy:
    """The fast planner: a valid plan, and what counting proves about it.

    Attributes
    ----------
    objective, weights : see ``gangplan.models.tiers.tiers_of``.
    """

    objective: str = "groups"
    weights: Mapping[int, int] | None = field(default=None)

    @property
    def name(self) -> str:
        """Return ``greedy``."""
        return "greedy"

    def plan(
        self, instance: Instance, limits: Limits | None = None, progress: Progress = silent
    ) -> Result:
        """Plan, check, and bound by counting.

        Raises
        ------
        PlanError : the plan broke a rule, a bug in gangplan.
        """
        tiers = tiers_of(instance, self.objective, self.weights)
        clock = [perf_counter()]
        progress("greedy", 0.0)
        seconds = min(SECONDS, limits.seconds) if limits else SECONDS
        plan = greedy_plan(instance, tiers, seconds)
        clock.append(perf_counter())
        progress("verify", clock[-1] - clock[0])
        if broken := check(instance, plan):
            raise PlanError(f"greedy plan breaks a rule: {broken[0]}")
        clock.append(perf_counter())
        progress("bound", clock[-1] - clock[0])
        reports = _reports(instance, plan, tiers)
        clock.append(perf_counter())
        return Result(
            plan=plan,
            tiers=reports,
            stop="optimal" if all(report.proven for report in reports) else "feasible",
            planner={"name": self.name, "objective": self.objective, **self._weights()},
            reasons={int(g): instance.names.held[g] for g in np.flatnonzero(instance.groups.held)},
            seconds=dict(zip(("solve", "verify", "bound"), np.diff(clock).tolist(), strict=True)),
            versions={"numpy": np.__version__},
        )

    def _weights(self) -> dict[str, object]:
        if self.weights is None:
            return {}
        return {"weights": {str(p): w for p, w in self.weights.items()}}


def _reports(instance: Instance, plan: Plan, tiers: tuple[Tier, ...]) -> tuple[TierReport, ...]:
    """Bounds by counting hold for every plan, so they hold given the values above too."""
    proven, reports = True, []
    bounds = ceilings(instance, tiers)
    for tier, value, bound in zip(tiers, values(instance, plan, tiers), bounds, strict=True):
        proven = proven and bound == value
        proof = "" if bound is None else COUNTING
        reports.append(TierReport(tier.name, tier.maximise, value, bound, proof, proven))
    return tuple(reports)
