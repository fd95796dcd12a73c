from dataclasses import replace

import numpy as np
import pytest

from gangplan.models.columns import Leaving
from gangplan.models.counting import cannot_be_placed
from gangplan.models.plan import empty_plan, plan_from_counts
from gangplan.models.result import COUNTING, TierReport
from gangplan.solvers.explain.reasons import NOT_COUNTED, reasons
from tests.tiny import make_instance


def test_a_shortage_says_how_many_and_of_what() -> None:
    inst = make_instance(
        nodes=[{"gpu": 4}], groups=[{"minimum": 3, "wanted": 3, "request": {"gpu": 2}}]
    )
    why = reasons(inst, empty_plan(inst))[0]
    assert "3 pods needed, 2 can be placed" in why
    assert "gpu" in why
    assert "proven: counting" in why


def test_a_group_that_lost_its_room_is_proven_only_when_its_tier_is() -> None:
    inst = make_instance(
        nodes=[{"gpu": 8}], groups=[{"wanted": 1, "request": {"gpu": 8}} for _ in range(2)]
    )
    one = np.array([0])
    plan = plan_from_counts(inst, one, one, np.array([1]))
    report = TierReport("admitted(0)", True, 1, 1, COUNTING, True)
    assert list(reasons(inst, plan)) == [1]
    assert "not proven" in reasons(inst, plan)[1]
    assert "proven: counting" in reasons(inst, plan, (report,))[1]
    assert "not proven" in reasons(inst, plan, (replace(report, proven=False),))[1]


def test_a_held_group_says_what_it_waits_for() -> None:
    inst = make_instance(nodes=[{"gpu": 8}], groups=[{"wanted": 1, "held": True}])
    names = replace(inst.names, held=("PodGroup lab/ghost does not exist",))
    inst = replace(inst, names=names)
    assert reasons(inst, empty_plan(inst)) == {0: "PodGroup lab/ghost does not exist"}


def test_terminating_pods_whose_room_would_do_are_named() -> None:
    inst = make_instance(
        nodes=[{"gpu": 0}, {"gpu": 4}],
        groups=[{"minimum": 2, "wanted": 2, "request": {"gpu": 4}}],
    )
    inst = replace(
        inst,
        leaving=Leaving(np.array([0]), np.array([[4]])),
        names=replace(inst.names, leaving=("lab/leaving-0",)),
    )
    assert "terminating pods are gone: lab/leaving-0 on n0" in reasons(inst, empty_plan(inst))[0]


def test_a_standing_gang_without_room_for_elastic_pods_does_not_wait() -> None:
    inst = make_instance(
        nodes=[{"gpu": 0}],
        groups=[{"minimum": 1, "running": [0], "wanted": 1, "request": {"gpu": 8}}],
    )
    assert reasons(inst, empty_plan(inst)) == {}


def test_a_pod_that_no_node_can_hold_says_the_largest_there_is() -> None:
    inst = make_instance(
        [{"cpu": 4000, "memory": 2**30}, {"cpu": 64000, "memory": 2**35}],
        [
            {"wanted": 1, "request": {"cpu": 6500, "memory": 1}, "eligible": [0]},
            {"wanted": 1, "request": {"cpu": 1, "memory": 2**36}},
        ],
    )
    why = reasons(inst, empty_plan(inst))
    assert "short of cpu: one pod asks for 6.5, no node it may use has more than 4 free" in why[0]
    assert "asks for 64Gi, no node it may use has more than 32Gi free" in why[1]


def test_a_group_that_no_node_may_take_says_so() -> None:
    inst = make_instance([{"gpu": 1}], [{"wanted": 2, "minimum": 2, "eligible": []}])
    assert "no node may take them (node selector" in reasons(inst, empty_plan(inst))[0]


@pytest.mark.parametrize(("kind", "pods"), [("basic", "pods"), ("bare", "equal pods")])
def test_pods_that_are_left_over_are_counted(kind: str, pods: str) -> None:
    inst = make_instance([{"gpu": 2}], [{"kind": kind, "wanted": 5, "request": {"gpu": 1}}])
    plan = plan_from_counts(inst, np.array([0]), np.array([0]), np.array([2]))
    report = TierReport("admitted(0)", True, 2, 2, COUNTING, True)
    assert reasons(inst, plan, (report,))[0] == (
        f"2 of 5 {pods} are placed; no room beside what is admitted: no plan places another pod of "
        "it unless another group or pod of priority 0 or above waits instead (proven: counting)"
    )


def test_what_was_not_counted_in_time_is_not_said_to_be_impossible() -> None:
    roles = [{"wanted": 1, "request": {"gpu": 9}}]
    inst = make_instance([{"gpu": 8}], [{"kind": "gang", "roles": roles, "minimum": 1}] * 2)
    assert reasons(inst, empty_plan(inst), seconds=-1.0) == {0: NOT_COUNTED, 1: NOT_COUNTED}
    known = {1: cannot_be_placed(inst, 1)}
    why = reasons(inst, empty_plan(inst), counted=known, seconds=-1.0)
    assert why[0] == NOT_COUNTED
    assert why[1] == reasons(inst, empty_plan(inst))[1]
