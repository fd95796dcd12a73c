"""Column generation: a valid bound of a tier from the first round on, without listing columns.

Round after round the linear program over the patterns found so far is solved, its duals bound the
whole model (``models.patterns.priced``), and the patterns that they price below zero join. It is
solved in stages: first with the prices of all like vertices tied (a small master, and often no
worse a bound), then in clusters, then each vertex for itself. Prices are smoothed towards those of
the best bound so far (Wentges 1997): duals of a master with few columns say little.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.formulation import Writing
from gangplan.models.milp import Milp
from gangplan.models.patterns.formulation import Chosen
from gangplan.models.patterns.priced import Frame, union
from gangplan.models.patterns.tied import Tied, clusters, tied
from gangplan.models.plan import Plan
from gangplan.solvers.asking import Asking

STAGES = (1, 8, 32, 1 << 62)
"""Most clusters of vertices at a depth of the tree, stage after stage."""

SMALL = 5_000
"""Columns of a tied frame up to which a finer stage follows in any case."""

LARGE = 40_000
"""Columns of a tied frame from which a stage is left out: its linear programs take minutes."""

SMOOTH = 0.5
"""Weight of the prices of the best bound so far."""

ROUNDS = 200
"""Most rounds of a stage."""


OnBound = Callable[[int, Ints], None]
"""Called with a better bound, and the multipliers of the frame's rows that prove it."""


def silent(bound: int, multipliers: Ints) -> None:
    """Tell nobody."""


class Generated(NamedTuple):
    """What column generation gives.

    Attributes
    ----------
    value : a valid lower bound on the cost of the model with all patterns.
    multipliers : (m,) of the frame's rows; ``Frame.evaluate`` gives ``value`` from them.
    chosen : the patterns that were generated, of each class.
    rounds : how many linear programs were solved.
    closed : the last stage ended with no pattern left to add, every vertex for itself: ``value`` is
        that of the linear relaxation of the model with all patterns, up to rounding.
    """

    value: int
    multipliers: Ints
    chosen: Chosen
    rounds: int
    closed: bool


def bound_by_generation(
    frame: Frame,
    milp: Milp,
    asking: Asking,
    until: float,
    goal: int,
    held: Chosen | None = None,
    told: OnBound = silent,
) -> Generated | None:
    """Bound the model with all patterns; None where the solver gave no duals.

    Parameters
    ----------
    milp : the frame's rows, perhaps with tiers held after them, and the cost of a tier.
    until : of ``time.monotonic``.
    goal : cost of a plan in hand; at a bound that meets it there is nothing more to do.
    held : patterns that a plan uses which keeps all rows. Needed where tiers are held: with too few
        patterns no point might keep them, and no duals would come.
    """
    run = _Run(frame, milp, asking, until, goal, told)
    begun: Chosen | None = held
    closed = whole = False
    for most in STAGES:
        before = run.best
        master = tied(frame, milp, clusters(frame, most))
        if before is not None and master.milp.n_cols > LARGE:
            closed = False
            break
        master.begin()
        if begun is not None:
            master.add(begun)
        closed = run.stage(master)
        begun = master.chosen()
        whole = most >= len(frame.model.tree)
        stuck = before is not None and run.best is not None and run.best <= before
        large = master.milp.n_cols > SMALL
        if not closed or run.met() or whole or (stuck and large):
            break
    if run.best is None or run.multipliers is None:
        return None
    return Generated(
        run.best, run.multipliers, begun or [], run.rounds, closed and whole and not run.met()
    )


def of_use(model: Writing, milp: Milp, found: Generated | None, plan: Plan, cost: int) -> Chosen:
    """Patterns that a better plan can use, and those of the plan in hand.

    A plan that costs less than ``cost`` is a point of the model with these columns, and so is the
    one in hand (``Frame.within``): what a search of that model proves holds for all patterns.

    Parameters
    ----------
    found : None: nothing is known, all patterns are of use.
    """
    frame: Frame = model.frame
    if found is None:
        return frame.everything()
    return union(frame.within(milp, found.multipliers, cost), frame.covering(plan))


def with_columns(model: Writing, chosen: Chosen) -> Writing:
    """Write the model with these patterns as columns."""
    return replace(model, model=model.frame.listed(chosen), frame=None)


@dataclass(slots=True)
class _Run:
    """One bound under way: the best so far, and the duals that it comes from."""

    frame: Frame
    milp: Milp
    asking: Asking
    until: float
    goal: int
    told: OnBound = silent
    best: int | None = None
    multipliers: Ints | None = None
    rounds: int = 0

    def met(self) -> bool:
        return self.best is not None and self.best >= self.goal

    def stage(self, master: Tied) -> bool:
        """Solve a master until no pattern is left to add; False where it ended before."""
        centre: Floats | None = None
        for _ in range(ROUNDS):
            duals = self._solved(master)
            if duals is None:
                return False
            self.rounds += 1
            points = [duals] if centre is None else [SMOOTH * centre + (1 - SMOOTH) * duals, duals]
            added = 0
            for point in points:
                if self._prove(master.duals(point)) or centre is None:
                    centre = point
                added += master.price(point)
            if self.met() or not added:
                return True
            if time.monotonic() >= self.until:
                return False
        return False

    def _solved(self, master: Tied) -> Floats | None:
        """Duals of the master's rows."""
        milp = master.master()
        outcome = self.asking.first(milp, self.until, "bound")
        if self.asking.crash:
            self.asking.warn(self.asking.crash)
        if outcome is None or outcome.row_dual is None:
            return None
        if outcome.row_dual.shape != (milp.n_rows,):
            self.asking.warn(f"{self.asking.solver.name}: {outcome.row_dual.shape} duals")
            return None
        return np.nan_to_num(outcome.row_dual, nan=0.0, posinf=0.0, neginf=0.0)

    def _prove(self, duals: Floats) -> bool:
        """Bound by these duals; tell whether that is the best so far."""
        value, multipliers = self.frame.proof(self.milp, duals)
        if self.best is not None and value <= self.best:
            return False
        self.best, self.multipliers = value, multipliers
        self.told(value, multipliers)
        return True
