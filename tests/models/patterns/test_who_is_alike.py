"""Pods that a tier pays for are never those of a group for which it does not."""

from typing import Any

import pytest

from gangplan.models.tiers import tiers_of
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.claims import checked_point
from gangplan.solvers.held import priced, signed
from gangplan.solvers.registry import formulation
from tests import brute
from tests.tiny import make_instance

RACK = [("rack", "required")]

STANDS = {
    "kind": "gang",
    "roles": [{"wanted": 2, "request": {"cpu": 1}, "running": [0]}],
    "minimum": 1,
}
"""A gang whose minimum runs: all its new pods are elastic, and none counts as admitted."""


@pytest.mark.parametrize("name", ["patterns", "configurations"])
@pytest.mark.parametrize("objective", ["groups", "age", "gpus"])
@pytest.mark.parametrize(
    "alone", [{"kind": "bare"}, {"kind": "basic"}, {"kind": "basic", "rules": RACK}]
)
@pytest.mark.parametrize("first", [0, 1])
def test_pods_alone_are_not_those_of_a_gang_that_stands(
    name: str, objective: str, alone: dict[str, Any], first: int
) -> None:
    pods = alone | {"roles": [{"wanted": 2, "request": {"cpu": 1}}]}
    gang = STANDS | {"rules": alone.get("rules", [])}
    nodes = [{"cpu": 2, "rack": "a"}, {"cpu": 1, "rack": "a"}]
    instance = make_instance(nodes, [gang, pods] if first else [pods, gang])
    tiers = tiers_of(instance, objective)
    best = brute.best(instance, tiers)
    model = formulation(name).write(instance)
    for i, tier in enumerate(tiers):
        if tier.kind in ("admitted", "elastic"):
            milp = priced(model, tiers, i, best[:i])
            found = Highs().solve(milp, Limits(seconds=20))
            assert found.x is not None
            assert milp.objective(checked_point(milp, found.x)) == signed(tier, best[i])
