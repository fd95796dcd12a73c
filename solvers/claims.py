"""What a solver claims, made safe: its bound an integer, its point a plan that keeps the rules."""

import math

from gangplan.models.arrays import Floats, Ints
from gangplan.models.bound import step
from gangplan.models.errors import PlanError
from gangplan.models.formulation import Writing
from gangplan.models.milp import Milp
from gangplan.models.plan import Plan
from gangplan.models.points import whole_point
from gangplan.models.verify.check import check

TOLERANCE = 1e-6
"""What is taken off a branch-and-bound bound (relative above 1)."""


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
    whole = whole_point(milp, x)
    broken = milp.violated_rows(whole)
    if len(broken):
        raise PlanError(f"{milp.row_name(int(broken[0]))} is broken")
    return whole


def checked_plan(model: Writing, point: Ints) -> Plan:
    """Decode an integer point and verify the plan against every rule of the instance.

    Raises
    ------
    PlanError : it decodes to no plan, or to one that breaks a rule.
    """
    plan = model.decode(point)
    violations = check(model.instance, plan)
    if violations:
        raise PlanError(violations[0].sentence)
    return plan
