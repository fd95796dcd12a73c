"""CP-SAT (OR-Tools): constraint programming over integers, so nothing is ever rounded inside.

``ortools`` is imported here and nowhere else, on the first solve. CP-SAT solves no linear programs
(``relaxes`` says so): the tiers it searches have bounds by counting and by search.
"""

from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.errors import SolverError
from gangplan.models.milp import Milp
from gangplan.solvers.backends.asked import joined
from gangplan.solvers.backends.course import Clock, run
from gangplan.solvers.base import Limits, OnPoint, Outcome, Stop

STATUS: dict[str, tuple[Stop, str]] = {
    "OPTIMAL": (Stop.OPTIMAL, ""),
    "FEASIBLE": (Stop.FEASIBLE, "time"),
    "UNKNOWN": (Stop.NONE_FOUND, "time"),
    "INFEASIBLE": (Stop.INFEASIBLE, ""),
    "MODEL_INVALID": (Stop.ERROR, ""),
}
"""CpSolverStatus -> (stop, limit); a word that is not here is an ERROR. Only time is limited."""

REACH = 2.0**62
"""Largest sum of |coefficient| x |value| of a row or the objective: int64 with a bit to spare."""

OPEN = 2**63 - 1
"""An open side of a row (and its negative), as CP-SAT writes it."""


@dataclass(frozen=True, slots=True)
class CpSat:
    """The CP-SAT solver in this process (``child.Watched`` puts it into one of its own).

    Attributes
    ----------
    presolve : off for a second opinion.
    """

    presolve: bool = True

    @property
    def name(self) -> str:
        """Return ``cpsat``."""
        return "cpsat"

    @property
    def relaxes(self) -> bool:
        """It solves integer programs only."""
        return False

    def second(self) -> "CpSat":
        """Return the solver of a second opinion: no presolve."""
        return replace(self, presolve=False)

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        """Solve; see ``Solver``. A linear program gets Stop.ERROR.

        Raises
        ------
        SolverError : ortools is missing, or a row could pass 2**62 and is named.
        """
        return self.solve_streaming(milp, limits, start=start, on_point=None)

    def solve_streaming(
        self, milp: Milp, limits: Limits, *, start: Ints | None, on_point: OnPoint | None
    ) -> Outcome:
        """Solve, and hand over each improving point as it is found."""

        def ask(point: Ints | None, said: str, clock: Clock) -> Outcome:
            if not milp.integer.all():
                return Outcome(Stop.ERROR, message="cpsat solves integer programs only")
            check_reach(milp)
            cp_model = _load()
            model = cp_model.CpModel()
            write(model.proto, milp)
            if point is not None:
                hint = model.proto.solution_hint
                hint.vars.extend(list(range(milp.n_cols)))
                hint.values.extend(point.tolist())
            solver = cp_model.CpSolver()
            callback = None if on_point is None else _streamer(cp_model, milp, on_point)
            self._set_parameters(solver.parameters, limits, clock.handed_over())
            word = solver.solve(model, callback).name
            clock.done()
            return _outcome(milp, word, solver.response_proto, said)

        return run(milp, limits, start, ask)

    def _set_parameters(self, parameters: Any, limits: Limits, seconds: float) -> None:
        """Set every parameter that has an influence; an absolute gap of 0 suits whole numbers."""
        parameters.max_time_in_seconds = seconds
        parameters.num_workers = limits.threads
        parameters.random_seed = limits.seed % 2**31
        parameters.relative_gap_limit = limits.gap
        parameters.absolute_gap_limit = 0.0
        parameters.cp_model_presolve = self.presolve


def check_reach(milp: Milp) -> None:
    """Raise SolverError, by name, for a row or an objective whose sum could leave int64."""
    most = np.maximum(np.abs(milp.lower), np.abs(milp.upper))
    rows = abs(milp.matrix) @ most
    sides = np.concatenate([milp.row_lower, milp.row_upper])
    rows = np.maximum(rows, np.abs(np.where(np.isfinite(sides), sides, 0)).reshape(2, -1).max(0))
    over = np.flatnonzero(rows > REACH)
    if len(over):
        raise SolverError(f"cpsat: {milp.row_name(int(over[0]))} could pass 2^62")
    if float(np.abs(milp.cost) @ most) > REACH or float(most.max(initial=0.0)) > REACH:
        raise SolverError("cpsat: the objective or a column could pass 2^62")


def write(proto: Any, milp: Milp) -> None:
    """Write columns, rows and objective into an empty CpModelProto, all as int64."""
    add_column = proto.variables.add
    for pair in zip(_whole(milp.lower), _whole(milp.upper), strict=True):
        add_column().domain.extend(list(pair))
    matrix = milp.matrix
    ends = matrix.indptr.tolist()
    cols, coefs = matrix.indices.tolist(), _whole(matrix.data)
    lower, upper = _whole(milp.row_lower), _whole(milp.row_upper)
    add_row = proto.constraints.add
    for i in range(milp.n_rows):
        linear = add_row().linear
        linear.vars.extend(cols[ends[i] : ends[i + 1]])
        linear.coeffs.extend(coefs[ends[i] : ends[i + 1]])
        linear.domain.extend([lower[i], upper[i]])
    used = np.flatnonzero(milp.cost)
    # An objective without terms is still one: its bound is then told.
    proto.objective.vars.extend(used.tolist())
    proto.objective.coeffs.extend(_whole(milp.cost[used]))


def stop_of(word: str) -> tuple[Stop, str]:
    """Translate a CpSolverStatus name; unknown words are ERROR."""
    return STATUS.get(word, (Stop.ERROR, ""))


def _whole(values: np.ndarray) -> list[int]:
    """Return exact integers; open sides as CP-SAT writes them."""
    finite = np.isfinite(values)
    whole = np.where(finite, values, 0).astype(np.int64)
    whole[~finite] = np.where(values[~finite] > 0, OPEN, -OPEN)
    exact: list[int] = whole.tolist()
    return exact


def _outcome(milp: Milp, word: str, response: Any, said: str) -> Outcome:
    """Read the answer; the status decides whether there is a point."""
    stop, limit = stop_of(word)
    has_point = stop in (Stop.OPTIMAL, Stop.FEASIBLE)
    bounded = has_point or stop is Stop.NONE_FOUND
    return Outcome(
        stop,
        x=np.array(list(response.solution), dtype=np.float64) if has_point else None,
        objective=float(response.objective_value) if has_point else None,
        bound=bound_of(milp, stop, float(response.best_objective_bound)) if bounded else None,
        limit=limit,
        message=joined(word, said),
    )


def bound_of(milp: Milp, stop: Stop, claimed: float) -> float | None:
    """Return the claimed bound; None where it stands for nothing proven.

    A search that ended before it had a bound says 0, which no claim can be told from: at a limit,
    0 counts only where the bounds of the columns prove it. The ends of int64 count never.
    """
    at_limit = stop is not Stop.OPTIMAL
    if abs(claimed) >= REACH or (at_limit and claimed == 0 and _least(milp) < 0):
        return None
    return claimed


def _least(milp: Milp) -> float:
    """Return what the objective cannot go below, by the bounds of the columns."""
    return float(np.minimum(milp.cost * milp.lower, milp.cost * milp.upper).sum())


def _streamer(cp_model: ModuleType, milp: Milp, on_point: OnPoint) -> Any:
    class Streamer(cp_model.CpSolverSolutionCallback):  # type: ignore[name-defined,misc]  # lazy
        def on_solution_callback(self) -> None:
            response = self.response_proto
            x = np.array(list(response.solution), dtype=np.float64)
            on_point(x, bound_of(milp, Stop.FEASIBLE, float(response.best_objective_bound)))

    return Streamer()


def _load() -> ModuleType:
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise SolverError(
            f"ortools cannot be imported ({error}): pip install 'gangplan[cpsat]'"
        ) from error
    module: ModuleType = cp_model
    return module
