"""Roles: which pods of a group are equal, and minima of a role's own."""

from typing import Any

from tests.datasets.kubernetes.objects import basic, faults, gang, held, instance, node, pod, pods


def minimum(text: str) -> dict[str, Any]:
    return {"annotations": {"gangplan.io/role-minimum": text}}


def member(name: str, role: str, on: str = "", **fields: Any) -> dict[str, Any]:
    return pod(name, "g", on, labels={"gangplan.io/role": role}, **fields)


def test_equal_pods_are_one_role_in_natural_order() -> None:
    built = instance(node("n1"), gang("g", 2), *pods("g", 11))
    assert built.roles.wanted.tolist() == [11]
    assert built.names.pods[1:3] == ("lab/g-1", "lab/g-2")


def test_request_eligibility_and_label_tell_roles_apart() -> None:
    built = instance(
        node("n1"),
        gang("g", 2),
        pod("a", "g"),
        pod("b", "g", gpus=2),
        pod("c", "g", spec={"nodeSelector": {"x": "y"}}),
        member("d", "leader"),
        pod("e", "g"),
    )
    assert built.roles.wanted.tolist() == [2, 1, 1, 1]
    assert built.names.roles == ("", "", "", "leader")
    assert built.names.pods == ("lab/a", "lab/e", "lab/b", "lab/c", "lab/d")


def test_a_role_minimum_counts_running_members_of_the_role() -> None:
    built = instance(
        node("n1"),
        gang("g", 2, **minimum("leader=1, worker=2")),
        member("l-0", "leader", gpus=2),
        member("w-0", "worker", "n1"),
        member("w-1", "worker"),
    )
    assert held(built) == {}
    assert dict(zip(built.names.roles, built.roles.minimum.tolist(), strict=True)) == {
        "leader": 1,
        "worker": 2,
    }
    assert built.roles.running.tolist() == [0, 1]


def test_too_few_pods_of_a_role_hold_with_numbers() -> None:
    built = instance(
        node("n1"),
        gang("g", 1, **minimum("worker=3")),
        member("w-0", "worker", "n1"),
        *pods("g", 1),
        member("w-1", "worker"),
    )
    assert held(built) == {"lab/g": "role worker needs 3 pods, has 2 (1 waiting, 1 running)"}


def test_a_role_with_a_minimum_whose_pods_differ_holds() -> None:
    built = instance(
        node("n1"),
        gang("g", 1, **minimum("worker=2")),
        member("w-0", "worker"),
        member("w-1", "worker", gpus=2),
    )
    assert held(built) == {"lab/g": "role worker has a minimum, but its pods differ in spec"}


def test_a_minimum_that_running_members_meet_needs_no_equal_pods() -> None:
    built = instance(
        node("n1"),
        gang("g", 1, **minimum("worker=1")),
        member("w-0", "worker", "n1"),
        member("w-1", "worker"),
        member("w-2", "worker", gpus=2),
    )
    assert held(built) == {}


def test_an_unknown_role_is_refused_with_the_known_ones() -> None:
    (fault,) = faults(node("n1"), gang("g", 1, **minimum("leadr=1")), member("l", "leader"))
    assert "gangplan.io/role-minimum]: no pod has the role leadr; roles: leader" in fault


def test_a_group_whose_pods_are_not_made_yet_may_name_roles() -> None:
    built = instance(node("n1"), gang("g", 1, **minimum("leader=1")))
    assert "needs 1 member, has 0" in held(built)["lab/g"]


def test_a_basic_group_has_no_minima_of_roles() -> None:
    (fault,) = faults(node("n1"), basic("g", **minimum("leader=1")), member("l", "leader"))
    assert "only a gang has minima of roles" in fault
