"""Plans and points of the textbook formulation, and the sizes it has."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.datasets.generate import generate
from gangplan.models.assignment.formulation import build
from gangplan.models.assignment.kind import ASSIGNMENT
from gangplan.models.errors import FormulationError, PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import tiers_of, value
from gangplan.models.verify.check import check
from gangplan.solvers.planners.greedy import greedy_plan
from tests import brute
from tests.strategies import instances, plans
from tests.tiny import make_instance

PAIR = make_instance(
    nodes=[{"gpu": 1}, {"gpu": 1}],
    groups=[{"minimum": 2, "wanted": 2, "request": {"gpu": 1}}],
)
HALVES = make_instance(
    nodes=[{"shared": [700, 1000]}],
    groups=[{"share": 400}, {"whole": 1}],
    device_unit=1000,
)


def plan_of(*node: int, held: tuple[tuple[int, int], ...] = ()) -> Plan:
    pairs = np.array(held, dtype=np.int64).reshape(-1, 2)
    return Plan(np.array(node), pairs[:, 0], pairs[:, 1])


def test_one_binary_for_each_pod_and_node() -> None:
    model = build(PAIR)
    assert model.pairs.pod.tolist() == [0, 0, 1, 1]
    assert model.pairs.node.tolist() == [0, 1, 0, 1]
    assert model.milp.upper.tolist() == [1] * model.milp.n_cols
    assert ASSIGNMENT.cells(PAIR) == 4


def test_every_pod_keeps_its_own_node_and_device() -> None:
    model = build(HALVES)
    plan = plan_of(0, 0, held=((0, 0), (1, 1)))
    point = ASSIGNMENT.encode(model, plan)
    assert not len(model.milp.violated_rows(point))
    again = ASSIGNMENT.decode(model, point)
    assert again.node.tolist() == [0, 0]
    assert again.device_pod.tolist() == [0, 1]
    assert again.device.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("block", "change", "message"),
    [
        ("x", 0.4, "not integral"),
        ("x", 2.0, "outside its bounds"),
        ("z", 0.0, "devices of a point do not match"),
    ],
)
def test_a_broken_point_is_refused(block: str, change: float, message: str) -> None:
    model = build(HALVES)
    point = ASSIGNMENT.encode(model, plan_of(0, 0, held=((0, 0), (1, 1)))).astype(np.float64)
    point[model.milp.col_blocks[block][0]] = change
    with pytest.raises(PlanError, match=message):
        ASSIGNMENT.decode(model, point)


def test_a_pod_on_two_nodes_is_refused() -> None:
    model = build(PAIR)
    with pytest.raises(PlanError, match="two nodes"):
        ASSIGNMENT.decode(model, np.ones(model.milp.n_cols))


def test_a_pod_where_it_has_no_column_is_refused() -> None:
    model = build(make_instance(nodes=[{"gpu": 1}], groups=[{"request": {"gpu": 2}}]))
    with pytest.raises(PlanError, match="no column on node"):
        ASSIGNMENT.encode(model, plan_of(0))
    with pytest.raises(PlanError, match="holds a device"):
        ASSIGNMENT.encode(build(HALVES), plan_of(0, 0, held=((0, 1), (1, 0))))


def test_bytes_are_divided_by_their_common_divisor() -> None:
    tebi = 2**40
    instance = make_instance(
        nodes=[{"memory": 5 * tebi + 7}], groups=[{"wanted": 3, "request": {"memory": 2 * tebi}}]
    )
    milp = build(instance).milp
    start, end = milp.row_blocks["capacity.fits"]
    assert milp.row_upper[start:end].tolist() == [2]
    odd = make_instance(
        nodes=[{"memory": 5 * tebi + 7}],
        groups=[{"request": {"memory": 2 * tebi}}, {"request": {"memory": 4 * tebi + 1}}],
    )
    with pytest.raises(FormulationError, match=r"memory: a quantity above 2\^40"):
        build(odd)


def test_a_minimum_that_nobody_can_meet_costs_nothing_however_big() -> None:
    instance = make_instance(
        nodes=[{"gpu": 1}], groups=[{"minimum": 10**17, "wanted": 1, "request": {"gpu": 1}}]
    )
    model = build(instance)
    for tier in tiers_of(instance):
        cost, _ = ASSIGNMENT.tier_cost(model, tier)
        assert np.abs(cost).max() <= 1


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_plans_and_points_are_the_same_thing(data: st.DataObject) -> None:
    """A plan that keeps the rules is a point; a point that keeps the rows is that very plan."""
    instance: Instance = data.draw(instances())
    plan = data.draw(plans(instance))
    model = build(instance)
    sound = brute.allowed(instance, plan)
    try:
        point = ASSIGNMENT.encode(model, plan)
    except PlanError:
        assert not sound
        return
    milp = model.milp
    kept = not len(milp.violated_rows(point)) and bool(
        ((point >= milp.lower) & (point <= milp.upper)).all()
    )
    assert kept == sound, [milp.row_name(int(i)) for i in milp.violated_rows(point)]
    if kept:
        again = ASSIGNMENT.decode(model, point)
        assert again.node.tolist() == plan.node.tolist()
        held = [sorted(zip(p.device_pod, p.device, strict=True)) for p in (plan, again)]
        assert held[0] == held[1]


@pytest.mark.parametrize(
    ("name", "nodes", "groups"), [("training", 64, 30), ("racks", 128, 20), ("vectors", 64, 20)]
)
def test_a_greedy_plan_satisfies_every_row_and_costs_its_values(
    name: str, nodes: int, groups: int
) -> None:
    instance = generate(name, nodes=nodes, groups=groups, seed=3)
    tiers = tiers_of(instance)
    plan = greedy_plan(instance, tiers)
    model = build(instance)
    assert len(model.pairs) <= ASSIGNMENT.cells(instance)
    point = ASSIGNMENT.encode(model, plan)
    assert model.milp.violated_rows(point).size == 0
    assert not check(instance, ASSIGNMENT.decode(model, point))
    for tier in tiers:
        cost, offset = ASSIGNMENT.tier_cost(model, tier)
        have = model.milp.with_cost(cost, offset).objective(point)
        assert (-have if tier.maximise else have) == value(instance, plan, tier)
