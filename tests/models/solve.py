"""Solve a model of any kind with scipy's own HiGHS, tier after tier: for tests of formulations."""

from collections.abc import Sequence

import numpy as np
from scipy import optimize

from gangplan.models.arrays import Floats
from gangplan.models.counts.kind import COUNTS
from gangplan.models.formulation import WHOLE, Formulation, Kind
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp, row_block
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.tiers import Tier, values


def optimum(milp: Milp) -> Floats:
    """Return an optimal point; fails where the solver does not claim one."""
    if milp.n_cols == 0:
        return np.zeros(0)
    rows = [optimize.LinearConstraint(milp.matrix, milp.row_lower, milp.row_upper)]
    answer = optimize.milp(
        milp.cost,
        integrality=milp.integer.astype(np.int64),
        bounds=optimize.Bounds(milp.lower, milp.upper),
        constraints=rows if milp.n_rows else [],
        options={"mip_rel_gap": 0.0},
    )
    assert answer.status == 0, answer.message
    return np.round(answer.x, 9) + 0.0


def relaxation(milp: Milp) -> float:
    """Objective of the linear relaxation."""
    relaxed = milp.relaxed()
    rows = optimize.LinearConstraint(relaxed.matrix, relaxed.row_lower, relaxed.row_upper)
    answer = optimize.milp(
        relaxed.cost, bounds=optimize.Bounds(relaxed.lower, relaxed.upper), constraints=[rows]
    )
    assert answer.status == 0, answer.message
    return float(answer.fun)


def best_plan(
    instance: Instance,
    tiers: Sequence[Tier],
    formulation: Formulation = WHOLE,
    kind: Kind = COUNTS,
) -> tuple[Plan, tuple[int, ...]]:
    """Lexicographic optimum: the plan, and the exact values of the tiers."""
    model = kind.write(instance, formulation)
    milp, plan = model.milp, empty_plan(instance)
    for number, tier in enumerate(tiers):
        cost, offset = model.tier_cost(tier)
        point = optimum(milp.with_cost(cost, offset))
        plan = model.decode(point)
        used = np.flatnonzero(cost)
        best = round(float(cost @ point)) if len(used) else 0
        row = np.zeros(len(used), dtype=np.int64)
        milp = milp.with_rows(
            row_block(f"held.{number}", row, used, cost[used].astype(np.int64), -np.inf, best, 1)
        )
    return plan, values(instance, plan, tuple(tiers))


def written(milp: Milp) -> dict[str, int]:
    """Rows written, by block, without the empty ones."""
    sizes = {name: end - start for name, (start, end) in milp.row_blocks.items()}
    return {name: size for name, size in sizes.items() if size}
