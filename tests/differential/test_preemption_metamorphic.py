"""What must not change the optimum where units can fall, and what may only make it better.

On proven tiers, with HiGHS; nothing here has another reading of the rules.
"""

from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import Tier, better, tiers_of, values
from gangplan.models.verify import check
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from tests.differential.changed import freed
from tests.differential.changed_running import (
    raised,
    with_groups_of_units,
    with_nodes_of_units,
    with_units,
)
from tests.strategies_preemption import preempting

SMALL = preempting(max_nodes=3, max_pods=4, effort=1_000)

LARGER = preempting(max_nodes=4, max_pods=6, effort=10_000)


def proven(instance: Instance) -> Plan:
    """Return a plan that is proven to be the best."""
    result = Exact(solver=Highs()).plan(instance, Limits(seconds=30))
    assert result.stop == "optimal", result.warnings
    assert check(instance, result.plan) == ()
    return result.plan


def up_to_preferred(instance: Instance) -> tuple[Tier, ...]:
    """Tiers that more room never spoils; what comes after is a price of what it lets in."""
    return tuple(
        tier for tier in tiers_of(instance) if tier.kind in ("lost", "admitted", "elastic")
    )


def worth(instance: Instance, tiers: Sequence[Tier]) -> tuple[int, ...]:
    return values(instance, proven(instance), tuple(tiers))


def order_is_nothing(data: st.DataObject, instance: Instance) -> None:
    assume(len(instance.running))
    running = instance.running
    other = with_nodes_of_units(instance, data.draw(st.permutations(range(len(instance.nodes)))))
    other = with_groups_of_units(
        other,
        data.draw(st.permutations(range(len(instance.groups)))),
        data.draw(st.permutations(range(len(instance.roles)))),
    )
    other = with_units(
        other,
        data.draw(st.permutations(range(len(running)))),
        data.draw(st.permutations(range(len(running.pod_unit)))),
    )
    tiers = tiers_of(instance)
    assert tiers_of(other) == tiers
    assert worth(other, tiers) == worth(instance, tiers)


def more_room_is_no_worse(data: st.DataObject, instance: Instance) -> None:
    """A plan for fewer nodes is a plan for more; who could come back has his old node only."""
    assume(len(instance.running))
    node = data.draw(st.integers(0, len(instance.nodes) - 1))
    tiers = up_to_preferred(instance)
    before = worth(instance, tiers)
    copied = with_nodes_of_units(instance, [*range(len(instance.nodes)), node])
    for larger in (copied, freed(copied, len(instance.nodes))):
        assert up_to_preferred(larger) == tiers
        assert not better(tiers, before, worth(larger, tiers))


def who_stays_stays(data: st.DataObject, instance: Instance) -> None:
    """Let a best plan P keep unit v, and raise the priority of v from p to q.

    Plans that keep v are allowed as before, and worth what they were: P is the best of them. A plan
    that evicts v was allowed before too, and not better than P. Down to what is lost of priority q
    it is worth no more than it was, and there it loses at least a pod more: so it is worse than P
    now. Only the unit counts for more here, not its group, which would be paid otherwise.
    """
    assume(len(instance.running))
    best = proven(instance)
    stay = [v for v in range(len(instance.running)) if v not in best.evicted]
    assume(stay)
    v = data.draw(st.sampled_from(stay))
    higher = raised(instance, v, data.draw(st.integers(1, 9)))
    after = proven(higher)
    assert v not in after.evicted
    tiers = tiers_of(higher)
    assert values(higher, after, tiers) == values(higher, best, tiers)


@settings(max_examples=12)
@given(data=st.data(), instance=SMALL)
def test_names_and_the_order_of_nodes_groups_and_units_change_nothing(
    data: st.DataObject, instance: Instance
) -> None:
    order_is_nothing(data, instance)


@settings(max_examples=8)
@given(data=st.data(), instance=SMALL)
def test_a_copy_of_a_node_and_a_freed_node_make_nothing_worse(
    data: st.DataObject, instance: Instance
) -> None:
    more_room_is_no_worse(data, instance)


@settings(max_examples=12)
@given(data=st.data(), instance=SMALL)
def test_who_stays_in_an_optimum_stays_in_every_one_once_he_counts_for_more(
    data: st.DataObject, instance: Instance
) -> None:
    who_stays_stays(data, instance)


@pytest.mark.slow
@settings(max_examples=500, derandomize=False)
@given(data=st.data(), instance=LARGER)
def test_names_and_the_order_of_nodes_groups_and_units_change_nothing_long(
    data: st.DataObject, instance: Instance
) -> None:
    order_is_nothing(data, instance)


@pytest.mark.slow
@settings(max_examples=500, derandomize=False)
@given(data=st.data(), instance=LARGER)
def test_a_copy_of_a_node_and_a_freed_node_make_nothing_worse_long(
    data: st.DataObject, instance: Instance
) -> None:
    more_room_is_no_worse(data, instance)


@pytest.mark.slow
@settings(max_examples=500, derandomize=False)
@given(data=st.data(), instance=LARGER)
def test_who_stays_in_an_optimum_stays_in_every_one_once_he_counts_for_more_long(
    data: st.DataObject, instance: Instance
) -> None:
    who_stays_stays(data, instance)
