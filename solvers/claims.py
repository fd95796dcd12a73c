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
from gangplan.solvers.base import Outcome, Stop
from gangplan.solvers.reprieve import reprieved

TOLERANCE = 1e-6
"""What is taken off a branch-and-bound bound (relative above 1)."""

SET_ASIDE = "but a verified plan says otherwise; its claim was set aside"
"""Said of a claim that a plan in hand contradicts."""


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
    """Decode an integer point, bring back who fell for nothing, and verify it by every rule.

    So the plan may be better than its point in the tiers of what is lost, and worse after that.

    Raises
    ------
    PlanError : it decodes to no plan, or to one that breaks a rule.
    """
    plan = reprieved(model.instance, model.decode(point))
    violations = check(model.instance, plan)
    if violations:
        raise PlanError(violations[0].sentence)
    return plan


def fault(milp: Milp, outcome: Outcome, known: int) -> str:
    """Say what shows, without anybody else's word, that an answer is wrong; empty without.

    The words follow the solver's name. A bound that comes with a fault is not to be believed.

    Parameters
    ----------
    known : what a point in hand is worth, offset included.
    """
    if outcome.x is not None:
        try:
            worth = milp.objective(checked_point(milp, outcome.x))
        except PlanError as error:
            return f"gave a point that failed its check: {error}"
        if outcome.objective is not None:
            claimed = outcome.objective + milp.offset
            if not abs(claimed - worth) <= TOLERANCE * max(1, abs(worth)):
                return f"claimed {claimed:.9g}, its point is worth {worth}"
    if outcome.stop is Stop.INFEASIBLE:
        return f"called the model infeasible, {SET_ASIDE}"
    if outcome.stop is Stop.ERROR:
        return f"failed: {outcome.message}"
    bound = bound_of(milp, outcome)
    if bound is not None and bound > known:
        return f"proved {abs(bound)}, {SET_ASIDE}"
    if outcome.stop is Stop.OPTIMAL and outcome.x is None:
        return "called a point optimal, and gave none"
    return ""


def bound_of(milp: Milp, outcome: Outcome) -> int | None:
    """Return the safe bound that an answer claims, offset included; None without one."""
    if outcome.bound is None or not math.isfinite(outcome.bound):
        return None
    return safe_bound(milp, outcome.bound)
