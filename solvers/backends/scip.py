"""SCIP through PySCIPOpt: a branch-and-bound code with an LP solver of its own (SoPlex).

``pyscipopt`` is imported here and nowhere else, on the first solve. The wheels of PyPI come without
SCIP's exact mode (rational arithmetic): ``exact=True`` says so, and works where SCIP was built with
it. SCIP's tolerances are parts of a row's side: rows are divided before they are handed over.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.errors import SolverError
from gangplan.models.milp import Milp
from gangplan.solvers.backends.asked import joined, read_status
from gangplan.solvers.backends.course import Clock, run
from gangplan.solvers.backends.divided import divided, halved
from gangplan.solvers.base import Limits, OnPoint, Outcome, Stop

STATUS: dict[str, tuple[Stop, str]] = {
    "optimal": (Stop.OPTIMAL, ""),
    "gaplimit": (Stop.OPTIMAL, ""),
    "infeasible": (Stop.INFEASIBLE, ""),
    "timelimit": (Stop.FEASIBLE, "time"),
    "memlimit": (Stop.FEASIBLE, "memory"),
    "userinterrupt": (Stop.FEASIBLE, "interrupt"),
    "nodelimit": (Stop.FEASIBLE, "nodes"),
    "totalnodelimit": (Stop.FEASIBLE, "nodes"),
    "stallnodelimit": (Stop.FEASIBLE, "nodes"),
    "sollimit": (Stop.FEASIBLE, "points"),
    "bestsollimit": (Stop.FEASIBLE, "points"),
    "restartlimit": (Stop.FEASIBLE, "restarts"),
    "primallimit": (Stop.FEASIBLE, "objective"),
    "duallimit": (Stop.FEASIBLE, "objective"),
    "unbounded": (Stop.ERROR, ""),
    "inforunbd": (Stop.ERROR, ""),
    "unknown": (Stop.ERROR, ""),
}
"""Status of SCIP -> (stop, limit). FEASIBLE turns into NONE_FOUND without a point; a word that is
not here is an ERROR. Our models are bounded, so "unbounded" is an error of the backend."""

SEEDS = 2**31 - 1
"""SCIP's seeds end here."""

FEASIBILITY = 1e-9
"""Relative tolerance of rows: below half a unit of every side up to 5e8."""


@dataclass(frozen=True, slots=True)
class Scip:
    """The SCIP solver in this process (``child.Watched`` puts it into one of its own).

    Attributes
    ----------
    presolve : off for a second opinion.
    exact : rational arithmetic; only where SCIP was built with it (not in PyPI's wheels).
    """

    presolve: bool = True
    exact: bool = False

    @property
    def name(self) -> str:
        """Return ``scip``."""
        return "scip"

    def second(self) -> "Scip":
        """Return the solver of a second opinion: no presolve."""
        return replace(self, presolve=False)

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        """Solve; see ``Solver``.

        Raises
        ------
        SolverError : pyscipopt is missing, or its SCIP has no exact mode and that was asked for.
        """
        return self.solve_streaming(milp, limits, start=start, on_point=None)

    def solve_streaming(
        self, milp: Milp, limits: Limits, *, start: Ints | None, on_point: OnPoint | None
    ) -> Outcome:
        """Solve, and hand over each improving point of a mixed-integer program as it is found."""

        def ask(point: Ints | None, said: str, clock: Clock) -> Outcome:
            scip = _load()
            model = scip.Model()
            model.hideOutput()
            if self.exact:
                _enable_exact(model)
            is_lp = not milp.integer.any()
            self._set_parameters(scip, model, limits, is_lp)
            # On 5 columns and 4 rows of 2**40 it ran past every limit; halved they take no time.
            smaller, factors = halved(divided(milp))
            columns, rows = _pass(model, smaller)
            if point is not None:
                said = _pass_start(model, columns, point)
            if on_point is not None and not is_lp:
                _stream(scip, model, columns, on_point)
            model.setParam("limits/time", clock.handed_over())
            model.optimizeNogil()
            clock.done()
            outcome = _outcome(model, milp, columns, rows, said)
            dual = outcome.row_dual
            return replace(outcome, row_dual=None if dual is None else dual * factors)

        return run(milp, limits, start, ask)

    def _set_parameters(self, scip: ModuleType, model: Any, limits: Limits, is_lp: bool) -> None:
        """Set every parameter that has an influence; gaps of 0 unless one was asked for."""
        parameters: dict[str, object] = {
            "limits/gap": limits.gap,
            "limits/absgap": 0.0,
            "numerics/feastol": FEASIBILITY,
            "randomization/randomseedshift": limits.seed % SEEDS,
            "randomization/permutationseed": limits.seed % SEEDS,
            "randomization/lpseed": limits.seed % SEEDS,
            "parallel/maxnthreads": limits.threads,
            "lp/threads": min(limits.threads, 64),
            "timing/clocktype": 2,
            "misc/catchctrlc": False,
        }
        off = scip.SCIP_PARAMSETTING.OFF
        if is_lp or not self.presolve:
            model.setPresolve(off)
        if is_lp:
            # Whatever takes over a row's work would take its dual as well.
            model.setHeuristics(off)
            model.setSeparating(off)
            model.disablePropagation()
        for key, value in parameters.items():
            model.setParam(key, value)


def stop_of(word: str, has_point: bool) -> tuple[Stop, str]:
    """Translate a status of SCIP and whether there is a point; unknown words are ERROR."""
    return read_status(STATUS, word, has_point)


def _enable_exact(model: Any) -> None:
    try:
        model.enableExactSolving(True)
    except Exception as error:
        raise SolverError(f"scip: this build has no exact mode ({error})") from error


def _pass(model: Any, milp: Milp) -> tuple[list[Any], list[Any]]:
    """Hand the model over: columns, then empty rows and their entries (no expression is built)."""
    from pyscipopt.scip import Expr, ExprCons

    binary = milp.integer & (milp.lower >= 0) & (milp.upper <= 1)
    kinds = np.where(binary, "B", np.where(milp.integer, "I", "C")).tolist()
    data = (kinds, milp.lower.tolist(), milp.upper.tolist(), milp.cost.tolist())
    columns = [
        model.addVar(vtype=kind, lb=low, ub=high, obj=cost)
        for kind, low, high, cost in zip(*data, strict=True)
    ]
    lower, upper = _sides(milp.row_lower), _sides(milp.row_upper)
    ends = milp.matrix.indptr.tolist()
    cols, coefs = milp.matrix.indices.tolist(), milp.matrix.data.tolist()
    add: Callable[[Any, Any, float], None] = model.addCoefLinear
    rows: list[Any] = []
    for i in range(milp.n_rows):
        if lower[i] is None and upper[i] is None:
            rows.append(None)  # SCIP takes no free row
            continue
        row = model.addCons(ExprCons(Expr({}), lhs=lower[i], rhs=upper[i]))
        for k in range(ends[i], ends[i + 1]):
            add(row, columns[cols[k]], coefs[k])
        rows.append(row)
    return columns, rows


def _sides(values: Floats) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in values.tolist()]


def _pass_start(model: Any, columns: list[Any], start: Ints) -> str:
    point = model.createSol()
    for j in np.flatnonzero(start).tolist():
        model.setSolVal(point, columns[j], float(start[j]))
    return "start used" if model.addSol(point) else "start not used: refused by scip"


def _stream(scip: ModuleType, model: Any, columns: list[Any], on_point: OnPoint) -> None:
    class Streamer(scip.Eventhdlr):  # type: ignore[name-defined,misc]  # lazy
        def eventinit(self) -> None:
            self.model.catchEvent(scip.SCIP_EVENTTYPE.BESTSOLFOUND, self)

        def eventexit(self) -> None:
            self.model.dropEvent(scip.SCIP_EVENTTYPE.BESTSOLFOUND, self)

        def eventexec(self, event: object) -> None:
            point = self.model.getBestSol()
            on_point(np.array([point[c] for c in columns]), _bound(self.model))

    model.includeEventhdlr(Streamer(), "gangplan", "hands over improving points")


def _bound(model: Any) -> float | None:
    bound = float(model.getDualbound())
    return bound if abs(bound) < model.infinity() else None


def _outcome(model: Any, milp: Milp, columns: list[Any], rows: list[Any], said: str) -> Outcome:
    """Read the answer; the number of solutions decides whether there is a point."""
    is_lp = not milp.integer.any()
    word = str(model.getStatus())
    has_point = model.getNSols() > 0
    stop, limit = stop_of(word, has_point)
    x = None
    if has_point and stop in (Stop.OPTIMAL, Stop.FEASIBLE):
        point = model.getBestSol()
        x = np.array([point[column] for column in columns])
    duals = None
    if is_lp and stop is Stop.OPTIMAL:
        duals = np.array([0.0 if row is None else model.getDualsolLinear(row) for row in rows])
    bounded = not is_lp and stop in (Stop.OPTIMAL, Stop.FEASIBLE, Stop.NONE_FOUND)
    return Outcome(
        stop,
        x=x,
        objective=None if x is None else float(milp.cost @ x),
        bound=_bound(model) if bounded else None,
        row_dual=duals,
        limit=limit,
        message=joined(word, said),
    )


def _load() -> ModuleType:
    try:
        import pyscipopt
    except ImportError as error:
        raise SolverError(
            f"pyscipopt cannot be imported ({error}): pip install 'gangplan[scip]'"
        ) from error
    module: ModuleType = pyscipopt
    return module
