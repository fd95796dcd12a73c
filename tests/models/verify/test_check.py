"""The checker as a whole: one entry a family, and quick on a large cluster."""

from time import process_time

from gangplan.datasets.generate import generate
from gangplan.models.tiers import tiers_of, values
from gangplan.models.verify import CHECKS, check
from gangplan.models.verify.objective import recount_all
from gangplan.solvers.planners.greedy import greedy_plan
from tests.placing import place
from tests.tiny import Row, make_instance


def test_every_family_reports_under_its_own_name() -> None:
    nodes: list[Row] = [{"gpu": 1, "rack": "r0", "shared": [500]}, {"gpu": 1, "rack": "r1"}]
    groups: list[Row] = [
        {"wanted": 2, "minimum": 3, "request": {"gpu": 1}, "rules": [("rack", "required")]},
        {"parent": 0, "held": True, "request": {"gpu": 1}},
        {"share": 300},
    ]
    instance = make_instance(nodes, groups, [{"minimum": 2}])
    plan = place(instance, [0, 1, 0, 0], {})
    by_family = {name: family(instance, plan) for name, family in CHECKS.items()}
    assert {name for name, found in by_family.items() if found} == {
        *("assign", "capacity", "gang", "topology", "hierarchy", "shares")
    }
    assert all(v.family == name for name, found in by_family.items() for v in found)
    assert check(instance, plan) == tuple(v for found in by_family.values() for v in found)
    assert all(str(v) == v.sentence for v in check(instance, plan))


def test_a_plan_for_5120_nodes_is_checked_in_a_fraction_of_a_second() -> None:
    instance = generate("training-5k")
    tiers = tiers_of(instance)
    plan = greedy_plan(instance, tiers, seconds=0.1)
    assert (plan.node >= 0).sum() > 5000
    check(instance, plan)
    begin = process_time()
    assert check(instance, plan) == ()
    assert process_time() - begin < 0.5
    assert recount_all(instance, plan, tiers) == values(instance, plan, tiers)
