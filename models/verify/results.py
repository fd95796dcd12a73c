"""check_result: what a result says of its own plan; the one place that knows how claims fit."""

from collections.abc import Mapping, Sequence

from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.restrict import as_planned
from gangplan.models.result import Result
from gangplan.models.tiers import Tier, tiers_of
from gangplan.models.verify.reports import NAME, check_tiers
from gangplan.models.verify.violation import Violation

STOPS = ("optimal", "feasible")
"""How a result can end."""


def objective_of(instance: Instance, planner: Mapping[str, object]) -> tuple[Tier, ...]:
    """Return the tiers that a planner's named objective, options and weights stand for.

    Raises
    ------
    PlanError : no such objective or ``pdb``, or weights that do not fit or are no whole numbers.
    ValueError, TypeError : a priority that is no whole number.
    """
    weights = planner.get("weights")
    table = None
    if isinstance(weights, dict):
        table = {int(p): w for p, w in weights.items()}
        if len(table) < len(weights) or any(type(w) is not int for w in table.values()):
            raise PlanError("weights: one whole number a priority expected")
    elif weights is not None:
        raise PlanError("weights: priority and weight pairs expected")
    planned = as_planned(instance, planner)
    return tiers_of(planned, str(planner.get("objective", "groups")), table)


def check_result(
    instance: Instance, result: Result, tiers: Sequence[Tier] | None = None
) -> tuple[Violation, ...]:
    """Check the reports of a result and its last word against its plan; see ``check_tiers``.

    What bounds rest on is not seen here. The reports speak of the instance as it was planned: one
    without units where preemption was off.

    Parameters
    ----------
    tiers : the objective. Default: that of the planner's weights, or the one whose tiers have the
        reports' names.
    """
    instance = as_planned(instance, result.planner)
    if tiers is None and isinstance(result.planner.get("weights"), dict):
        tiers = objective_of(instance, result.planner)
    found = list(check_tiers(instance, result.plan, result.tiers, tiers))
    open_tier = next((report.name for report in result.tiers if not report.proven), None)
    if result.stop not in STOPS:
        said = f"stop: optimal or feasible expected, not {result.stop}"
        found.append(Violation(NAME, "stop", 0, 0, said))
    elif result.stop == "optimal" and open_tier is not None:
        said = f"called optimal, but {open_tier} is not proven"
        found.append(Violation(NAME, "stop", 0, 0, said))
    return tuple(found)
