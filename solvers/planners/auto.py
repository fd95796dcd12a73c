"""The planner that chooses a planner: by what the instance is and how large, and it says why.

The order of the questions is that of what they cost: a formulation that refuses an instance says so
before anything is written.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gangplan.models.formulation import Kind
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.restrict import restricted
from gangplan.models.result import Result
from gangplan.models.tiers import Tier, tiers_of
from gangplan.solvers.base import Limits, Planner, Progress, Solver, silent
from gangplan.solvers.planners.anytime.yesterday import Yesterday
from gangplan.solvers.registry import formulation, get_planner

SMALL = 20_000
"""Pairs of role and usable node up to which counts is searched as a whole."""

FEW = 500
"""The same where another formulation carries all that is asked for, which proves more in less time:
training with 128 nodes and 60 groups (8,124 pairs) is proven in 6 s by patterns and not by counts.
"""

SMALL_FALLS, FALLS = 5_000, 500
"""The same where units can fall, and pairs of who falls and what comes up to which patterns are
searched as a whole: victims with 256 nodes is proven in half the time that counts takes, and parts
are not better before there are more."""

SEARCHED = 2_500
"""Patterns up to which one search of the whole proves sooner than parts beside it: training with
256 nodes and 100 groups (some 1,500) in 2 to 7 s; with 1,024 and 300 (6,500) it ends behind."""

LISTED = 50_000
"""Patterns (or configurations) up to which a model of them is searched as a whole."""

GOES_ON = "anytime"
"""The planner that can begin with a plan."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen.

    Attributes
    ----------
    planner, formulation : names of the registry.
    why : a sentence.
    """

    planner: str
    formulation: str
    why: str


def choose(instance: Instance, named: str = "", tiers: Sequence[Tier] = ()) -> Choice:
    """Choose a planner, and a formulation where none is named; deterministic.

    Counts carries every family, so a small instance is its own. Where groups meet in domains of one
    level only, whole domains are columns. A few patterns that carry all that is asked for are
    searched as a whole; anything larger is planned against the clock.

    Parameters
    ----------
    tiers : what is asked for; empty: anything.
    """
    if named:
        kind = formulation(named)
        cells, most = kind.cells(instance), LISTED if kind.frame or kind.lacks else SMALL
        what = f"{_many(cells, kind) + ', ' if cells else ''}the formulation that was named"
        return Choice("exact" if cells <= most else "anytime", named, what)
    counts = formulation("counts")
    cells = counts.cells(instance)
    if len(instance.running) and cells > SMALL_FALLS:
        kind = formulation("patterns")
        pairs = kind.cells(instance)
        if 0 < pairs <= FALLS:
            why = f"{_many(cells, counts)} are many where units can fall, {_many(pairs, kind)} few"
            return Choice("exact", "patterns", why)
    claims = len(instance.claims.own_role) or instance.claims.n_shared
    plain = tiers and not claims and not len(instance.running)
    if cells <= (FEW if plain else SMALL):
        return Choice("exact", "counts", f"{_many(cells, counts)}: searched as a whole")
    for name in ("configurations", "patterns"):
        kind = formulation(name)
        carried = tiers and not any(tier.kind in kind.lacks for tier in tiers)
        if cells <= SMALL and not carried:
            continue
        listed = kind.cells(instance)
        if 0 < listed <= LISTED:
            whole = name == "configurations" or (plain and carried and listed <= SEARCHED)
            why = f"{_many(cells, counts)} are many, {_many(listed, kind)} are few"
            return Choice("exact" if whole else "anytime", name, why)
    if cells <= SMALL:
        return Choice("exact", "counts", f"{_many(cells, counts)}: searched as a whole")
    return Choice("anytime", "patterns", f"{_many(cells, counts)}: planned against the clock")


def _many(cells: int, kind: Kind) -> str:
    return f"{cells:,} {kind.cell}"


@dataclass(frozen=True, slots=True)
class Auto:
    """Chooses between ``exact`` and ``anytime``, and a formulation; its options are theirs.

    Attributes
    ----------
    solver, objective, weights, second_opinion, preemption, pdb : see ``Exact``.
    kind : name of a formulation; empty: chosen, too.
    previous : a plan to start from, see ``Anytime``.
    """

    solver: str | Solver = "highs"
    kind: str = ""
    objective: str = "groups"
    weights: Mapping[int, int] | None = None
    second_opinion: bool = False
    preemption: bool = True
    pdb: str = "soft"
    previous: Plan | Yesterday | None = None

    @property
    def name(self) -> str:
        """Return ``auto``."""
        return "auto"

    def plan(self, instance: Instance, limits: Limits, progress: Progress = silent) -> Result:
        """Plan with what was chosen; the result's planner has the choice and why.

        Raises
        ------
        PlanError, SolverError : see ``Exact``.
        """
        began = time.monotonic()
        planned = restricted(instance, self.objective, preemption=self.preemption, pdb=self.pdb)
        choice = choose(planned, self.kind, tiers_of(planned, self.objective, self.weights))
        if self.previous is not None and choice.planner != GOES_ON:
            why = f"only {GOES_ON} goes on from a plan"
            choice = replace(choice, planner=GOES_ON, why=why)
        # Listing patterns to choose takes its time of the same clock.
        left = max(limits.seconds - (time.monotonic() - began), limits.seconds / 2)
        result = self._chosen(choice).plan(instance, replace(limits, seconds=left), progress)
        auto = {"planner": choice.planner, "formulation": choice.formulation, "why": choice.why}
        said = {"seconds": limits.seconds, "auto": auto}
        return replace(result, planner={**result.planner, **said})

    def _chosen(self, choice: Choice) -> Planner:
        options: dict[str, Any] = {
            "solver": self.solver,
            "kind": choice.formulation,
            "objective": self.objective,
            "weights": self.weights,
            "second_opinion": self.second_opinion,
            "preemption": self.preemption,
            "pdb": self.pdb,
        }
        if self.previous is not None:
            options["previous"] = self.previous
        return get_planner(choice.planner, **options)
