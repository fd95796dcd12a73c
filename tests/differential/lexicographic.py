"""Tier after tier through the counts formulation and HiGHS: no staging, no starts."""

from collections.abc import Sequence

from gangplan.models.arrays import Ints
from gangplan.models.counts.formulation import Model, tier_cost
from gangplan.models.milp import Milp, row_block
from gangplan.models.tiers import Tier
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Stop

LIMITS = Limits(seconds=60.0)


def solve(model: Model, tiers: Sequence[Tier]) -> tuple[tuple[int, ...], Ints]:
    """Return the optimal vector of tier values, and a point that has it."""
    milp = model.milp
    vector = []
    point = (0 * milp.lower).astype("int64")
    for number, tier in enumerate(tiers):
        cost, offset = tier_cost(model, tier)
        milp = milp.with_cost(cost, offset)
        outcome = Highs().solve(milp, LIMITS)
        assert outcome.stop is Stop.OPTIMAL, outcome.message
        assert outcome.x is not None
        point = outcome.x.round().astype("int64")
        assert not len(milp.violated_rows(point))
        least = milp.objective(point)
        vector.append(-least if tier.maximise else least)
        milp = _hold(milp, number, least - offset)
    return tuple(vector), point


def _hold(milp: Milp, number: int, most: int) -> Milp:
    """Add the row cost'x <= most."""
    used = milp.cost.nonzero()[0]
    if not len(used):
        return milp
    none = float("-inf")
    coef = milp.cost[used].astype("int64")
    return milp.with_rows(row_block(f"hold.{number}", 0 * used, used, coef, none, most, 1))
