"""What every backend must answer: small models with their optimum written beside them.

``CASES`` are data, ``check(solver, case)`` is the one judge; a new backend adds its name to
``gangplan.solvers.registry.BACKENDS`` and runs the same suite.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.bound import dual_bound
from gangplan.models.milp import INFINITY, Columns, Milp, build, row_block
from gangplan.solvers.base import Limits, Solver, Stop


def model(
    cost: Sequence[int],
    lower: Sequence[int],
    upper: Sequence[int],
    rows: Sequence[tuple[Sequence[int], float, float]],
    *,
    relaxed: bool = False,
) -> Milp:
    """Minimise cost'x over bounds and rows (coefficients, lower, upper); integer unless relaxed."""
    columns = Columns()
    columns.add("x", lower, upper)
    dense = np.array([row for row, _, _ in rows], dtype=np.int64).reshape(len(rows), len(cost))
    at, col = np.nonzero(dense)
    sides = np.array([(low, high) for _, low, high in rows]).reshape(len(rows), 2)
    block = row_block("row.k", at, col, dense[at, col], sides[:, 0], sides[:, 1], len(rows))
    made = build(columns, [block]).with_cost(cost)
    return made.relaxed() if relaxed else made


def market_split(rows: int = 5, columns: int = 40) -> Milp:
    """Split columns into halves of equal sums, row by row: feasible in slack, hard to prove."""
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 100, (rows, columns))
    eye = np.eye(rows, dtype=np.int64)
    dense = np.hstack([weights, eye, -eye])
    half = (weights.sum(axis=1) // 2).tolist()
    return model(
        [0] * columns + [1] * (2 * rows),
        [0] * (columns + 2 * rows),
        [1] * columns + [5000] * (2 * rows),
        [(dense[i].tolist(), half[i], half[i]) for i in range(rows)],
    )


@dataclass(frozen=True)
class Case:
    """One model; ``optimum`` is None where it has no point."""

    name: str
    make: Callable[[], Milp]
    optimum: int | None


def _ones(n: int, lower: float, upper: float) -> tuple[list[int], float, float]:
    return [1] * n, lower, upper


CYCLE = [[1 if j in (i, (i + 1) % 5) else 0 for j in range(5)] for i in range(5)]

CASES = (
    # 3 a + 4 b + 5 c <= 7: a and b pay 9, c alone 6.
    Case(
        "knapsack",
        lambda: model([-4, -5, -6], [0] * 3, [1] * 3, [([3, 4, 5], -INFINITY, 7)]),
        -9,
    ),
    # 2 x + 2 y = 3 has fractional points only.
    Case("parity", lambda: model([1, 1], [0, 0], [5, 5], [([2, 2], 3, 3)]), None),
    # Three binaries cannot sum to 4.
    Case("too much asked", lambda: model([1] * 3, [0] * 3, [1] * 3, [_ones(3, 4, INFINITY)]), None),
    Case("no columns, no rows", lambda: model([], [], [], []), 0),
    # x at 0, y at 3.
    Case("no rows", lambda: model([1, -1], [0, 0], [3, 3], []), -3),
    # Everything is fixed: 2 * 2 - 3 = 1.
    Case("fixed columns", lambda: model([2, -1], [2, 3], [2, 3], [_ones(2, 0, 9)]), 1),
    # Columns of negative range: x = -4, y = 3 by the row x + y >= -1.
    Case("negative bounds", lambda: model([2, 1], [-4, -4], [4, 4], [_ones(2, -1, INFINITY)]), -5),
    # 3 x 3 assignment, costs 4 1 3 / 2 0 5 / 3 2 2: 1 + 2 + 2.
    Case(
        "assignment",
        lambda: model(
            [4, 1, 3, 2, 0, 5, 3, 2, 2],
            [0] * 9,
            [1] * 9,
            [([int(j // 3 == i) for j in range(9)], 1, 1) for i in range(3)]
            + [([int(j % 3 == i) for j in range(9)], 1, 1) for i in range(3)],
        ),
        5,
    ),
    # 7 x + 12 y >= 31: (1, 2) costs 7 + 22 = 29; (3, 1) costs 32; (0, 3) 33; (5, 0) 35.
    Case("general integers", lambda: model([7, 11], [0, 0], [9, 9], [([7, 12], 31, INFINITY)]), 29),
    # 4 <= 3 x + 5 y <= 7 admits only (0, 1) and (2, 0): y is dearer.
    Case("range row", lambda: model([2, 5], [0, 0], [9, 9], [([3, 5], 4, 7)]), 4),
    # Odd cycle: the relaxation packs 2.5 vertices, two fit.
    Case(
        "odd cycle",
        lambda: model([-1] * 5, [0] * 5, [1] * 5, [(row, -INFINITY, 1) for row in CYCLE]),
        -2,
    ),
    # Two nodes of 3 GPUs hold one pod of 2 each, though 6 / 2 = 3.
    Case(
        "two nodes of three",
        lambda: model([-1, -1], [0, 0], [3, 3], [([2, 0], -INFINITY, 3), ([0, 2], -INFINITY, 3)]),
        -2,
    ),
    # Sides of 2**39 (bytes): 3 pods of 2**37 + 1 fit, a fourth lacks 4 bytes.
    Case(
        "big numbers",
        lambda: model([-1], [0], [9], [([2**37 + 1], -INFINITY, 2**39)]),
        -3,
    ),
    # Steps of 7: an absolute gap below 7 must not end the search early.
    Case(
        "objective in steps",
        lambda: model([-14, -21, -35], [0] * 3, [1] * 3, [([2, 3, 4], -INFINITY, 6)]),
        -49,
    ),
    # A weight of a million hides the last unit from a relative gap of 1e-4.
    Case(
        "tiers in one objective",
        lambda: model(
            [-1_000_000, -3, -4, -5],
            [0] * 4,
            [1, 1, 1, 1],
            [([0, 3, 4, 5], -INFINITY, 7), ([1, 0, 0, 0], -INFINITY, 1)],
        ),
        -1_000_007,
    ),
    # Any point will do.
    Case("zero cost", lambda: model([0, 0], [0, 0], [4, 4], [([3, 5], 8, 8)]), 0),
    # max 3 x + 2 y, x + y <= 4, x + 3 y <= 7, x <= 3: (3, 1).
    Case(
        "linear program",
        lambda: model(
            [-3, -2],
            [0, 0],
            [3, 9],
            [([1, 1], -INFINITY, 4), ([1, 3], -INFINITY, 7)],
            relaxed=True,
        ),
        -11,
    ),
    # Covering with an equality: x + y = 5, y <= 2.
    Case(
        "linear program, equality",
        lambda: model([4, 1], [0, 0], [9, 2], [_ones(2, 5, 5)], relaxed=True),
        14,
    ),
    Case(
        "linear program, infeasible",
        lambda: model([1], [0], [1], [([1], 2, INFINITY)], relaxed=True),
        None,
    ),
    # A row that binds nothing.
    Case("free row", lambda: model([-1, 2], [0, 1], [3, 3], [_ones(2, -INFINITY, INFINITY)]), -1),
    # A row without entries allows zero, or nothing.
    Case("empty row", lambda: model([-1], [0], [2], [([0], -1, 5), ([1], 0, 1)]), -1),
    Case("empty row that asks", lambda: model([-1], [0], [2], [([0], 1, 5), ([1], 0, 1)]), None),
    # Neither cost nor rows.
    Case("nothing to choose by", lambda: model([0, 0], [1, 0], [3, 0], []), 0),
    # 3 x + 5 y = 19 admits only (3, 2).
    Case("equality", lambda: model([1, 1], [0, 0], [9, 9], [([3, 5], 19, 19)]), 5),
    # The first column is in no row and free of cost; the second is fixed.
    Case("idle columns", lambda: model([0, 2, -1], [1, 3, 0], [4, 3, 9], [([0, 1, 1], 0, 8)]), 1),
    # max x + 2 y, 1 <= x + y <= 3, y <= 2: (1, 2).
    Case(
        "linear program, range row",
        lambda: model([-1, -2], [0, 0], [2, 2], [_ones(2, 1, 3)], relaxed=True),
        -5,
    ),
    # x + y >= 4, x <= 3: (3, 1); the second row is free.
    Case(
        "linear program, lower side and free row",
        lambda: model(
            [2, 3],
            [0, 0],
            [3, 9],
            [_ones(2, 4, INFINITY), ([1, 2], -INFINITY, INFINITY)],
            relaxed=True,
        ),
        9,
    ),
    # The fixed column takes 2 of 5.
    Case(
        "linear program, fixed column",
        lambda: model([-1, -1], [2, 0], [2, 9], [_ones(2, -INFINITY, 5)], relaxed=True),
        -5,
    ),
    # SCIP 10.0 comes back from rows of 2**40 only where they are halved.
    Case(
        "wide rows without a point",
        lambda: model(
            [974236190, -731698613, -577461160, 677101426, 154486325],
            [1, 0, -1, 0, -2],
            [4, 4, 0, 3, 2],
            [
                (
                    [8029766152, 646879022682, 869518042214, 313100680204, 811270857361],
                    -INFINITY,
                    2**40,
                ),
                (
                    [807454144091, 877078416471, 875001468527, 452316223601, 612480120599],
                    2**40,
                    2**40,
                ),
                (
                    [174754789520, 268051095970, 119606215486, 1014154481058, 989271394752],
                    2**40 - 2,
                    INFINITY,
                ),
                (
                    [600691913997, 20645465717, 169355183162, 943138135506, 1026387371613],
                    2**40 - 2,
                    INFINITY,
                ),
            ],
        ),
        None,
    ),
    # Rows of 2**37: HiGHS 1.16.0 calls -15 optimal, or finds no point, where they are not halved.
    Case(
        "wide row, optimum",
        lambda: model(
            [1, -4, 4, 3],
            [-4, 0, 1, -4],
            [-3, 1, 5, -2],
            [
                ([245, 90, 88, 187], -INFINITY, -1001),
                ([72263700770, 131380006731, 6740639752, 44277879698], -350648003469, INFINITY),
            ],
        ),
        -16,
    ),
    Case(
        "wide row, sides alike",
        lambda: model(
            [-6, -6, -6, 7],
            [-2, 2, 1, -1],
            [2, 4, 4, 3],
            [
                ([179844023107, 40504638264, 58994619825, 68318163242], 813312128526, 813312128526),
                ([61, 46, 86, 28], 613, INFINITY),
                ([7, 3, 6, 2], 48, 48),
            ],
        ),
        -34,
    ),
    Case(
        "wide row, one side",
        lambda: model(
            [-5, -8, 6],
            [2, -1, 0],
            [3, 3, 4],
            [
                ([19494968050, 183147201370, 205207811120], 490961136138, INFINITY),
                ([14, 10, 14], 74, 74),
            ],
        ),
        11,
    ),
)


def check(solver: Solver, case: Case, limits: Limits) -> None:
    """Judge one answer: status, exact feasibility, optimum, and bounds that are bounds."""
    milp = case.make()
    outcome = solver.solve(milp, limits)
    if case.optimum is None:
        assert outcome.stop is Stop.INFEASIBLE, outcome
        assert outcome.x is None
        assert outcome.bound is None
        return
    assert outcome.stop is Stop.OPTIMAL, outcome
    assert outcome.x is not None
    assert outcome.x.shape == (milp.n_cols,)
    whole = np.rint(outcome.x).astype(np.int64)
    assert np.abs(outcome.x - whole).max(initial=0.0) <= 1e-6
    assert not len(milp.violated_rows(whole))
    assert ((whole >= milp.lower) & (whole <= milp.upper)).all()
    assert milp.objective(whole) == case.optimum
    assert outcome.objective is not None
    assert abs(outcome.objective - case.optimum) <= 1e-6 * max(1, abs(case.optimum))
    if milp.integer.any():
        assert outcome.bound is not None
        assert outcome.bound <= case.optimum + 1e-6 * max(1, abs(case.optimum))
        assert outcome.row_dual is None
    elif milp.n_cols:
        # An objective of a linear program is no bound; its duals are, made exact.
        assert outcome.bound is None
        assert outcome.row_dual is not None
        assert dual_bound(milp, outcome.row_dual)[0] == case.optimum
    assert outcome.solve_seconds >= 0
    assert outcome.handover_seconds >= 0
