"""No planner dies of rule 9 (docs/preemption.md): where a victim stays needless, nobody falls."""

from gangplan.models.gone import without_units
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import Tier
from gangplan.models.verify.check import check
from gangplan.models.verify.needless import returning
from gangplan.models.verify.preemption import NAME
from gangplan.solvers.planners.greedy.runs import greedy_plan
from gangplan.solvers.planners.refuse import refuse_broken


def clean_plan(
    instance: Instance, plan: Plan, tiers: tuple[Tier, ...], seconds: float
) -> tuple[Plan, tuple[str, ...]]:
    """Check a greedy plan; where it breaks rule 9 and nothing else, plan without evictions.

    Parameters
    ----------
    seconds : for that second plan.

    Returns
    -------
    A plan that keeps every rule, and a sentence where it is not the given one.

    Raises
    ------
    PlanError : the plan breaks another rule, a bug in the planner.
    """
    broken = check(instance, plan)
    if not broken:
        return plan, ()
    needless = returning(instance, plan)
    if len(broken) > len(needless) or any(violation.family != NAME for violation in broken):
        refuse_broken(instance, plan, "greedy")
    calm = greedy_plan(without_units(instance), tiers, seconds)
    refuse_broken(instance, calm, "greedy")
    who = instance.names.units[needless[0].units[0]]
    more = f" and {len(needless) - 1} more" if len(needless) > 1 else ""
    said = (
        f"the greedy plan evicts nobody: beside the one with evictions unit {who}{more} could come "
        "back, and does not without breaking another rule"
    )
    return calm, (said,)
