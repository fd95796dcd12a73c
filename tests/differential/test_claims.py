"""Instances with devices and claims: every formulation against brute force and the verifier."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.errors import PlanError
from gangplan.models.formulation import WHOLE, Kind
from gangplan.models.tiers import OBJECTIVES, better, tiers_of, values
from gangplan.models.verify import check
from tests import brute
from tests.differential.changed import with_groups, with_nodes
from tests.differential.changed_devices import shuffled, with_specs
from tests.models.kinds import EVERY_KIND
from tests.models.solve import best_plan
from tests.models.test_random import agrees
from tests.strategies import claiming, plans, weights_for


def same_optimum(data: st.DataObject, kind: Kind) -> None:
    instance = data.draw(claiming())
    objective = data.draw(st.sampled_from(OBJECTIVES))
    tiers = tiers_of(instance, objective, data.draw(weights_for(instance)))
    plan, vector = best_plan(instance, tiers, kind=kind)
    assert [v.sentence for v in check(instance, plan)] == []
    assert brute.allowed(instance, plan)
    assert vector == brute.best(instance, tiers)
    agrees(instance, plan, kind)


def same_plans(data: st.DataObject, kind: Kind) -> None:
    """A plan that keeps the rules is a point; a point that keeps the rows is such a plan."""
    instance = data.draw(claiming())
    plan = data.draw(plans(instance))
    if brute.allowed(instance, plan):
        agrees(instance, plan, kind)
        return
    model = kind.write(instance)
    try:
        point = model.encode(plan)
    except PlanError:
        return
    milp = model.milp
    if len(milp.violated_rows(point)) or not (
        ((point >= milp.lower) & (point <= milp.upper)).all()
    ):
        return
    # The places may be right where the named devices were not.
    again = model.decode(point)
    assert [v.sentence for v in check(instance, again)] == []


def order_is_nothing(data: st.DataObject, kind: Kind) -> None:
    instance = data.draw(claiming(max_pods=6))
    tiers = tiers_of(instance)
    best = brute.best(instance, tiers)

    def order(n: int) -> list[int]:
        return data.draw(st.permutations(range(n)))

    other = with_nodes(instance, order(len(instance.nodes)))
    other = shuffled(other, order(len(other.devices)))
    other = with_specs(other, order(other.claims.n_specs), order(other.claims.n_shared))
    other = with_groups(other, order(len(instance.groups)), order(len(instance.roles)))
    assert brute.best(other, tiers) == best
    plan, vector = best_plan(other, tiers, kind=kind)
    assert [v.sentence for v in check(other, plan)] == []
    assert vector == best


def a_copy_is_no_worse(data: st.DataObject, kind: Kind) -> None:
    instance = data.draw(claiming(max_pods=5, max_nodes=3))
    tiers = tuple(t for t in tiers_of(instance) if t.maximise)
    before = brute.best(instance, tiers)
    node = data.draw(st.integers(0, len(instance.nodes) - 1))
    larger = with_nodes(instance, [*range(len(instance.nodes)), node])
    after = best_plan(larger, tiers, kind=kind)[1]
    assert not better(tiers, before, after)
    assert after == brute.best(larger, tiers)


def off_is_no_worse(data: st.DataObject, kind: Kind) -> None:
    instance = data.draw(claiming())
    tiers = tuple(t for t in tiers_of(instance) if t.kind != "rank")
    best = brute.best(instance, tiers)
    loose, vector = best_plan(instance, tiers, replace(WHOLE, claims=False), kind)
    assert not len(loose.allocations)
    assert {v.family for v in check(instance, loose)} <= {"claims"}
    assert not better(tiers, best, vector)
    tiers = tiers_of(instance)
    plan = best_plan(instance, tiers, replace(WHOLE, rank=False), kind)[0]
    assert [v.sentence for v in check(instance, plan)] == []
    before = tuple(t for t in tiers[: [t.kind for t in tiers].index("preferred")] if t.maximise)
    assert values(instance, plan, before) == brute.best(instance, before)


CLAIMS = (same_optimum, same_plans, order_is_nothing, a_copy_is_no_worse, off_is_no_worse)

EVERY_CLAIM = pytest.mark.parametrize("claim", CLAIMS, ids=[one.__name__ for one in CLAIMS])


@EVERY_KIND
@EVERY_CLAIM
@settings(max_examples=40)
@given(data=st.data())
def test_devices_of_claims(data: st.DataObject, claim: object, kind: Kind) -> None:
    assert callable(claim)
    claim(data, kind)


@pytest.mark.slow
@EVERY_KIND
@EVERY_CLAIM
@settings(max_examples=3000, derandomize=False)
@given(data=st.data())
def test_devices_of_claims_long(data: st.DataObject, claim: object, kind: Kind) -> None:
    assert callable(claim)
    claim(data, kind)
