"""Pods that a tier pays for are never those of a group for which it does not."""

from typing import Any

import pytest

from gangplan.models.tiers import tiers_of, values
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
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
    plan = Exact("highs", formulation(name), objective=objective)
    result = plan.plan(instance, Limits(seconds=20))
    assert values(instance, result.plan, tiers) == best
    for report, value in zip(result.tiers, best, strict=True):
        assert report.bound is not None
        assert report.bound >= value if report.maximise else report.bound <= value
