"""What a solver claims, made safe: its bound an integer, its point a plan that keeps the rules."""

import math

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.bound import step
from gangplan.models.counts.decode import decode
from gangplan.models.counts.formulation import Model
from gangplan.models.errors import PlanError
from gangplan.models.milp import Milp
from gangplan.models.plan import Plan
from gangplan.models.verify.check import check

TOLERANCE = 1e-6
"""What is taken off a branch-and-bound bound (relative above 1), and allowed from integrality."""


def safe_bound(milp: Milp, bound: float) -> int:
    """Return the bound on the objective, offset included, that a claimed bound stands for.

    The claim is loosened by its tolerance, then rounded up to the step of the objective.
    """
    unit = step(milp.cost)
    low = math.ceil(bound - TOLERANCE * max(1.0, abs(bound)))
    return -(-low // unit) * unit + milp.offset


def checked_point(milp: Milp, x: Floats) -> Ints:
    """Round a claimed point once and check it against every bound and row, exactly.

    Raises
    ------
    PlanError : it is no integer point of the model.
    """
    if x.shape != (milp.n_cols,) or not np.isfinite(x).all():
        raise PlanError(f"no point of {milp.n_cols} columns")
    # Before the cast: a number that int64 cannot hold becomes any other there.
    outside = np.flatnonzero((np.rint(x) < milp.lower) | (np.rint(x) > milp.upper))
    if len(outside):
        raise PlanError(f"column {int(outside[0])} is outside its bounds")
    whole = np.rint(x).astype(np.int64)
    if np.abs(x - whole).max(initial=0.0) > TOLERANCE:
        j = int(np.argmax(np.abs(x - whole)))
        raise PlanError(f"column {j} = {x[j]:.6g} is not integral")
    broken = milp.violated_rows(whole)
    if len(broken):
        raise PlanError(f"{milp.row_name(int(broken[0]))} is broken")
    return whole


def checked_plan(model: Model, point: Ints) -> Plan:
    """Decode an integer point and verify the plan against every rule of the instance.

    Raises
    ------
    PlanError : it decodes to no plan, or to one that breaks a rule.
    """
    plan = decode(model, point)
    violations = check(model.instance, plan)
    if violations:
        raise PlanError(violations[0].sentence)
    return plan
