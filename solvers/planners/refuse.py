"""No plan that breaks a rule leaves a planner."""

from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.check import check


def refuse_broken(instance: Instance, plan: Plan, planner: str) -> None:
    """Check a plan against every rule.

    Raises
    ------
    PlanError : it breaks a rule, a bug in the planner; the text names the first one.
    """
    for violation in check(instance, plan):
        raise PlanError(f"planner {planner}: the plan breaks a rule: {violation.sentence}")
