"""Random instances with devices: plans that keep the rules are the points that keep the rows."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gangplan.models.assignment.formulation import build
from gangplan.models.assignment.kind import ASSIGNMENT
from gangplan.models.claims import Claims
from gangplan.models.devices import Devices
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import Allocations, Plan
from gangplan.models.tiers import tiers_of, value
from gangplan.models.verify.check import check
from tests import brute
from tests.models.solve import best_plan, optimum
from tests.strategies import claiming, plans

MANY = settings(
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
FEW = settings(MANY, max_examples=40)


def is_a_point(instance: Instance, plan: Plan) -> bool:
    """Does the plan's point keep every row and bound? Then it says what the plan says."""
    model = build(instance)
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
        assert (-have if tier.maximise else have) == value(instance, plan, tier)
    again = ASSIGNMENT.decode(model, point)
    assert again.node.tolist() == plan.node.tolist()
    for name in ("pod", "claim", "choice", "device"):
        have_, want = (getattr(p.allocations, name).tolist() for p in (again, plan))
        assert have_ == want
    return True


@MANY
@given(st.data())
def test_a_plan_is_a_point_exactly_when_the_verifier_has_nothing_to_say(
    data: st.DataObject,
) -> None:
    instance = data.draw(claiming())
    plan = data.draw(plans(instance))
    found = check(instance, plan)
    assert is_a_point(instance, plan) == (not found), found
    assert brute.allowed(instance, plan) == (not found), found


@MANY
@given(st.data())
def test_optimal_points_decode_to_sound_plans_and_those_one_row_away_are_told_apart(
    data: st.DataObject,
) -> None:
    instance = data.draw(claiming())
    model = build(instance)
    seed = data.draw(st.integers(0, 2**32 - 1))
    cost = np.random.default_rng(seed).integers(-9, 3, model.milp.n_cols).astype(np.float64)
    cost[model.x.cols] -= 9
    plan = ASSIGNMENT.decode(model, optimum(model.milp.with_cost(cost)))
    assert not check(instance, plan)
    assert brute.allowed(instance, plan)
    assert is_a_point(instance, plan)
    near = data.draw(neighbours(instance, plan))
    found = check(instance, near)
    assert is_a_point(instance, near) == (not found), found
    assert brute.allowed(instance, near) == (not found), found


@st.composite
def neighbours(draw: st.DrawFn, instance: Instance, plan: Plan) -> Plan:
    """Draw a plan that differs in one pod's node, or in one device."""
    given_ = plan.allocations
    rows = np.column_stack([given_.pod, given_.claim, given_.choice, given_.device])
    change = draw(st.sampled_from(["node", "device", "choice", "less", "more"]))
    if change == "node" or not len(rows):
        node = plan.node.copy()
        node[draw(st.integers(0, len(node) - 1))] = draw(st.integers(-1, len(instance.nodes) - 1))
        return replace(plan, node=node)
    one = draw(st.integers(0, len(rows) - 1))
    if change == "less":
        rows = np.delete(rows, one, axis=0)
    else:
        if change == "more":
            rows, one = np.vstack([rows, rows[one]]), len(rows)
        column, size = (
            (2, len(instance.claims.choice_request))
            if change == "choice"
            else (3, len(instance.devices))
        )
        rows[one, column] = draw(st.integers(0, size - 1))
    return replace(plan, allocations=Allocations(*rows.T))


@FEW
@given(claiming(max_nodes=3, max_pods=5))
def test_the_optimum_is_that_of_brute_force(instance: Instance) -> None:
    tiers = tiers_of(instance)
    plan, have = best_plan(instance, tiers, kind=ASSIGNMENT)
    assert not check(instance, plan)
    assert have == brute.best(instance, tiers)


@FEW
@given(st.data())
def test_the_order_of_devices_changes_nothing(data: st.DataObject) -> None:
    instance = data.draw(claiming(max_nodes=3, max_pods=5))
    order = data.draw(st.permutations(range(len(instance.devices))))
    other = with_order(instance, order)
    tiers = tiers_of(instance)
    plan, have = best_plan(instance, tiers, kind=ASSIGNMENT)
    moved, again = best_plan(other, tiers, kind=ASSIGNMENT)
    assert again == have
    assert not check(other, moved)
    new = np.argsort(np.array(order, dtype=np.int64))
    given_ = plan.allocations
    same = Allocations(given_.pod, given_.claim, given_.choice, new[given_.device])
    assert not check(other, replace(plan, allocations=same))
    drawn = data.draw(plans(instance))
    there = drawn.allocations
    rows = Allocations(there.pod, there.claim, there.choice, new[there.device])
    twice = check(instance, drawn), check(other, replace(drawn, allocations=rows))
    assert len(twice[0]) == len(twice[1])


def with_order(instance: Instance, order: Sequence[int]) -> Instance:
    """Device number i of the new instance is number ``order[i]`` of the old one."""
    old, claims = instance.devices, instance.claims
    at = np.array(order, dtype=np.int64)
    new = np.argsort(at)
    draw, pot, trait = (
        np.argsort(new[column], kind="stable")
        for column in (old.draw_device, old.pot_device, old.trait_device)
    )
    use_pot = np.argsort(pot)[claims.use_pot]
    use = np.lexsort((use_pot, claims.use_choice))
    devices: Devices = replace(
        old,
        node=old.node[at], zone=old.zone[at], multi=old.multi[at], taken=old.taken[at],
        draw_device=new[old.draw_device][draw],
        draw_counter=old.draw_counter[draw],
        draw_amount=old.draw_amount[draw],
        pot_device=new[old.pot_device][pot],
        pot_free=old.pot_free[pot],
        trait_device=new[old.trait_device][trait],
        trait_attribute=old.trait_attribute[trait],
        trait_value=old.trait_value[trait],
    )  # fmt: skip
    asked: Claims = replace(
        claims,
        fits=claims.fits[:, at],
        asks=claims.asks[:, at],
        use_choice=claims.use_choice[use],
        use_pot=use_pot[use],
        use_amount=claims.use_amount[use],
    )
    names = replace(
        instance.names,
        devices=tuple(instance.names.devices[i] for i in order),
        pots=tuple(instance.names.pots[m] for m in pot.tolist()),
    )
    return replace(instance, devices=devices, claims=asked, names=names)
