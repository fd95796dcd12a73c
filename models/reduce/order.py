"""The reductions, in the order in which each makes the next one stronger."""

from collections.abc import Callable

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.reduce import idle, implied, impossible
from gangplan.models.reduce.reduced import Reduced

SHRINK: dict[str, Callable[[Instance], Reduced]] = {
    "impossible": impossible.shrink,
    "implied": implied.shrink,
    "idle": idle.shrink,
}
"""Name -> reduction. Groups that are held leave nodes idle; nodes go last."""


def reductions(instance: Instance) -> tuple[Reduced, ...]:
    """List what each reduction finds in what the one before has left; idle ones are left out."""
    found = []
    for smaller in SHRINK.values():
        step = smaller(instance)
        if step.said:
            found.append(step)
            instance = step.instance
    return tuple(found)


def shrink(instance: Instance) -> Reduced:
    """Apply all reductions; ``lift`` goes all the way back."""
    steps = reductions(instance)

    def lift(plan: Plan) -> Plan:
        for step in reversed(steps):
            plan = step.lift(plan)
        return plan

    last = steps[-1].instance if steps else instance
    return Reduced(last, lift, "; ".join(step.said for step in steps))
