"""HiGHS through highspy: one ``passModel`` from sparse arrays, every status read from one table.

``highspy`` is imported here and nowhere else, on the first solve. HiGHS keeps its threads in a
global scheduler, so one process solves with one number of threads (``child.Watched`` sees to that).
"""

import time
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.errors import SolverError
from gangplan.models.milp import Milp
from gangplan.solvers.backends.asked import (
    absolute_gap,
    is_another_point,
    joined,
    without_columns,
    word_on_start,
)
from gangplan.solvers.backends.divided import halved
from gangplan.solvers.base import Limits, OnPoint, Outcome, Stop

STATUS: dict[str, tuple[Stop, str]] = {
    "kOptimal": (Stop.OPTIMAL, ""),
    "kModelEmpty": (Stop.OPTIMAL, ""),
    "kInfeasible": (Stop.INFEASIBLE, ""),
    "kTimeLimit": (Stop.FEASIBLE, "time"),
    "kIterationLimit": (Stop.FEASIBLE, "iterations"),
    "kSolutionLimit": (Stop.FEASIBLE, "nodes"),
    "kMemoryLimit": (Stop.FEASIBLE, "memory"),
    "kInterrupt": (Stop.FEASIBLE, "interrupt"),
    "kHighsInterrupt": (Stop.FEASIBLE, "interrupt"),
    "kObjectiveBound": (Stop.FEASIBLE, "objective"),
    "kObjectiveTarget": (Stop.FEASIBLE, "objective"),
    "kUnboundedOrInfeasible": (Stop.ERROR, ""),
    "kUnbounded": (Stop.ERROR, ""),
    "kUnknown": (Stop.ERROR, ""),
    "kNotset": (Stop.ERROR, ""),
    "kLoadError": (Stop.ERROR, ""),
    "kModelError": (Stop.ERROR, ""),
    "kPresolveError": (Stop.ERROR, ""),
    "kSolveError": (Stop.ERROR, ""),
    "kPostsolveError": (Stop.ERROR, ""),
}
"""HighsModelStatus -> (stop, limit). FEASIBLE turns into NONE_FOUND without a point; a word that
is not here is an ERROR. Our models are bounded, so "unbounded" is an error of the backend."""

REFUSED = {(1, 14, 0): "its presolve returns wrong optima; 1.15 and later are right"}
"""Versions that gave wrong answers (lovasoa/highs-js #53, ERGO-Code/HiGHS #2957)."""

LP_METHODS = ("choose", "simplex", "ipm")

IPM_FROM = 500_000
"""Entries of a linear program from which interior point, without crossover, is faster."""

FEASIBILITY = 1e-7
"""Row and integrality tolerance: ten times finer than what ``decode`` accepts as integral."""


@dataclass(frozen=True, slots=True)
class Highs:
    """The HiGHS solver in this process (``child.Watched`` puts it into one of its own).

    The first engine of a process prints two lines on stdout, whatever its options say (1.16.0); in
    a watched child they go to its log.

    Attributes
    ----------
    presolve : off for a second opinion.
    lp_method : ``simplex``, ``ipm``, or ``choose`` by the number of entries.
    heuristics : part of the effort that goes into primal heuristics, 0 to 1.
    """

    presolve: bool = True
    lp_method: str = "choose"
    heuristics: float = 0.05

    def __post_init__(self) -> None:
        """Check the options."""
        if self.lp_method not in LP_METHODS:
            raise ValueError(f"lp_method = {self.lp_method!r}: one of {', '.join(LP_METHODS)}")
        if not 0 <= self.heuristics <= 1:
            raise ValueError(f"heuristics = {self.heuristics}: a number in [0, 1] expected")

    @property
    def name(self) -> str:
        """Return ``highs``."""
        return "highs"

    def second(self) -> "Highs":
        """Return the solver of a second opinion: no presolve, where wrong answers came from."""
        return replace(self, presolve=False)

    def centred(self) -> "Highs":
        """Return the solver whose linear programs end in the middle: interior point alone."""
        return replace(self, lp_method="ipm")

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        """Solve; see ``Solver``.

        Raises
        ------
        SolverError : highspy is missing or refused, or does not take the model.
        """
        return self.solve_streaming(milp, limits, start=start, on_point=None)

    def solve_streaming(
        self, milp: Milp, limits: Limits, *, start: Ints | None, on_point: OnPoint | None
    ) -> Outcome:
        """Solve, and hand over each improving point of a mixed-integer program as it is found."""
        begin = time.perf_counter()
        highspy = _load()
        _fix_threads(limits.threads)
        empty = without_columns(milp, word_on_start(milp, start))
        if empty is not None:
            return empty
        is_lp = not milp.integer.any()
        engine = highspy.Highs()
        self._set_options(engine, milp, limits, is_lp)
        smaller, factors = halved(milp)
        _pass(highspy, engine, smaller)
        said = _pass_start(engine, milp, start)
        if on_point is not None and not is_lp:
            _stream(highspy, engine, on_point)
        handed = time.perf_counter()
        engine.setOptionValue("time_limit", max(limits.seconds - (handed - begin), 1e-3))
        engine.run()
        done = time.perf_counter()
        outcome = _owned_up(milp, _outcome(highspy, engine, milp, is_lp, said))
        dual = outcome.row_dual
        return replace(
            outcome,
            row_dual=None if dual is None or dual.shape != factors.shape else dual * factors,
            handover_seconds=handed - begin,
            solve_seconds=done - handed,
            overshoot=max(0.0, done - begin - limits.seconds),
        )

    def _set_options(self, engine: Any, milp: Milp, limits: Limits, is_lp: bool) -> None:
        """Set every option that has an influence; the defaults of gaps are not exact enough."""
        ipm = self.lp_method == "ipm" or (self.lp_method == "choose" and milp.matrix.nnz > IPM_FROM)
        options: dict[str, object] = {
            "output_flag": False,
            "threads": limits.threads,
            "random_seed": limits.seed % 2**31,
            "presolve": "choose" if self.presolve else "off",
            "mip_rel_gap": limits.gap,
            "mip_abs_gap": absolute_gap(milp),
            "mip_feasibility_tolerance": FEASIBILITY,
            "primal_feasibility_tolerance": FEASIBILITY,
            "mip_heuristic_effort": self.heuristics,
        }
        if is_lp and ipm:
            # Any duals give a safe bound, so crossover would buy nothing.
            options |= {"solver": "ipm", "run_crossover": "off"}
        elif is_lp:
            options |= {"solver": "simplex"}
        for key, value in options.items():
            if engine.setOptionValue(key, value).name != "kOk":
                raise SolverError(f"highs: option {key} = {value!r} was refused")


def _owned_up(milp: Milp, outcome: Outcome) -> Outcome:
    """Return the outcome; an ERROR where the point is not the one whose objective is claimed.

    1.16.0: where presolve maps the start onto an optimum, the start itself comes back as optimal.
    """
    if not milp.integer.any() or not is_another_point(milp, outcome):
        return outcome
    said = f"{outcome.message}; its point is not the one whose objective it claims"
    return replace(outcome, stop=Stop.ERROR, bound=None, message=said)


def stop_of(word: str, has_point: bool) -> tuple[Stop, str]:
    """Translate a HighsModelStatus name and whether there is a point; unknown words are ERROR."""
    stop, limit = STATUS.get(word, (Stop.ERROR, ""))
    if stop is Stop.FEASIBLE and not has_point:
        return Stop.NONE_FOUND, limit
    return stop, limit


def check_version(version: tuple[int, int, int]) -> None:
    """Raise SolverError for a version known to give wrong answers."""
    if version in REFUSED:
        raise SolverError(f"highspy {'.'.join(map(str, version))} is refused: {REFUSED[version]}")


def _load() -> ModuleType:
    try:
        import highspy
    except ImportError as error:
        raise SolverError(f"highspy cannot be imported: {error}") from error
    check_version(
        (highspy.HIGHS_VERSION_MAJOR, highspy.HIGHS_VERSION_MINOR, highspy.HIGHS_VERSION_PATCH)
    )
    module: ModuleType = highspy
    return module


_threads_of_process: list[int] = []


def _fix_threads(threads: int) -> None:
    """Refuse a second number of threads: HiGHS would fail, or answer zeros, without a word."""
    if not _threads_of_process:
        _threads_of_process.append(threads)
    if _threads_of_process[0] != threads:
        raise SolverError(
            f"highs: this process solves with threads = {_threads_of_process[0]}, "
            f"and cannot change to {threads}: use a process of its own (Watched)"
        )


def _pass(highspy: ModuleType, engine: Any, milp: Milp) -> None:
    """Hand the whole model over in one call, by columns: HiGHS is three times slower to turn it."""
    matrix = milp.matrix.tocsc()
    status = engine.passModel(
        milp.n_cols,
        milp.n_rows,
        matrix.nnz,
        int(highspy.MatrixFormat.kColwise),
        int(highspy.ObjSense.kMinimize),
        0.0,
        milp.cost,
        milp.lower,
        milp.upper,
        milp.row_lower,
        milp.row_upper,
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data.astype(np.float64),
        milp.integer.astype(np.int32),
    )
    if status.name == "kError":
        raise SolverError("highs: the model was refused (passModel)")


def _pass_start(engine: Any, milp: Milp, start: Ints | None) -> str:
    """Pass a start point that keeps every row and bound; HiGHS itself takes any without a word."""
    said = word_on_start(milp, start)
    if start is None or said != "start used" or not milp.n_cols:
        return said
    index = np.arange(milp.n_cols, dtype=np.int32)
    status = engine.setSolution(milp.n_cols, index, start.astype(np.float64))
    return said if status.name == "kOk" else "start not used: refused by highs"


def _stream(highspy: ModuleType, engine: Any, on_point: OnPoint) -> None:
    def improved(kind: int, text: str, out: Any, back: Any, data: Any) -> None:
        bound = float(out.mip_dual_bound)
        on_point(np.array(out.mip_solution), bound if np.isfinite(bound) else None)

    engine.setCallback(improved, None)
    engine.startCallback(highspy.cb.HighsCallbackType.kCallbackMipImprovingSolution)


def _outcome(highspy: ModuleType, engine: Any, milp: Milp, is_lp: bool, said: str) -> Outcome:
    """Read the answer; validity flags decide what is a point, never the vector itself."""
    word = engine.getModelStatus().name
    info, solution = engine.getInfo(), engine.getSolution()
    feasible = info.primal_solution_status == highspy.kSolutionStatusFeasible
    has_point = bool(solution.value_valid) and feasible
    x = np.array(solution.col_value) if has_point else None
    if word == "kModelEmpty":
        x, has_point = np.zeros(milp.n_cols), True
    stop, limit = stop_of(word, has_point)
    if stop is Stop.ERROR and solution.value_valid and not is_lp:
        # An answer may be right although the status is not: the caller's check decides.
        x = np.array(solution.col_value)
    if stop is Stop.INFEASIBLE:
        x = None
    bound = None
    if not is_lp and stop in (Stop.OPTIMAL, Stop.FEASIBLE, Stop.NONE_FOUND):
        best = float(info.mip_dual_bound) if word != "kModelEmpty" else 0.0
        bound = best if np.isfinite(best) else None
    row_dual = np.array(solution.row_dual) if is_lp and solution.dual_valid else None
    return Outcome(
        stop,
        x=x,
        objective=None if x is None else float(info.objective_function_value),
        bound=bound,
        row_dual=row_dual,
        limit=limit,
        message=joined(word, said),
    )
