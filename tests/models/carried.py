"""The optimum of the tiers that every formulation carries, and points that go back and forth."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from gangplan.models.errors import FormulationError
from gangplan.models.formulation import WHOLE, Formulation, Kind, Writing
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import Tier, tiers_of, value
from gangplan.models.verify.check import check
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.held import priced

CARRIED = ("admitted", "elastic")
LIMITS = Limits(seconds=20)


def carried(instance: Instance, objective: str = "groups") -> tuple[Tier, ...]:
    """Return the tiers of an objective that every formulation carries."""
    return tuple(tier for tier in tiers_of(instance, objective) if tier.kind in CARRIED)


def accepted(kind: Kind, instance: Instance, formulation: Formulation = WHOLE) -> Writing:
    """Write the model, or leave the case out that the kind refuses."""
    try:
        return kind.write(instance, formulation)
    except FormulationError:
        assume(False)
        raise


def optimum(model: Writing, objective: str) -> tuple[int, ...]:
    """Solve tier after tier, each held; return the values, which the decoded plan has, too."""
    tiers = carried(model.instance, objective)
    held: list[int] = []
    for i, tier in enumerate(tiers):
        milp = priced(model, tiers, i, held)
        outcome = Highs().solve(milp, LIMITS)
        assert outcome.x is not None
        plan = model.decode(outcome.x)
        assert not check(model.instance, plan)
        worth = round(float(milp.cost @ outcome.x)) + milp.offset
        assert value(model.instance, plan, tier) == (-worth if tier.maximise else worth)
        held.append(value(model.instance, plan, tier))
    return tuple(held)


def there_and_back(model: Writing, by: Writing, data: st.DataObject) -> tuple[Plan, Plan]:
    """Take the plan of a point of ``by`` that a random cost makes best; it is a point of ``model``.

    Returns
    -------
    That plan, and the plan of the point; both keep every rule.
    """
    n = by.milp.n_cols
    cost = data.draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n))
    outcome = Highs().solve(by.milp.with_cost(np.array(cost, dtype=float)), LIMITS)
    assert outcome.x is not None
    plan = by.decode(outcome.x)
    assert not check(model.instance, plan)
    point = model.encode(plan)
    assert not len(model.milp.violated_rows(point))
    assert (point <= model.milp.upper).all()
    again = model.decode(point)
    assert not check(model.instance, again)
    return plan, again
