"""Claims that no model can list cost the proof, never the plan."""

from itertools import combinations

from gangplan.models.verify import check
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import REFUTED, recheck
from tests.tiny import make_instance
from tests.tiny_devices import with_devices


def test_node_selectors_that_cross_in_too_many_ways_leave_the_greedy_plan() -> None:
    nodes = range(12)
    zones = [{"gpu": True, "zone": list(zone)} for zone in combinations(nodes, 11)]
    instance = with_devices(
        make_instance(
            nodes=[{"cpu": 2}] * 12,
            groups=[{"wanted": 3, "minimum": 3, "request": {"cpu": 2}}] * 4,
        ),
        zones,
        [{"requests": [("g", {"word": "gpu", "count": 4})]}],
        shared=[{"spec": 0, "roles": [k]} for k in range(4)],
    )
    result = Exact(solver=Highs()).plan(instance, Limits(seconds=20))
    assert check(instance, result.plan) == ()
    assert result.tiers[0].value >= 1
    (warning,) = result.warnings
    assert warning.startswith("no model could be written, bounds by counting only: claims with")
    found = recheck(instance, result, Highs(), Limits(seconds=20))
    assert not [one for one in found if one.verdict == REFUTED]
