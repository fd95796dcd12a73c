"""A model as a problem of PuLP: for whoever wants to go on with it there.

PuLP is imported here and nowhere else in the solvers. Gangplan itself runs CBC without it:
``cbc.py`` says why.
"""

from typing import Any

import numpy as np

from gangplan.models.errors import SolverError
from gangplan.models.milp import Milp
from gangplan.solvers.export.mps import check_sides
from gangplan.solvers.export.names import column_names, row_names


def to_pulp(milp: Milp, name: str = "gangplan") -> Any:
    """Return a ``pulp.LpProblem`` (to be minimised) with the columns, rows and names of the model.

    One variable a column, in order; one constraint a row, ``gang.minimum(0)``, as in an LP file. A
    row with two different finite sides is two, ``name.low`` and ``name.high``; one that is open on
    both sides is left out. ``problem.variablesDict()["x(3)"]`` finds a variable by its name.

    Raises
    ------
    FormulationError : a row or column whose lower end is above its upper end.
    SolverError : PuLP is not installed.
    """
    check_sides(milp)
    pulp = _load()
    problem = pulp.LpProblem(name, pulp.LpMinimize)
    x = _add_columns(problem, milp)
    used = np.flatnonzero(milp.cost).tolist()
    cost = [(x[j], float(milp.cost[j])) for j in used]
    problem.setObjective(pulp.LpAffineExpression(cost, float(milp.offset)))
    _add_rows(pulp, problem, milp, x)
    return problem


def _add_columns(problem: Any, milp: Milp) -> list[Any]:
    kinds = np.where(milp.integer, "Integer", "Continuous").tolist()
    low = [value if np.isfinite(value) else None for value in milp.lower.tolist()]
    high = [value if np.isfinite(value) else None for value in milp.upper.tolist()]
    names = column_names(milp, "()")
    return [
        problem.add_variable(name, lower, upper, cat=kind)
        for name, lower, upper, kind in zip(names, low, high, kinds, strict=True)
    ]


def _add_rows(pulp: Any, problem: Any, milp: Milp, x: list[Any]) -> None:
    matrix = milp.matrix
    start, cols, coefs = matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()
    low, high = milp.row_lower.tolist(), milp.row_upper.tolist()
    for i, name in enumerate(row_names(milp, "()")):
        entries = range(start[i], start[i + 1])
        sides = [
            (pulp.LpConstraintGE, low[i], f"{name}.low"),
            (pulp.LpConstraintLE, high[i], f"{name}.high"),
        ]
        if low[i] == high[i]:
            sides = [(pulp.LpConstraintEQ, low[i], name)]
        sides = [side for side in sides if np.isfinite(side[1])]
        for sense, side, called in sides:
            row = pulp.LpAffineExpression([(x[cols[k]], coefs[k]) for k in entries])
            one = called if len(sides) > 1 else name
            problem.addConstraint(pulp.LpConstraint(row, sense, one, side))


def _load() -> Any:
    try:
        import pulp  # type: ignore[import-untyped, unused-ignore]
    except ImportError as error:
        raise SolverError("PuLP is not installed: pip install 'gangplan[cbc]'") from error
    return pulp
