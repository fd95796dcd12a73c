"""The greedy planner: the best of several greedy runs, checked, with bounds by counting."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from time import perf_counter

import numpy as np

from gangplan.models.counting import bounds
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.restrict import off, restricted, said
from gangplan.models.result import COUNTING, Result, TierReport
from gangplan.models.tiers import Tier, tiers_of, values
from gangplan.models.victims import victims_of
from gangplan.solvers.base import Limits, Progress, silent
from gangplan.solvers.planners.greedy.clean import clean_plan
from gangplan.solvers.planners.greedy.runs import SECONDS, greedy_runs
from gangplan.solvers.versions import versions


@dataclass(frozen=True, slots=True)
class Greedy:
    """The fast planner: a valid plan, and what counting proves about it.

    Attributes
    ----------
    objective, weights : see ``gangplan.models.tiers.tiers_of``.
    preemption : False: nobody is evicted, and what is proven holds for plans without evictions.
    pdb : ``soft`` or ``hard``, see ``gangplan.models.restrict.PDB``.
    """

    objective: str = "groups"
    weights: Mapping[int, int] | None = field(default=None)
    preemption: bool = True
    pdb: str = "soft"

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
        PlanError : the plan broke a rule, a bug in gangplan; no such word for ``pdb``.
        """
        nobody = off(instance, self.objective, preemption=self.preemption)
        instance = restricted(instance, self.objective, preemption=self.preemption, pdb=self.pdb)
        tiers = tiers_of(instance, self.objective, self.weights)
        clock = [perf_counter()]
        progress("greedy", 0.0)
        most = limits.seconds if limits else inf
        seconds = min(swift(instance), most)
        plan, warnings = greedy_runs(instance, tiers, seconds, most)
        clock.append(perf_counter())
        progress("verify", clock[-1] - clock[0])
        plan, more = clean_plan(instance, plan, tiers, seconds)
        clock.append(perf_counter())
        progress("bound", clock[-1] - clock[0])
        reports = _reports(instance, plan, tiers)
        clock.append(perf_counter())
        return Result(
            plan=plan,
            tiers=reports,
            stop="optimal" if all(report.proven for report in reports) else "feasible",
            planner={
                "name": self.name,
                "objective": self.objective,
                **self._weights(),
                **said(preemption=self.preemption, pdb=self.pdb),
            },
            reasons={int(g): instance.names.held[g] for g in np.flatnonzero(instance.groups.held)},
            warnings=(*nobody, *warnings, *more),
            seconds=dict(zip(("solve", "verify", "bound"), np.diff(clock).tolist(), strict=True)),
            versions=versions(),
        )

    def _weights(self) -> dict[str, object]:
        if self.weights is None:
            return {}
        return {"weights": {str(p): w for p, w in self.weights.items()}}


def swift(instance: Instance) -> float:
    """Seconds for a plan: where somebody can be evicted, a tenth for each 128 nodes, up to all."""
    if not victims_of(instance).can.any():
        return SECONDS
    return min(max(0.1, 0.1 * len(instance.nodes) / 128), SECONDS)


def _reports(instance: Instance, plan: Plan, tiers: tuple[Tier, ...]) -> tuple[TierReport, ...]:
    """Bounds by counting hold for every plan, so they hold given the values above too."""
    proven, reports = True, []
    counted = bounds(instance, tiers)
    for tier, value, bound in zip(tiers, values(instance, plan, tiers), counted, strict=True):
        proven = proven and bound == value
        reports.append(TierReport(tier.name, tier.maximise, value, bound, COUNTING, proven))
    return tuple(reports)
