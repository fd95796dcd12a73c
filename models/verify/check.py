"""check: all families, in the order of the formulation's table of contents."""

from collections.abc import Callable

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify import (
    assign,
    capacity,
    claims,
    elastic,
    fragmentation,
    gang,
    hierarchy,
    preemption,
    preferred,
    rank,
    shares,
    topology,
)
from gangplan.models.verify.violation import Violation as Violation

CHECKS: dict[str, Callable[[Instance, Plan], list[Violation]]] = {
    assign.NAME: assign.check,
    capacity.NAME: capacity.check,
    gang.NAME: gang.check,
    elastic.NAME: elastic.check,
    topology.NAME: topology.check,
    hierarchy.NAME: hierarchy.check,
    shares.NAME: shares.check,
    claims.NAME: claims.check,
    preemption.NAME: preemption.check,
    rank.NAME: rank.check,
    preferred.NAME: preferred.check,
    fragmentation.NAME: fragmentation.check,
}
"""Family name -> its check; a formulation has the same family names."""


def check(instance: Instance, plan: Plan) -> tuple[Violation, ...]:
    """List everything the plan does that it may not; empty for a plan that keeps all rules.

    A plan whose numbers lie outside the instance's index sets gets that one violation only.
    """
    misfit = assign.misfit(instance, plan)
    if misfit:
        return tuple(misfit)
    return tuple(v for family in CHECKS.values() for v in family(instance, plan))
