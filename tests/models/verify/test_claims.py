"""Who is served by what, broken by hand; each sentence names what is wrong.

Rules 1 to 3, 7 and 8 of an allocation; `test_claim_charges` has the others.
"""

from time import process_time
from typing import Any

import numpy as np
import pytest

from gangplan.models.plan import Plan
from gangplan.models.verify import check
from tests.models.verify.claimed import GPU, OTHER, OWN, POD, D, Given, ask, cluster, sentences
from tests.placing import give, place
from tests.tiny import Row, make_instance


def test_a_device_a_pod_keeps_every_rule_and_an_empty_plan_does_too() -> None:
    instance = cluster(GPU, [ask(("g", "gpu"))], OWN)
    assert sentences(instance, [0, 1], (0, 0, 0, 1), (1, 0, 0, 2)) == []
    assert sentences(instance, [-1, -1]) == []


# Rule 1: requests and choices.


def test_a_placed_pod_without_its_device_is_reported() -> None:
    instance = cluster(GPU, [ask(("g", "gpu"))], OWN)
    assert sentences(instance, [0, 1], (0, 0, 0, 0)) == [
        f"{OTHER}: no device, but the pod is on node n1"
    ]


def test_a_request_that_nothing_serves_is_reported() -> None:
    spec = ask(("g", "gpu"), ("h", {"word": "gpu", "name": "one"}, {"word": "gpu", "name": "two"}))
    instance = cluster(GPU, [spec], OWN)
    assert sentences(instance, [0, -1], (0, 0, 0, 0)) == [f"{POD}: request h: no device"]


def test_two_choices_of_one_request_are_reported() -> None:
    spec = ask(("g", {"word": "gpu", "name": "a"}, {"word": "gpu", "name": "b"}))
    instance = cluster(GPU, [spec], OWN)
    assert sentences(instance, [0, -1], (0, 0, 0, 0), (0, 0, 1, 1)) == [
        f"{POD}: two choices of one request: g/a, g/b"
    ]


def test_a_choice_of_another_spec_is_reported() -> None:
    instance = cluster(GPU, [ask(("g", "gpu")), ask(("x", "gpu"))], {0: [0, 1]})
    found = sentences(instance, [0, -1], (0, 0, 0, 0), (0, 1, 0, 1))
    assert found == [
        "pod test/g0-0-0, claim claim1: a device for request g, which another claim has",
        "pod test/g0-0-0, claim claim1: request x: no device",
    ]


# Rule 2: numbers, fit, ALL, and 32.


@pytest.mark.parametrize(("given", "have"), [((0,), 1), ((0, 1, 2), 3)])
def test_fewer_or_more_devices_than_the_count_are_reported(
    given: tuple[int, ...], have: int
) -> None:
    devices = [{"node": 0, "gpu": True}] * 3
    instance = cluster(devices, [ask(("g", {"word": "gpu", "count": 2}))], OWN)
    assert sentences(instance, [0, -1], (0, 0, 0, 0), (0, 0, 0, 2)) == []
    assert sentences(instance, [0, -1], *((0, 0, 0, i) for i in given)) == [
        f"{POD}: request g: {have} devices, 2 expected"
    ]


def test_a_device_that_does_not_fit_is_reported() -> None:
    devices = [{"node": 0, "gpu": True}, {"node": 0, "nic": True}]
    instance = cluster(devices, [ask(("g", "gpu"))], OWN)
    assert sentences(instance, [0, -1], (0, 0, 0, 1)) == [
        f"{POD}: request g: device {D[1]} does not fit it"
    ]


ALL: dict[str, Any] = {"word": "gpu", "count": "all"}


def test_all_is_every_asked_device_of_the_node() -> None:
    instance = cluster([*GPU, {"zone": [0], "gpu": True}], [ask(("g", ALL))], OWN)
    assert sentences(instance, [0, -1], *((0, 0, 0, i) for i in (0, 1, 3))) == []
    assert sentences(instance, [1, -1], (0, 0, 0, 2)) == []
    assert sentences(instance, [0, -1], (0, 0, 0, 0), (0, 0, 0, 3)) == [
        f"{POD}: request g: all devices that node n0 reaches are asked, {D[1]} is given 0 times, "
        "not 1"
    ]


def test_all_with_a_device_that_a_taint_rules_out_is_never_right() -> None:
    instance = cluster(GPU, [ask(("g", ALL | {"blocked": [1]}))], OWN)
    (found,) = sentences(instance, [0, -1], (0, 0, 0, 0))
    assert f"{D[1]} is given 0 times, not 1" in found
    (found,) = sentences(instance, [0, -1], (0, 0, 0, 0), (0, 0, 0, 1))
    assert found == f"{POD}: request g: device {D[1]} does not fit it"


def test_all_with_a_held_device_is_never_right_without_admin_access() -> None:
    held = [GPU[0], GPU[1] | {"taken": True}]
    both = ((0, 0, 0, 0), (0, 0, 0, 1))
    assert sentences(cluster(held, [ask(("g", ALL))], OWN), [0, -1], *both) == [
        f"{POD}: request g: device {D[1]} is held by somebody else"
    ]
    admin = cluster(held, [ask(("g", ALL | {"admin": True}))], OWN)
    assert sentences(admin, [0, -1], *both) == []


def test_all_gives_a_device_that_may_be_shared_once() -> None:
    instance = cluster([{"node": 0, "gpu": True, "multi": True}], [ask(("g", ALL))], OWN)
    assert sentences(instance, [0, 0], (0, 0, 0, 0), (1, 0, 0, 0)) == []
    (found,) = sentences(instance, [0, -1], (0, 0, 0, 0), (0, 0, 0, 0))
    assert "is given 2 times, not 1" in found


def test_all_of_a_shared_claim_is_all_of_some_users_node() -> None:
    """Node 0 reaches d0 alone, node 1 both: allocated on node 0, the claim serves node 1 too."""
    devices: list[Row] = [{"zone": [0, 1], "gpu": True}, {"node": 1, "gpu": True}]
    shared = [{"roles": [0], "spec": 0}]
    instance = cluster(devices, [ask(("g", ALL))], shared=shared)
    one, two = (-1, 0, 0, 0), (-1, 0, 0, 1)
    assert sentences(instance, [0, 1], one) == []
    assert sentences(instance, [1, 1], one, two) == []
    assert len(sentences(instance, [0, 1], one, two)) == 1  # not reached from node 0
    assert sentences(instance, [1, 1], one) == [
        f"claim test/c0: request g: all devices that node n1 reaches are asked, {D[1]} is given "
        "0 times, not 1"
    ]


def test_two_all_choices_of_a_claim_look_at_one_and_the_same_node() -> None:
    devices: list[Row] = [
        {"zone": [0, 1], "a": True},
        {"zone": [0, 1], "b": True},
        {"node": 0, "a": True},
        {"node": 1, "b": True},
    ]
    spec = ask(("a", {"word": "a", "count": "all"}), ("b", {"word": "b", "count": "all"}))
    instance = cluster(devices, [spec], shared=[{"roles": [0], "spec": 0}])
    # Of node 0 for b, and of node 1 for a: of neither for both.
    assert len(sentences(instance, [0, 1], (-1, 0, 0, 0), (-1, 0, 1, 1))) == 1
    apart = cluster(devices, [spec], shared=[{"roles": [0], "spec": 0}], nodes=3)
    assert sentences(apart, [-1, -1]) == []


def test_more_than_32_devices_of_a_claim_are_reported() -> None:
    devices = [{"node": 0, "gpu": True, "multi": True}]
    for count, said in ((32, []), (33, [f"{POD}: 33 devices, a claim may have 32"])):
        instance = cluster(devices, [ask(("g", {"word": "gpu", "count": count}))], OWN)
        assert sentences(instance, [0, -1], *[(0, 0, 0, 0)] * count) == said


# Rule 3: reach.


def test_a_device_of_another_node_is_reported() -> None:
    instance = cluster(GPU, [ask(("g", "gpu"))], OWN)
    assert sentences(instance, [0, -1], (0, 0, 0, 2)) == [
        f"{POD}: request g: device {D[2]} is not reached from node n0"
    ]


def test_every_user_of_a_shared_claim_reaches_its_devices() -> None:
    devices = [{"zone": [0, 1], "gpu": True}]
    shared = [{"roles": [0], "spec": 0}]
    instance = cluster(devices, [ask(("g", "gpu"))], shared=shared, nodes=3)
    assert sentences(instance, [0, 1], (-1, 0, 0, 0)) == []
    assert sentences(instance, [0, 2], (-1, 0, 0, 0)) == [
        f"claim test/c0: request g: device {D[0]} is not reached from node n2"
    ]


def test_users_of_an_allocated_claim_stay_in_its_zone() -> None:
    shared = [{"roles": [0], "nodes": [1]}]
    instance = cluster([], [], shared=shared)
    assert sentences(instance, [1, 1]) == []
    assert sentences(instance, [1, 0]) == [
        "claim test/c0: pod test/g0-0-1 uses it on node n0, which does not reach its devices"
    ]


# Rule 7: barred nodes.


def test_a_choice_that_is_barred_on_a_users_node_is_reported() -> None:
    spec = ask(("g", {"word": "gpu", "barred": [0]}))
    assert sentences(cluster(GPU, [spec], OWN), [0, 1], (0, 0, 0, 0), (1, 0, 0, 2)) == [
        f"{POD}: request g: not to be used on node n0"
    ]
    fabric = [{"zone": [0, 1], "gpu": True}]
    shared = cluster(fabric, [spec], shared=[{"roles": [0], "spec": 0}])
    assert len(sentences(shared, [0, 1], (-1, 0, 0, 0))) == 1


# Rule 8: who is allocated at all.


def test_a_shared_claim_is_allocated_exactly_when_a_pod_uses_it() -> None:
    devices = [{"zone": [0, 1], "gpu": True}]
    shared = [{"roles": [0], "spec": 0}]
    instance = cluster(devices, [ask(("g", "gpu"))], shared=shared, pods=(2, 1))
    assert sentences(instance, [-1, -1, 0]) == []
    assert sentences(instance, [1, 0, -1]) == [
        "claim test/c0: no device, but pods that use it are on 2 nodes, first n0"
    ]
    assert sentences(instance, [1, 1, -1]) == [
        "claim test/c0: no device, but pods that use it are on node n1"
    ]
    assert sentences(instance, [-1, -1, 0], (-1, 0, 0, 0)) == [
        "claim test/c0: devices, but no pod that uses it is placed"
    ]


def test_devices_of_pods_that_are_not_placed_or_have_no_such_claim_are_reported() -> None:
    instance = cluster(GPU, [ask(("g", "gpu"))], OWN, pods=(2, 1))
    assert sentences(instance, [-1, -1, -1], (0, 0, 0, 0)) == [
        f"{POD}: devices, but the pod is not placed"
    ]
    assert sentences(instance, [-1, -1, 0], (2, 0, 0, 0)) == [
        "pod test/g1-1-0, claim claim0: devices, but the pod has no such claim"
    ]


def test_devices_for_a_claim_that_is_allocated_already_are_reported() -> None:
    instance = cluster(GPU, [ask(("g", "gpu"))], shared=[{"roles": [0], "nodes": [0]}])
    assert sentences(instance, [0, 0], (-1, 0, 0, 0)) == [
        "claim test/c0: devices, but it is allocated already"
    ]


@pytest.mark.parametrize("what", [{"spec": 0}, {"nodes": [0, 1]}])
def test_more_users_than_a_claim_may_have_are_reported(what: Row) -> None:
    devices = [{"zone": [0, 1], "gpu": True}]
    shared = [{"roles": [0, 1], "limit": 2, **what}]
    instance = cluster(devices, [ask(("g", "gpu"))], shared=shared, pods=(2, 1))
    rows = [(-1, 0, 0, 0)] if "spec" in what else []
    assert sentences(instance, [0, -1, 0], *rows) == []
    assert sentences(instance, [0, 1, 0], *rows) == [
        "claim test/c0: 3 new pods use it, at most 2 may"
    ]


# Numbers outside the instance's.


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ((9, 0, 0, 0), "pod"),
        ((0, 9, 0, 0), "claim"),
        ((-1, 1, 0, 0), "claim"),
        ((0, 0, 9, 0), "choice"),
        ((0, 0, 0, 9), "device"),
    ],
)
def test_a_number_outside_the_instance_is_one_violation(row: Given, column: str) -> None:
    shared = [{"roles": [0], "spec": 0}]
    instance = cluster(GPU, [ask(("g", "gpu"))], OWN, shared)
    (found,) = check(instance, give(place(instance, [0, 0]), row))
    assert found.family == "assign"
    assert f"plan.allocations.{column}" in found.sentence


def test_a_pod_of_a_plan_for_an_instance_without_claims_holds_nothing() -> None:
    instance = make_instance([{}], [{}])
    (found,) = check(instance, give(place(instance, [0]), (0, 0, 0, 0)))
    assert "does not belong to this instance" in found.sentence


# All of it.


def test_the_order_of_a_plans_rows_changes_nothing() -> None:
    instance = cluster(GPU, [ask(("g", "gpu"))], OWN)
    rows = [(0, 0, 0, 0), (1, 0, 0, 0), (1, 0, 0, 2)]
    assert sentences(instance, [0, 0], *rows) == sentences(instance, [0, 0], *rows[::-1])


def test_40000_devices_are_checked_in_two_seconds() -> None:
    nodes = 5000
    devices = [{"node": n, "gpu": True, "root": "r"} for n in range(nodes) for _ in range(8)]
    spec = ask(("g", {"word": "gpu", "count": 8}), match=["root"])
    instance = cluster(devices, [spec], OWN, pods=(nodes,), nodes=nodes)
    plan: Plan = place(instance, range(nodes))
    plan = give(plan, *((n, 0, 0, 8 * n + j) for n in range(nodes) for j in range(8)))
    begin = process_time()
    assert check(instance, plan) == ()
    assert process_time() - begin < 2
    assert np.unique(plan.allocations.device).size == 8 * nodes
