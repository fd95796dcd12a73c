"""The anytime planner: a greedy plan at once, then bounds and better plans until the deadline."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from gangplan.models.formulation import WHOLE, Formulation, Kind
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.restrict import off, restricted, said
from gangplan.models.result import Result
from gangplan.models.tiers import tiers_of
from gangplan.solvers.base import Limits, Progress, Solver, silent
from gangplan.solvers.planners.anytime.run import Run
from gangplan.solvers.planners.anytime.yesterday import Yesterday
from gangplan.solvers.registry import formulation, get

LAST = "counts"
"""The formulation that carries everything."""

ORDER = ("patterns", LAST)
"""Formulations in the order in which they are tried, where none is named."""


@dataclass(frozen=True, slots=True)
class Anytime:
    """A plan at once, and a better one the longer it may take; what is proven, tier by tier.

    Attributes
    ----------
    solver : a name of ``gangplan.solvers.registry``, or a Solver.
    kind : a name of ``gangplan.solvers.registry.formulations()``, or a Kind. Default: the first of
        ORDER that takes the instance, for the whole and for each part. Counts stands in for a name
        where that refuses the instance, or does not carry the tier.
    formulation : which families the model has; a plan always has to keep them all.
    objective, weights : see ``gangplan.models.tiers.tiers_of``.
    second_opinion : solve once more, another way, what only a search proves.
    preemption : False: nobody is evicted, and what is proven holds for plans without evictions.
    pdb : ``soft`` or ``hard``, see ``gangplan.models.restrict.PDB``.
    previous : a plan to begin with, of this instance, or by names one of another day (what of it
        still keeps the rules is carried on); taken where it is better than the greedy one.

    Notes
    -----
    ``Limits.seconds`` is the wall clock of everything. ``Limits.threads`` is not used: two
    processes of one thread each do the work, one where there is one core only. The plan depends on
    the clock, not on ``Limits.seed`` alone.
    """

    solver: str | Solver = "highs"
    kind: str | Kind = ""
    formulation: Formulation = WHOLE
    objective: str = "groups"
    weights: Mapping[int, int] | None = None
    second_opinion: bool = False
    preemption: bool = True
    pdb: str = "soft"
    previous: Plan | Yesterday | None = None

    @property
    def name(self) -> str:
        """Return ``anytime``."""
        return "anytime"

    def plan(self, instance: Instance, limits: Limits, progress: Progress = silent) -> Result:
        """Plan until all is proven or the time is up.

        A job that fails costs its work, never the plan, and Ctrl-C, once there is a plan, ends the
        search alone: the warnings then say so.

        Raises
        ------
        PlanError : the plan failed its own check, a bug in gangplan; no such word for ``pdb``.
        SolverError : no solver of this name can be made.
        """
        began = time.monotonic()
        warnings = off(instance, self.objective, preemption=self.preemption)
        instance = restricted(instance, self.objective, preemption=self.preemption, pdb=self.pdb)
        solver = get(self.solver) if isinstance(self.solver, str) else self.solver
        run = Run(
            instance,
            tiers_of(instance, self.objective, self.weights),
            solver,
            self._kinds(),
            self.formulation,
            limits,
            began,
            progress,
            second=self.second_opinion,
            previous=self.previous,
            warnings=list(warnings),
        )
        return self._told(run.result(self._about(solver, limits)))

    def _kinds(self) -> tuple[Kind, ...]:
        if isinstance(self.kind, Kind):
            return (self.kind,)
        names = dict.fromkeys((self.kind, LAST) if self.kind else ORDER)
        return tuple(formulation(name) for name in names)

    def _told(self, result: Result) -> Result:
        """Say where another formulation stood in for the one that was named."""
        if isinstance(self.kind, Kind) or self.kind in ("", LAST):
            return result
        lacks = formulation(self.kind).lacks
        others = [
            one.tier
            for one in result.certificates
            if one.formulation not in ("", self.kind) and not one.tier.startswith(lacks)
        ]
        if not others:
            return result
        told = f"{self.kind} refused the instance: {LAST} bounds {', '.join(others)}"
        return replace(result, warnings=(*result.warnings, told))

    def _about(self, solver: Solver, limits: Limits) -> dict[str, object]:
        """Name the planner and every option that has an influence."""
        weights = {} if self.weights is None else {str(p): w for p, w in self.weights.items()}
        kind = self.kind.name if isinstance(self.kind, Kind) else self.kind
        return {
            "name": self.name,
            "solver": solver.name,
            "kind": kind or ", ".join(ORDER),
            "formulation": asdict(self.formulation),
            "objective": self.objective,
            **({"weights": weights} if weights else {}),
            "second_opinion": self.second_opinion,
            **said(preemption=self.preemption, pdb=self.pdb),
            **({} if self.previous is None else {"previous": True}),
            "seconds": limits.seconds,
            "gap": limits.gap,
            "seed": limits.seed,
            **({} if limits.memory is None else {"memory": limits.memory}),
        }
