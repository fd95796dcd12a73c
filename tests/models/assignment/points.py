"""Plans as points of the textbook formulation."""

from gangplan.models.assignment.formulation import build
from gangplan.models.assignment.kind import ASSIGNMENT
from gangplan.models.errors import PlanError
from gangplan.models.formulation import WHOLE, Formulation
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import tiers_of, value


def is_a_point(instance: Instance, plan: Plan, on: Formulation = WHOLE) -> bool:
    """Does the plan's point keep every row and bound? Then it says what the plan says."""
    model = build(instance, on)
    try:
        point = ASSIGNMENT.encode(model, plan)
    except PlanError:
        return False
    milp = model.milp
    if len(milp.violated_rows(point)) or ((point < milp.lower) | (point > milp.upper)).any():
        return False
    for tier in tiers_of(instance):
        cost, offset = ASSIGNMENT.tier_cost(model, tier)
        have = milp.with_cost(cost, offset).objective(point)
        assert (-have if tier.maximise else have) == value(instance, plan, tier), tier.name
    again = ASSIGNMENT.decode(model, point)
    assert again.node.tolist() == plan.node.tolist()
    assert again.evicted.tolist() == plan.evicted.tolist()
    for name in ("pod", "claim", "choice", "device"):
        have_, want = (getattr(p.allocations, name).tolist() for p in (again, plan))
        assert have_ == want
    return True
