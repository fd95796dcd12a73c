"""No plan that breaks a rule leaves a planner, and no report that its own plan belies."""

from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.result import Result
from gangplan.models.verify.check import check
from gangplan.models.verify.results import check_result


def refuse_broken(instance: Instance, plan: Plan, planner: str) -> None:
    """Check a plan against every rule.

    Raises
    ------
    PlanError : it breaks a rule, a bug in the planner; the text names the first one.
    """
    for violation in check(instance, plan):
        raise PlanError(f"planner {planner}: the plan breaks a rule: {violation.sentence}")


def refuse_false_reports(instance: Instance, result: Result, planner: str) -> None:
    """Check a result's tier reports against its plan; what bounds rest on is not seen here.

    Raises
    ------
    PlanError : a value that is not the plan's, or a proof that does not follow from the figures.
    """
    for violation in check_result(instance, result):
        raise PlanError(f"planner {planner}: {violation.sentence}")
