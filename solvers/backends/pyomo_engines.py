"""The three ways from a Pyomo model to a solver, each a function ``Asked -> Answer``.

Every option that has an influence is set where the engine has one (``OPTIONS``): gaps, threads,
seed. An engine that is not listed there gets its time limit only, and runs with its own gaps.
"""

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from gangplan.models.arrays import Floats
from gangplan.models.errors import SolverError
from gangplan.solvers.backends.pyomo_model import DUAL, load_pyomo
from gangplan.solvers.base import Limits

FEASIBILITY = 1e-7
"""Row and integrality tolerance asked of HiGHS."""

LEAST_SECONDS = 1e-2
"""No engine is started with less: some read 0 as "no limit"."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A model for an engine.

    Attributes
    ----------
    engine : its name.
    model, columns, rows : see ``pyomo_model``; a row is None where it is free.
    limits, begin : the limits, and ``perf_counter`` when their clock began.
    absolute_gap : at which the objective's step leaves no better value.
    warm : the columns' values are a start.
    """

    engine: str
    model: Any
    columns: list[Any]
    rows: list[Any]
    limits: Limits
    begin: float
    absolute_gap: float
    warm: bool

    @property
    def left(self) -> float:
        """Seconds that remain."""
        return max(self.limits.seconds - (time.perf_counter() - self.begin), LEAST_SECONDS)


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What an engine said: its termination condition, and what it had to give with it.

    Attributes
    ----------
    word : name of the TerminationCondition.
    x : (n,) values, NaN for a column that Pyomo left out; None without a solution.
    objective, bound : as the engine gave them, or None.
    row_dual : (m,) or None.
    seconds : of the solve itself.
    took_start : the engine was given the start.
    """

    word: str
    x: Floats | None
    objective: float | None
    bound: float | None
    row_dual: Floats | None
    seconds: float
    took_start: bool


def appsi_highs(asked: Asked) -> Answer:
    """HiGHS through APPSI: in process, with a start."""
    from pyomo.contrib.appsi.solvers import Highs

    solver = Highs()
    solver.config.load_solution = False
    solver.config.warmstart = asked.warm
    solver.highs_options = _highs_options(asked)
    _freeze(solver.update_config)
    solver.set_instance(asked.model)
    solver.config.time_limit = asked.left
    begin = time.perf_counter()
    results = solver.solve(asked.model)
    seconds = time.perf_counter() - begin
    found = results.best_feasible_objective
    has_point = found is not None and math.isfinite(found)
    return Answer(
        results.termination_condition.name,
        _values(results.solution_loader.get_primals(), asked) if has_point else None,
        found if has_point else None,
        results.best_objective_bound,
        _duals(results.solution_loader.get_duals, asked) if has_point else None,
        seconds,
        asked.warm,
    )


def contributed(asked: Asked) -> Answer:
    """Any solver of ``pyomo.contrib.solver``."""
    from pyomo.contrib.solver.common.factory import SolverFactory

    solver = SolverFactory(asked.engine)
    config = solver.config
    config.load_solutions = False
    config.raise_exception_on_nonoptimal_result = False
    common: dict[str, object] = {
        "threads": asked.limits.threads,
        "rel_gap": asked.limits.gap,
        "abs_gap": asked.absolute_gap,
        "warmstart_discrete_vars": asked.warm,
    }
    for key, value in common.items():
        if key in config:
            setattr(config, key, value)
    for key, value in _options(asked).items():
        config.solver_options[key] = value
    if hasattr(solver, "set_instance") and "auto_updates" in config:
        _freeze(config.auto_updates)
        solver.set_instance(asked.model)
    config.time_limit = asked.left
    begin = time.perf_counter()
    results = solver.solve(asked.model)
    seconds = time.perf_counter() - begin
    has_point = results.solution_status.name in ("feasible", "optimal")
    loader = results.solution_loader
    return Answer(
        results.termination_condition.name,
        _values(loader.get_vars(), asked) if has_point else None,
        results.incumbent_objective if has_point else None,
        results.objective_bound,
        _duals(loader.get_duals, asked) if has_point else None,
        seconds,
        asked.warm and "warmstart_discrete_vars" in config,
    )


def classic(asked: Asked) -> Answer:
    """Any other solver of ``pyomo.environ.SolverFactory``: files and an executable.

    The file is written inside Pyomo's solve, and that takes about as long as the model took. The
    interface's own bound is not read: glpk's is the incumbent's objective, also at a limit.
    """
    solver = _classic(asked.engine)
    solver.options.update(_options(asked))
    seconds = max(asked.left - (time.perf_counter() - asked.begin), LEAST_SECONDS)
    about: dict[str, object] = {"load_solutions": False}
    if asked.warm and solver.warm_start_capable():
        about["warmstart"] = True
    about["timelimit"] = max(1, math.floor(seconds)) if asked.engine == "glpk" else seconds
    begin = time.perf_counter()
    results = solver.solve(asked.model, **about)
    took = time.perf_counter() - begin
    word = str(results.solver.termination_condition)
    if str(results.solver.status) in ("error", "aborted") and word in ("optimal", "unknown"):
        word = "error"
    has_point = len(results.solution) > 0
    if has_point:
        for column in asked.columns:
            column.set_value(None, skip_validation=True)
        # An entry that a solution file leaves out is zero.
        asked.model.solutions.load_from(results, default_variable_value=0)
    return Answer(
        word,
        _column_values(asked) if has_point else None,
        None,
        None,
        _suffix(asked) if has_point else None,
        _number(getattr(results.solver, "time", None)) or took,
        "warmstart" in about,
    )


ENGINES: dict[str, Callable[[Asked], Answer]] = {
    "appsi_highs": appsi_highs,
    "highs": contributed,
    "scip_direct": contributed,
    "scip_persistent": contributed,
    "gurobi_direct": contributed,
    "gurobi_persistent": contributed,
}
"""Engines with a way of their own; any other name goes to ``classic``."""


def is_here(engine: str) -> bool:
    """Tell whether Pyomo can run this engine here."""
    load_pyomo()
    if engine == "appsi_highs":
        from pyomo.contrib.appsi.solvers import Highs

        return bool(Highs().available())
    if engine in ENGINES:
        from pyomo.contrib.solver.common.factory import SolverFactory

        return engine in list(SolverFactory) and bool(SolverFactory(engine).available())
    return bool(_classic(engine).available(exception_flag=False))


def _classic(engine: str) -> Any:
    pyo = load_pyomo()
    if engine == "cbc":
        from gangplan.solvers.backends.cbc_binary import find_binary

        with suppress(SolverError):  # then Pyomo looks for one
            return pyo.SolverFactory(engine, executable=find_binary().path)
    return pyo.SolverFactory(engine)


def _highs_options(asked: Asked) -> dict[str, object]:
    return {
        "threads": asked.limits.threads,
        "random_seed": asked.limits.seed % 2**31,
        "mip_rel_gap": asked.limits.gap,
        "mip_abs_gap": asked.absolute_gap,
        "mip_feasibility_tolerance": FEASIBILITY,
        "primal_feasibility_tolerance": FEASIBILITY,
    }


def _cbc_options(asked: Asked) -> dict[str, object]:
    return {
        "ratioGap": asked.limits.gap,
        "allowableGap": asked.absolute_gap,
        "threads": asked.limits.threads,
        "randomSeed": asked.limits.seed % 2**31,
        "randomCbcSeed": asked.limits.seed % 2**31,
        "timeMode": "elapsed",
        "primalTolerance": FEASIBILITY,
        "integerTolerance": FEASIBILITY,
    }


def _scip_options(asked: Asked) -> dict[str, object]:
    return {
        "limits/gap": asked.limits.gap,
        "limits/absgap": 0.0,
        "numerics/feastol": 1e-9,
        "randomization/randomseedshift": asked.limits.seed % (2**31 - 1),
        "timing/clocktype": 2,
    }


OPTIONS: dict[str, Callable[[Asked], dict[str, object]]] = {
    "highs": _highs_options,
    "cbc": _cbc_options,
    "scip": _scip_options,
    "scip_direct": _scip_options,
    "scip_persistent": _scip_options,
    "glpk": lambda asked: {"mipgap": asked.limits.gap},
}
"""Engine -> its own options."""


def _options(asked: Asked) -> dict[str, object]:
    return OPTIONS[asked.engine](asked) if asked.engine in OPTIONS else {}


def _freeze(updates: Any) -> None:
    """Tell Pyomo that the model does not change between hand-over and solve."""
    for key in list(updates):
        if key.startswith(("check_for", "update_")):
            setattr(updates, key, False)


def _values(found: Any, asked: Asked) -> Floats:
    return np.array([found.get(column, math.nan) for column in asked.columns], dtype=np.float64)


def _column_values(asked: Asked) -> Floats:
    values = [math.nan if c.value is None else c.value for c in asked.columns]
    return np.array(values, dtype=np.float64)


def _duals(get: Callable[[], Any], asked: Asked) -> Floats | None:
    """Return duals of a linear program; None where the engine has none."""
    if not hasattr(asked.model, DUAL):
        return None
    found: Any = None
    with suppress(NotImplementedError):
        found = get()
    if found is None:
        return None
    return np.array([0.0 if row is None else found.get(row, 0.0) for row in asked.rows])


def _suffix(asked: Asked) -> Floats | None:
    suffix = getattr(asked.model, DUAL, None)
    if suffix is None or not len(suffix):
        return None
    return np.array([0.0 if row is None else suffix.get(row, 0.0) for row in asked.rows])


def _number(value: Any) -> float | None:
    """Return a finite number out of a classic result, whose unset fields are objects."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
