"""The exact planner: a greedy plan at once, then bounds and searches, tier after tier."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from gangplan.models.formulation import WHOLE, Formulation, Kind
from gangplan.models.gone import without_units
from gangplan.models.instance import Instance
from gangplan.models.restrict import off, restricted, said
from gangplan.models.result import Result
from gangplan.models.tiers import tiers_of
from gangplan.solvers.base import Limits, Progress, Solver, silent
from gangplan.solvers.explain.reasons import reasons
from gangplan.solvers.planners.clearing import start_of
from gangplan.solvers.planners.greedy import SECONDS, clean_plan
from gangplan.solvers.planners.refuse import refuse_broken
from gangplan.solvers.registry import formulation, get
from gangplan.solvers.staged import solve_tiers
from gangplan.solvers.versions import versions

QUICK = 0.1
"""Seconds for the first plan of 128 nodes, or less."""


@dataclass(frozen=True, slots=True)
class Exact:
    """A formulation and a solver: the plan, and how far it can be from the best one.

    Attributes
    ----------
    solver : a name of ``gangplan.solvers.registry``, or a Solver.
    kind : a name of ``gangplan.solvers.registry.formulations()``, or a Kind.
    formulation : which families the model has; a plan always has to keep them all.
    objective, weights : see ``gangplan.models.tiers.tiers_of``.
    second_opinion : solve once more, another way, what only a search proves.
    preemption : False: nobody is evicted, and what is proven holds for plans without evictions.
    pdb : ``soft`` or ``hard``, see ``gangplan.models.restrict.PDB``.
    """

    solver: str | Solver = "highs"
    kind: str | Kind = "counts"
    formulation: Formulation = WHOLE
    objective: str = "groups"
    weights: Mapping[int, int] | None = None
    second_opinion: bool = False
    preemption: bool = True
    pdb: str = "soft"

    @property
    def name(self) -> str:
        """Return ``exact``."""
        return "exact"

    def plan(self, instance: Instance, limits: Limits, progress: Progress = silent) -> Result:
        """Plan within the limits; the time to write the model comes on top.

        A solver that fails costs the proof, never the plan, and Ctrl-C, once there is a plan,
        ends the search alone: the warnings then say so.

        Raises
        ------
        PlanError : the plan failed its own check, a bug in gangplan; no such word for ``pdb``.
        SolverError : no solver of this name can be made.
        """
        begin = time.perf_counter()
        warnings = off(instance, self.objective, preemption=self.preemption)
        instance = restricted(instance, self.objective, preemption=self.preemption, pdb=self.pdb)
        tiers = tiers_of(instance, self.objective, self.weights)
        solver = get(self.solver) if isinstance(self.solver, str) else self.solver
        progress("greedy", 0.0)
        # A model without evictions cannot go on from a plan with some.
        first = instance if self.formulation.preemption else without_units(instance)
        start, more = clean_plan(
            instance,
            start_of(first, tiers, _swift(instance, limits)),
            tiers,
            _swift(instance, limits),
        )
        greedy = time.perf_counter() - begin
        staged = solve_tiers(
            instance,
            tiers,
            start,
            solver,
            limits,
            self.formulation,
            lambda phase, used: progress(phase, used + greedy),
            second=self.second_opinion,
            kind=formulation(self.kind) if isinstance(self.kind, str) else self.kind,
        )
        solved = time.perf_counter()
        if not staged.interrupted:  # Ctrl-C was heard; a progress may raise it again
            progress("verify", solved - begin)
        refuse_broken(instance, staged.plan, self.name)
        done = time.perf_counter()
        return Result(
            staged.plan,
            staged.tiers,
            "optimal" if all(tier.proven for tier in staged.tiers) else "feasible",
            self._about(solver, limits),
            reasons(instance, staged.plan, staged.tiers),
            (*warnings, *more, *staged.warnings),
            {
                "greedy": greedy,
                "build": 0.0,
                **staged.seconds,
                "solve": solved - begin - greedy - staged.seconds.get("build", 0.0),
                "verify": done - solved,
            },
            versions([solver.name, *(one.name for c in staged.certificates for one in c.solvers)]),
            staged.certificates,
        )

    def _about(self, solver: Solver, limits: Limits) -> dict[str, object]:
        """Name the planner and every option that has an influence."""
        weights = {} if self.weights is None else {str(p): w for p, w in self.weights.items()}
        return {
            "name": self.name,
            "solver": solver.name,
            "kind": self.kind if isinstance(self.kind, str) else self.kind.name,
            "formulation": asdict(self.formulation),
            "objective": self.objective,
            **({"weights": weights} if weights else {}),
            "second_opinion": self.second_opinion,
            **said(preemption=self.preemption, pdb=self.pdb),
            "seconds": limits.seconds,
            "gap": limits.gap,
            "threads": limits.threads,
            "seed": limits.seed,
            **({} if limits.memory is None else {"memory": limits.memory}),
        }


def _swift(instance: Instance, limits: Limits) -> float:
    """Seconds for the first plan: a tenth for each 128 nodes, what is small is searched soon."""
    return min(max(QUICK, QUICK * len(instance.nodes) / 128), SECONDS, limits.seconds)
