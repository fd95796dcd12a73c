"""What an allocation uses up and compares, broken by hand: rules 4 to 6."""

from typing import Any

import pytest

from tests.models.verify.claimed import GPU, OTHER, OWN, POD, D, ask, cluster, sentences
from tests.tiny import Row

# Rule 4: once.


def test_a_device_given_to_two_claims_is_reported() -> None:
    instance = cluster(GPU, [ask(("g", "gpu"))], OWN)
    assert sentences(instance, [0, 0], (0, 0, 0, 0), (1, 0, 0, 0)) == [
        f"device {D[0]}: given 2 times, it serves once: {POD}; {OTHER}"
    ]


def test_a_device_given_to_one_claim_twice_is_reported() -> None:
    instance = cluster(GPU, [ask(("g", "gpu"), ("h", "gpu"))], OWN)
    assert sentences(instance, [0, -1], (0, 0, 0, 0), (0, 0, 1, 0)) == [
        f"device {D[0]}: given 2 times, it serves once: {POD}; {POD}"
    ]


def test_a_device_that_may_be_shared_serves_a_claim_twice() -> None:
    shared = [{"node": 0, "gpu": True, "multi": True}]
    instance = cluster(shared, [ask(("g", {"word": "gpu", "count": 2}), ("h", "gpu"))], OWN)
    rows = [(p, 0, b, 0) for p in (0, 1) for b in (0, 0, 1)]
    assert sentences(instance, [0, 0], *rows) == []


def test_a_held_device_is_for_admin_access_only() -> None:
    held = [{"node": 0, "gpu": True, "taken": True}]
    plain = cluster(held, [ask(("g", "gpu"))], OWN)
    assert sentences(plain, [0, -1], (0, 0, 0, 0)) == [
        f"{POD}: request g: device {D[0]} is held by somebody else"
    ]
    admin = cluster(held, [ask(("g", {"word": "gpu", "admin": True}))], OWN)
    assert sentences(admin, [0, 0], (0, 0, 0, 0), (1, 0, 0, 0)) == []


@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize("second", [False, True])
def test_admin_access_never_gives_a_claim_a_device_twice(multi: bool, second: bool) -> None:
    devices = [{"node": 0, "gpu": True, "multi": multi}]
    admin = {"word": "gpu", "admin": True}
    spec = ask(("g", admin), ("h", {"word": "gpu", "admin": second}))
    instance = cluster(devices, [spec], OWN)
    assert sentences(instance, [0, -1], (0, 0, 0, 0), (0, 0, 1, 0)) == [
        f"{POD}: device {D[0]} with adminAccess, and in the claim 2 times"
    ]


# Rule 5: matchAttribute and distinctAttribute.


def pairs(first: Any, second: Any) -> list[Row]:
    return [
        {"node": 0, "gpu": True} | ({"root": first} if first else {}),
        {"node": 0, "nic": True} | ({"root": second} if second else {}),
    ]


@pytest.mark.parametrize(
    ("first", "second", "match", "distinct"),
    [
        ("r0", "r0", True, False),
        ("r0", "r1", False, True),
        (["r0", "r1"], "r1", True, False),
        (["r0", "r1"], ["r2"], False, True),
        (["r0", "r0"], "r1", False, True),
    ],
)
def test_values_are_compared(first: Any, second: Any, match: bool, distinct: bool) -> None:
    rows = (0, 0, 0, 0), (0, 0, 1, 1)
    requests = ("g", "gpu"), ("n", "nic")
    same = cluster(pairs(first, second), [ask(*requests, match=["root"])], OWN)
    assert sentences(same, [0, -1], *rows) == (
        [] if match else [f"{POD}: no value of root in common: {D[0]}, {D[1]}"]
    )
    other = cluster(pairs(first, second), [ask(*requests, distinct=["root"])], OWN)
    found = sentences(other, [0, -1], *rows)
    assert bool(found) != distinct
    assert all("root r" in f and f"more than once: {D[0]}, {D[1]}" in f for f in found)


@pytest.mark.parametrize("rule", ["match", "distinct"])
def test_a_device_without_the_attribute_serves_no_bound_choice(rule: str) -> None:
    requests = ("g", "gpu"), ("n", "nic")
    bound = cluster(pairs("r0", None), [ask(*requests, **{rule: ["root"]})], OWN)
    rows = (0, 0, 0, 0), (0, 0, 1, 1)
    assert sentences(bound, [0, -1], *rows) == [f"{POD}: device {D[1]} has no attribute root"]
    free = cluster(pairs("r0", None), [ask(*requests, **{rule: [("root", ["g"])]})], OWN)
    assert sentences(free, [0, -1], *rows) == []


def test_three_lists_that_meet_in_pairs_have_no_value_in_common() -> None:
    roots = (["a", "b"], ["b", "c"], ["a", "c"])
    devices = [{"node": 0, "gpu": True, "root": root} for root in roots]
    spec = ask(("g", {"word": "gpu", "count": 3}), match=["root"])
    (found,) = sentences(cluster(devices, [spec], OWN), [0, -1], *((0, 0, 0, i) for i in range(3)))
    assert "no value of root in common" in found


def test_a_rule_that_binds_a_choice_not_taken_asks_nothing() -> None:
    spec = ask(
        ("g", {"word": "gpu", "name": "a"}, {"word": "gpu", "name": "b"}),
        ("n", "nic"),
        match=[("root", ["g/a", "n"])],
    )
    instance = cluster(pairs("r0", "r1"), [spec], OWN)
    assert len(sentences(instance, [0, -1], (0, 0, 0, 0), (0, 0, 2, 1))) == 1
    assert sentences(instance, [0, -1], (0, 0, 1, 0), (0, 0, 2, 1)) == []


def test_a_shared_device_twice_is_not_distinct() -> None:
    devices = [{"node": 0, "gpu": True, "multi": True, "root": "r0"}]
    spec = ask(("g", {"word": "gpu", "count": 2}), distinct=["root"])
    assert sentences(cluster(devices, [spec], OWN), [0, -1], *[(0, 0, 0, 0)] * 2) == [
        f"{POD}: root r0 more than once: {D[0]}, {D[0]}"
    ]


# Rule 6: counters and pots.


def test_draws_add_up_to_what_is_left() -> None:
    devices = [{"node": 0, "gpu": True, "draws": {"slices": 3}} for _ in range(2)]
    instance = cluster(devices, [ask(("g", "gpu"))], OWN, slices=5)
    assert sentences(instance, [0, -1], (0, 0, 0, 0)) == []
    assert sentences(instance, [0, 0], (0, 0, 0, 0), (1, 0, 0, 1)) == [
        "counter slices: 6 asked, 5 free"
    ]


def test_a_shared_device_draws_once_and_an_admin_one_nothing() -> None:
    devices = [{"node": 0, "gpu": True, "multi": True, "draws": {"slices": 3}}]
    rows = (0, 0, 0, 0), (1, 0, 0, 0)
    plain = [ask(("g", "gpu"))]
    assert sentences(cluster(devices, plain, OWN, slices=3), [0, 0], *rows) == []
    assert len(sentences(cluster(devices, plain, OWN, slices=2), [0, 0], *rows)) == 1
    admin = [ask(("g", {"word": "gpu", "admin": True}))]
    assert sentences(cluster(devices, admin, OWN, slices=2), [0, 0], *rows) == []


def test_uses_of_every_share_add_up_to_what_is_left() -> None:
    devices = [{"node": 0, "gpu": True, "multi": True, "pots": {"memory": 80}}]
    rows = (0, 0, 0, 0), (1, 0, 0, 0)
    for amount, said in ((40, []), (41, [f"device {D[0]}, capacity memory: 82 asked, 80 free"])):
        choice = {"word": "gpu", "uses": {"memory": amount}}
        assert sentences(cluster(devices, [ask(("g", choice))], OWN), [0, 0], *rows) == said
        admin = [ask(("g", choice | {"admin": True}))]
        assert sentences(cluster(devices, admin, OWN), [0, 0], *rows) == []


def test_amounts_that_int64_cannot_add_are_added_exactly() -> None:
    most = 2**63 - 1
    devices = [{"node": 0, "gpu": True, "draws": {"bytes": most}} for _ in range(2)]
    instance = cluster(devices, [ask(("g", "gpu"))], OWN, bytes=most)
    assert sentences(instance, [0, 0], (0, 0, 0, 0), (1, 0, 0, 1)) == [
        f"counter bytes: {2 * most} asked, {most} free"
    ]
