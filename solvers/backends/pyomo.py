"""Any solver that Pyomo can run, on the model that ``to_pyomo`` writes.

Three ways lead from Pyomo to a solver (``pyomo_engines``): APPSI's HiGHS (takes a start, keeps the
limit from the hand-over), ``pyomo.contrib.solver`` (HiGHS, SCIP, Gurobi in process), and the
classic interface (files and an executable: cbc, glpk, scip, ...). Solutions are never loaded by
Pyomo on its own: the status, read from one table, decides whether there is a point to load.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.bound import dual_bound
from gangplan.models.errors import SolverError
from gangplan.models.milp import Milp
from gangplan.solvers.backends.asked import (
    absolute_gap,
    is_another_point,
    joined,
    never_worse,
    read_status,
    without_entries,
    word_on_start,
)
from gangplan.solvers.backends.divided import divided, halved
from gangplan.solvers.backends.pyomo_engines import (
    ENGINES,
    OPTIONS,
    Answer,
    Asked,
    classic,
    is_here,
)
from gangplan.solvers.backends.pyomo_model import (
    columns_of,
    load_pyomo,
    pause_gc,
    rows_of,
    to_pyomo,
)
from gangplan.solvers.base import Limits, Outcome, Stop

__all__ = ["ORDER", "STATUS", "PyomoSolver", "stop_of", "to_pyomo"]

ORDER = ("appsi_highs", "highs", "cbc", "scip_direct", "scip", "glpk")
"""Engines in the order of preference; the first that is here runs where none is named."""

HALVED = ("appsi_highs", "highs", "scip", "scip_direct", "scip_persistent")
"""Engines whose rows are halved: HiGHS's tolerance of rows is absolute, and SCIP ran past every
limit on rows of 2**40."""

STATUS: dict[str, tuple[Stop, str]] = {
    "optimal": (Stop.OPTIMAL, ""),
    "globallyOptimal": (Stop.OPTIMAL, ""),
    "convergenceCriteriaSatisfied": (Stop.OPTIMAL, ""),
    "infeasible": (Stop.INFEASIBLE, ""),
    "provenInfeasible": (Stop.INFEASIBLE, ""),
    "feasible": (Stop.FEASIBLE, "time"),
    "maxTimeLimit": (Stop.FEASIBLE, "time"),
    "maxIterations": (Stop.FEASIBLE, "iterations"),
    "iterationLimit": (Stop.FEASIBLE, "iterations"),
    "maxEvaluations": (Stop.FEASIBLE, "iterations"),
    "objectiveLimit": (Stop.FEASIBLE, "objective"),
    "minFunctionValue": (Stop.FEASIBLE, "objective"),
    "resourceInterrupt": (Stop.FEASIBLE, "memory"),
    "userInterrupt": (Stop.FEASIBLE, "interrupt"),
    "interrupted": (Stop.FEASIBLE, "interrupt"),
    "intermediateNonInteger": (Stop.NONE_FOUND, "time"),
    "noSolution": (Stop.NONE_FOUND, "time"),
    "locallyOptimal": (Stop.ERROR, ""),
    "locallyInfeasible": (Stop.ERROR, ""),
    "minStepLength": (Stop.ERROR, ""),
    "unbounded": (Stop.ERROR, ""),
    "infeasibleOrUnbounded": (Stop.ERROR, ""),
    "invalidProblem": (Stop.ERROR, ""),
    "solverFailure": (Stop.ERROR, ""),
    "internalSolverError": (Stop.ERROR, ""),
    "licensingProblems": (Stop.ERROR, ""),
    "emptyModel": (Stop.ERROR, ""),
    "error": (Stop.ERROR, ""),
    "other": (Stop.ERROR, ""),
    "unknown": (Stop.ERROR, ""),
}
"""TerminationCondition of Pyomo's three interfaces -> (stop, limit). FEASIBLE turns into NONE_FOUND
without a point; a word that is not here is an ERROR."""


@dataclass(frozen=True, slots=True)
class PyomoSolver:
    """A solver that Pyomo runs (``child.Watched`` puts it into a process of its own).

    Attributes
    ----------
    engine : a name that Pyomo knows (``appsi_highs``, ``highs``, ``cbc``, ``glpk``, ``scip``, ...);
        empty for the first of ``ORDER`` that is here.
    """

    engine: str = ""

    @property
    def name(self) -> str:
        """Return ``pyomo``, with the engine where one was named."""
        return f"pyomo:{self.engine}" if self.engine else "pyomo"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        """Solve; see ``Solver``. Writing the Pyomo model counts as hand-over.

        Raises
        ------
        SolverError : pyomo or the engine is missing, or Pyomo failed.
        """
        begin = time.perf_counter()
        said = word_on_start(milp, start)
        empty = without_entries(milp, said)
        if empty is not None:
            return empty
        load_pyomo()
        engine = self._engine()
        used = start if said == "start used" else None
        outcome = self._run(engine, milp, limits, used, said, begin)
        left = limits.seconds - (time.perf_counter() - begin)
        if used is not None and left > 0 and is_another_point(milp, outcome):
            # HiGHS 1.16.0: where presolve maps the start onto an optimum, the start comes back.
            again = replace(limits, seconds=left)
            outcome = self._run(engine, milp, again, None, said, time.perf_counter())
        over = max(0.0, time.perf_counter() - begin - limits.seconds)
        return never_worse(milp, replace(outcome, overshoot=over), start)

    def _engine(self) -> str:
        """Return the engine to run.

        Raises
        ------
        SolverError : it is not here; the text says which were looked for.
        """
        for name in (self.engine,) if self.engine else ORDER:
            if is_here(name):
                return name
        raise SolverError(f"pyomo: no engine here: looked for {self.engine or ', '.join(ORDER)}")

    def _run(
        self,
        engine: str,
        milp: Milp,
        limits: Limits,
        start: Ints | None,
        said: str,
        begin: float,
    ) -> Outcome:
        written = divided(replace(milp, offset=0))
        if (written.row_lower > written.row_upper).any():  # Pyomo refuses to write such a row
            what = "no multiple of a row's divisor lies between its sides"
            return Outcome(Stop.INFEASIBLE, message=joined(what, said))
        factors = np.ones(written.n_rows)
        if engine in HALVED:
            written, factors = halved(written)
        model = to_pyomo(written)
        columns, rows = columns_of(model), rows_of(model, written)
        if start is not None:
            for column, value in zip(columns, start.tolist(), strict=True):
                column.set_value(value, skip_validation=True)
        run: Callable[[Asked], Answer] = ENGINES.get(engine, classic)
        asked = Asked(
            engine, model, columns, rows, limits, begin, absolute_gap(milp), start is not None
        )
        try:
            with _quiet(), pause_gc():
                answer = run(asked)
        except SolverError:
            raise
        except Exception as error:  # Pyomo raises whatever the engine's plug-in does
            raise SolverError(f"pyomo ({engine}): {type(error).__name__}: {error}") from error
        if answer.row_dual is not None:
            answer = replace(answer, row_dual=answer.row_dual * factors)
        total = time.perf_counter() - begin
        solve = min(answer.seconds, total)
        if said == "start used" and not answer.took_start:
            said = "start kept, and not passed: the engine takes none"
        gap = absolute_gap(milp) if engine in OPTIONS and limits.gap == 0 else None
        return replace(
            outcome_of(milp, answer, f"{engine} {joined(answer.word, said)}", gap),
            solve_seconds=solve,
            handover_seconds=total - solve,
        )


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Pyomo's warnings on statuses to itself: the table speaks."""
    logger = logging.getLogger("pyomo")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def outcome_of(milp: Milp, answer: Answer, message: str, gap: float | None = None) -> Outcome:
    """Read an answer: values count only where the status allows a point, duals only of an LP.

    ``gap`` is the absolute gap of a claim "optimal" without a bound; None where the engine's own
    is not known.
    """
    is_lp = not milp.integer.any()
    x = _filled(milp, answer.x)
    broken = not is_lp and x is not None and not _is_point(milp, x)
    stop, limit = stop_of(answer.word, x is not None and not broken)
    if stop not in (Stop.OPTIMAL, Stop.FEASIBLE):
        # At a limit some engines hand over a relaxation; with a proof there has to be a point.
        x = None
    if broken:
        message += "; its point breaks the model"
    objective = answer.objective
    if x is None or objective is None:
        objective = None if x is None else float(milp.cost @ x)
    bounded = not is_lp and stop in (Stop.OPTIMAL, Stop.FEASIBLE, Stop.NONE_FOUND)
    bound = answer.bound if bounded else None
    if stop is Stop.FEASIBLE and bound is not None and objective is not None and bound >= objective:
        bound = None  # APPSI gives the incumbent's objective where no search had begun
    if bounded and bound is None and stop is Stop.OPTIMAL and None not in (objective, gap):
        assert objective is not None
        assert gap is not None
        bound = objective - gap
    return Outcome(
        stop,
        x=x,
        objective=objective,
        bound=bound if bound is not None and np.isfinite(bound) else None,
        row_dual=_tighter_sign(milp, answer.row_dual) if is_lp and stop is Stop.OPTIMAL else None,
        limit=limit,
        message=message,
    )


def stop_of(word: str, has_point: bool) -> tuple[Stop, str]:
    """Translate a TerminationCondition and whether there is a point; unknown words are ERROR."""
    return read_status(STATUS, word, has_point)


def _filled(milp: Milp, x: Floats | None) -> Floats | None:
    """Fill in columns that are fixed, or in no row and without cost: Pyomo leaves them out."""
    if x is None:
        return None
    entries = np.bincount(milp.matrix.indices, minlength=milp.n_cols)
    left_out = ((entries == 0) & (milp.cost == 0)) | (milp.lower == milp.upper)
    filled = np.where(left_out, milp.lower, x)
    return filled if np.isfinite(filled).all() else None


def _is_point(milp: Milp, x: Floats | None) -> bool:
    """Tell whether it is integral and, rounded, keeps every bound and row exactly."""
    if x is None or np.abs(x - np.rint(x)).max(initial=0.0) > 1e-6:
        return False
    return word_on_start(milp, np.rint(x).astype(np.int64)) == "start used"


def _tighter_sign(milp: Milp, duals: Floats | None) -> Floats | None:
    """Return the duals, or their negatives where these bound better: engines differ in sign."""
    if duals is None or not np.isfinite(duals).all():
        return None
    return duals if dual_bound(milp, duals)[0] >= dual_bound(milp, -duals)[0] else -duals
