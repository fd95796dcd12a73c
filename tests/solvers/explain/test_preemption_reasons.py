"""Why a group waits where others run that could be evicted."""

from dataclasses import replace

from gangplan.models.gone import LOSES
from gangplan.models.instance import Instance
from gangplan.models.plan import empty_plan
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.explain.short import ALONE, CANNOT
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import CONFIRMED, REFUTED, recheck
from tests.tiny import Row, make_instance
from tests.tiny_running import with_running

LIMITS = Limits(seconds=20)


def full(*groups: Row, never: tuple[int, ...] = (), priority: int = 0) -> Instance:
    """One node of 8, all held by one pod."""
    node = [{"gpu": 0}]
    pods = [{"node": 0, "request": {"gpu": 8}, "priority": priority}]
    return with_running(make_instance(node, list(groups)), pods, never=never)


def why(instance: Instance, group: int = 0, *, preemption: bool = True) -> str:
    result = Exact(solver=Highs(), preemption=preemption).plan(instance, LIMITS)
    said = [one for one in recheck(instance, result, Highs(), LIMITS) if one.group]
    assert {one.verdict for one in said} <= {CONFIRMED}
    return result.reasons[group]


def test_what_is_too_big_is_so_even_with_everybody_gone() -> None:
    instance = full({"priority": 5, "request": {"gpu": 9}}, {"priority": 5, "request": {"gpu": 8}})
    assert why(instance) == (
        "cannot be placed even with every unit gone that can be evicted: 1 pod needed, 0 can be "
        "placed; short of gpu: one pod asks for 9, no node it may use has more than 8 free "
        "(proven: counting)"
    )


def test_what_no_unit_can_make_room_for_is_counted_with_what_is_free() -> None:
    text = why(full({"priority": 5, "request": {"gpu": 8}}, priority=5))
    assert text.startswith("cannot be placed: 1 pod needed, 0 can be placed; short of gpu: ")


def test_a_group_that_evicts_nobody_says_so() -> None:
    instance = full({"priority": 5, "request": {"gpu": 8}}, never=(0,))
    text = why(instance)
    assert text.startswith("cannot be placed: 1 pod needed")
    assert text.endswith(ALONE)
    # Where no eviction would help it, nothing is said of it.
    big = full({"priority": 5, "request": {"gpu": 9}}, never=(0,))
    assert not why(big).endswith(ALONE)
    low = full({"priority": 0, "request": {"gpu": 8}}, never=(0,))
    assert not why(low).endswith(ALONE)


def test_a_group_beside_others_says_that_more_could_be_given_up() -> None:
    """a has the room of the pod of priority 1; b would need that of the pod of 5."""
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}, {"gpu": 0}],
            groups=[
                {"name": "a", "priority": 9, "request": {"gpu": 4}},
                {"name": "b", "priority": 4, "request": {"gpu": 4}},
            ],
        ),
        [
            {"node": 0, "request": {"gpu": 4}, "priority": 1},
            {"node": 1, "request": {"gpu": 4}, "priority": 5},
        ],
    )
    assert why(instance, 1).startswith(
        "no room beside what is admitted: no plan starts it unless another group or pod of "
        "priority 4 or above waits instead, or more running work of such a priority is given up "
        "(proven: "
    )


def test_a_group_that_loses_pods_says_so() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}, {"gpu": 4}],
            groups=[
                {"name": "old", "minimum": 2, "running": [0], "request": {"gpu": 4}},
                {"name": "new", "priority": 5, "request": {"gpu": 8}},
            ],
        ),
        [{"node": 0, "request": {"gpu": 8}, "group": 0}],
    )
    assert why(instance) == LOSES


def test_a_reason_that_even_evictions_do_not_bear_out_is_refuted() -> None:
    instance = full({"priority": 5, "request": {"gpu": 8}})
    result = Exact(solver=Highs(), preemption=False).plan(instance, LIMITS)
    assert result.reasons[0].startswith(CANNOT)
    # As of a planner that may evict, the same words are false.
    lie = replace(result, planner={**result.planner, "preemption": True}, tiers=(), certificates=())
    lie = replace(lie, plan=empty_plan(instance), stop="feasible")
    (said,) = [one for one in recheck(instance, lie, Highs(), LIMITS) if one.group]
    assert said.verdict == REFUTED
