"""Generated clusters of a useful size: greedy plans satisfy every row and cost what tiers say."""

import pytest

from gangplan.datasets.generate import generate
from gangplan.models.counts.decode import decode, encode
from gangplan.models.counts.formulation import build, tier_cost
from gangplan.models.tiers import tiers_of, value, values
from gangplan.solvers.planners.greedy import greedy_plan


@pytest.mark.parametrize(
    ("name", "nodes", "groups"), [("training", 128, 60), ("racks", 128, 30), ("vectors", 128, 40)]
)
def test_a_greedy_plan_satisfies_every_row_and_costs_its_values(
    name: str, nodes: int, groups: int
) -> None:
    instance = generate(name, nodes=nodes, groups=groups, seed=3)
    tiers = tiers_of(instance)
    plan = greedy_plan(instance, tiers)
    model = build(instance)
    point = encode(model, plan)
    assert model.milp.violated_rows(point).size == 0
    assert values(instance, decode(model, point), tiers) == values(instance, plan, tiers)
    for tier in tiers:
        cost, offset = tier_cost(model, tier)
        have = model.milp.with_cost(cost, offset).objective(point)
        assert (-have if tier.maximise else have) == value(instance, plan, tier)
