"""A Milp as a Pyomo model that a researcher can read and extend: named, indexed blocks.

``m.x[0]`` is the first column of the block ``x``, ``m.capacity_gpu[3]`` the fourth row of the block
``capacity.gpu``. Names that Pyomo could not take as attributes are made safe; ``columns_of`` and
``rows_of`` give the components in the order of the Milp.
"""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any

import numpy as np

from gangplan.models.arrays import Floats
from gangplan.models.errors import SolverError
from gangplan.models.milp import Milp

OBJECTIVE = "objective"
"""Name of the objective."""

DUAL = "dual"
"""Name of the suffix that an engine writes duals of rows to, in a linear program."""


def to_pyomo(milp: Milp) -> Any:
    """Write a ``ConcreteModel``: one Var a column block, one Constraint a row block, one Objective.

    Parameters
    ----------
    milp : minimised; its offset is part of the objective.

    Returns
    -------
    model : with ``model.gangplan_columns`` and ``model.gangplan_rows``, the names of its blocks in
        order. Free rows are skipped; a row without entries keeps its sides over ``0 x``.

    Raises
    ------
    SolverError : pyomo is missing.
    """
    pyo = load_pyomo()
    with pause_gc():
        model = pyo.ConcreteModel(name="gangplan")
        taken = set(dir(model)) | {OBJECTIVE, DUAL, "gangplan_columns", "gangplan_rows"}
        model.gangplan_columns = tuple(_write_columns(pyo, model, milp, taken))
        columns = columns_of(model)
        model.gangplan_rows = tuple(_write_rows(pyo, model, milp, columns, taken))
        _write_objective(pyo, model, milp, columns)
        if not milp.integer.any():
            setattr(model, DUAL, pyo.Suffix(direction=pyo.Suffix.IMPORT))
    return model


def columns_of(model: Any) -> list[Any]:
    """Return the variables in the order of the Milp's columns."""
    return [data for name in model.gangplan_columns for data in getattr(model, name).values()]


def rows_of(model: Any, milp: Milp) -> list[Any]:
    """Return the constraints in the order of the Milp's rows; None for a free row."""
    rows: list[Any] = []
    for name, (_, start, end) in zip(
        model.gangplan_rows, _spans(milp.row_blocks, milp.n_rows, "row"), strict=True
    ):
        block = getattr(model, name)
        rows += [block[k] if k in block else None for k in range(end - start)]  # noqa: SIM401 (no get)
    return rows


def load_pyomo() -> ModuleType:
    """Import pyomo.environ.

    Raises
    ------
    SolverError : it cannot be imported.
    """
    try:
        import pyomo.environ
    except ImportError as error:
        raise SolverError(
            f"pyomo cannot be imported ({error}): pip install 'gangplan[pyomo]'"
        ) from error
    module: ModuleType = pyomo.environ
    return module


def pause_gc() -> AbstractContextManager[Any]:
    """Keep the garbage collector out: a model is many small objects, and all of them stay."""
    from pyomo.common.gc_manager import PauseGC

    paused: AbstractContextManager[Any] = PauseGC()
    return paused


def _write_columns(pyo: ModuleType, model: Any, milp: Milp, taken: set[str]) -> Iterator[str]:
    lower, upper, integer = milp.lower.tolist(), milp.upper.tolist(), milp.integer.tolist()
    for name, start, end in _spans(milp.col_blocks, milp.n_cols, "col"):
        safe = _safe(name, taken)

        def bounds(_: Any, k: int, start: int = start) -> tuple[float, float]:
            return lower[start + k], upper[start + k]

        def domain(_: Any, k: int, start: int = start) -> Any:
            return pyo.Integers if integer[start + k] else pyo.Reals

        kinds = set(integer[start:end])
        one = pyo.Integers if True in kinds else pyo.Reals
        block = pyo.Var(
            pyo.RangeSet(0, end - start - 1),
            domain=domain if len(kinds) == 2 else one,
            bounds=bounds,
        )
        setattr(model, safe, block)
        yield safe


def _write_rows(
    pyo: ModuleType, model: Any, milp: Milp, columns: list[Any], taken: set[str]
) -> Iterator[str]:
    from pyomo.core.expr.numeric_expr import LinearExpression

    lower, upper = _sides(milp.row_lower), _sides(milp.row_upper)
    ends = milp.matrix.indptr.tolist()
    cols, coefs = milp.matrix.indices.tolist(), milp.matrix.data.tolist()
    for name, start, end in _spans(milp.row_blocks, milp.n_rows, "row"):
        safe = _safe(name, taken)

        def rule(_: Any, k: int, start: int = start) -> Any:
            i = start + k
            if lower[i] is None and upper[i] is None:
                return pyo.Constraint.Skip
            first, last = ends[i], ends[i + 1]
            body = LinearExpression(
                constant=0,
                linear_coefs=coefs[first:last] or [0.0],
                linear_vars=[columns[j] for j in cols[first:last]] or columns[:1],
            )
            return (body, lower[i]) if lower[i] == upper[i] else (lower[i], body, upper[i])

        setattr(model, safe, pyo.Constraint(pyo.RangeSet(0, end - start - 1), rule=rule))
        yield safe


def _write_objective(pyo: ModuleType, model: Any, milp: Milp, columns: list[Any]) -> None:
    from pyomo.core.expr.numeric_expr import LinearExpression

    used = np.flatnonzero(milp.cost).tolist()
    expression = LinearExpression(
        constant=milp.offset,
        linear_coefs=milp.cost[used].tolist(),
        linear_vars=[columns[j] for j in used],
    )
    setattr(model, OBJECTIVE, pyo.Objective(expr=expression, sense=pyo.minimize))


def _spans(
    blocks: dict[str, tuple[int, int]], count: int, rest: str
) -> Iterator[tuple[str, int, int]]:
    """Yield (name, start, end) over 0 to ``count``; what no block covers is called ``rest``."""
    at = 0
    for name, (start, end) in sorted(blocks.items(), key=lambda item: item[1]):
        if at < start:
            yield rest, at, start
        if start < end:
            yield name, start, end
        at = max(at, end)
    if at < count:
        yield rest, at, count


def _safe(name: str, taken: set[str]) -> str:
    """Return a Python name nobody has, and take it."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    word = word if word[:1].isalpha() else f"b_{word}"
    safe, number = word, 2
    while safe in taken:
        safe, number = f"{word}_{number}", number + 1
    taken.add(safe)
    return safe


def _sides(values: Floats) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in values.tolist()]
