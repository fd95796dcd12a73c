from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

from gangplan.models.arrays import ints
from gangplan.models.columns import Composites
from gangplan.models.errors import Fault, InputError, InstanceError
from gangplan.models.instance import Instance
from tests.tiny import Row, make_instance

NODES: list[Row] = [{"gpu": 8, "rack": "r0"}, {"gpu": 2, "rack": "r1"}]


@pytest.fixture
def instance() -> Instance:
    groups: list[Row] = [
        {"roles": [{"request": {"gpu": 4}}, {"wanted": 2, "request": {"gpu": 1}}], "parent": 1},
        {"wanted": 3, "request": {"gpu": 2}, "eligible": [1]},
        {"parent": 0, "held": True},
    ]
    composites: list[Row] = [{"rules": [("rack", "required")]}, {"parent": 0}]
    return make_instance(NODES, groups, composites)


def test_pods_are_numbered_role_after_role(instance: Instance) -> None:
    assert instance.n_pods == 7
    assert instance.pod_start.tolist() == [0, 1, 3, 6, 7]
    assert instance.pod_role.tolist() == [0, 1, 1, 2, 2, 2, 3]


def test_an_owner_is_a_group_or_all_groups_below_a_composite(instance: Instance) -> None:
    assert instance.groups_of(1).tolist() == [1]
    assert instance.groups_of(3).tolist() == [0, 2]
    assert instance.groups_of(4).tolist() == [0]
    assert instance.roles_of(3).tolist() == [0, 1, 3]
    assert [instance.owner_name(o) for o in (0, 4)] == ["test/g0", "test/h1"]


def test_amounts_of_roles_add_up_group_by_group(instance: Instance) -> None:
    assert instance.role_start.tolist() == [0, 2, 3, 4]
    assert instance.per_group(np.array([1, 10, 100, 1000])).tolist() == [11, 100, 1000]


def test_the_owners_above_a_group_are_all_its_composites(instance: Instance) -> None:
    assert [instance.ancestors(g) for g in range(3)] == [[1, 0], [], [0]]

    def above(*flags: bool) -> list[bool]:
        owners: list[bool] = instance.owners_above(np.array(flags)).tolist()
        return owners

    assert above(True, False, False) == [True, False, False, True, True]
    assert above(False, True, True) == [False, True, True, True, False]
    assert above(False, False, False) == [False] * 5


def test_what_hangs_on_a_held_composite_is_blocked(instance: Instance) -> None:
    composites = replace(instance.composites, held=np.array([True, False]))
    groups, trees = replace(instance, composites=composites).blocked
    assert (groups.tolist(), trees.tolist()) == ([True, False, True], [True, True])
    groups, trees = instance.blocked
    assert (groups.tolist(), trees.tolist()) == ([False, False, True], [False, False])


def test_a_role_can_use_a_node_that_is_eligible_and_has_room_for_one_pod(
    instance: Instance,
) -> None:
    assert instance.can_use.tolist() == [
        [True, False],  # 4 GPUs do not fit 2
        [True, True],
        [False, True],  # not eligible on node 0
        [False, False],  # held
    ]


def test_equal_instances_have_equal_digests_and_any_change_another(instance: Instance) -> None:
    same = replace(instance)
    assert same.digest() == instance.digest()
    free = instance.nodes.free + 1
    changed = [
        replace(instance, nodes=replace(instance.nodes, free=free)),
        replace(instance, device_unit=1000),
        replace(instance, names=replace(instance.names, nodes=("a", "b"))),
    ]
    assert len({i.digest() for i in (instance, *changed)}) == 4


def test_columns_cannot_be_written(instance: Instance) -> None:
    with pytest.raises(ValueError, match="read-only"):
        instance.nodes.free[0, 0] = 7
    with pytest.raises(FrozenInstanceError):
        instance.device_unit = 7  # type: ignore[misc]  # the error is what is tested


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda i: {"roles": replace(i.roles, group=i.roles.group + 1)}, "roles.group"),
        (lambda i: {"rules": replace(i.rules, owner=i.rules.owner + 9)}, "rules.owner"),
        (lambda i: {"rules": replace(i.rules, level=i.rules.level + 1)}, "rules.level"),
        (lambda i: {"names": replace(i.names, pods=())}, "names.pods: 7 expected, not 0"),
        (lambda i: {"groups": replace(i.groups, parent=[5, -1, -1])}, "groups.parent"),
        (lambda i: {"groups": replace(i.groups, kind=[1, 0, 0])}, "below a composite is a gang"),
        (lambda i: {"rules": replace(i.rules, slice=[2])}, "of a rule with slices"),
        (
            lambda i: {
                "groups": replace(i.groups, kind=[0, 2, 0]),
                "roles": replace(i.roles, minimum=[0, 0, 1, 0]),
            },
            "only a role of a gang",
        ),
        (
            lambda i: {"roles": replace(i.roles, eligible=np.ones((4, 1), dtype=bool))},
            "fewer columns than node classes",
        ),
    ],
)
def test_sections_that_do_not_fit_together_are_refused(
    instance: Instance, change: Callable[[Instance], dict[str, Any]], message: str
) -> None:
    with pytest.raises(InstanceError, match=message):
        replace(instance, **change(instance))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"wanted": [0, 1, 1, 1]}, "roles.wanted: 0 is below 1"),
        ({"request": -np.ones((4, 1), dtype=np.int64)}, "roles.request"),
        ({"group": [1, 0, 1, 2]}, "sorted by group"),
        ({"share": [1000, 0, 0, 0]}, "roles.share"),
        ({"share": [1, 0, 0, 0], "whole": [1, 0, 0, 0]}, "a part of a device, or whole ones"),
        ({"minimum": [0, 0]}, "shape"),
        ({"devices": [0.5, 0, 0, 0]}, "integers expected"),
    ],
)
def test_columns_out_of_range_are_refused(
    instance: Instance, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(InstanceError, match=message):
        replace(instance.roles, **change)


def test_a_composite_stands_after_its_parent() -> None:
    with pytest.raises(InstanceError, match="before its children"):
        Composites([1, -1], [1, 1], [0, 0], [False, False])  # type: ignore[arg-type]  # lists are read


def test_an_empty_column_keeps_the_shape_that_is_asked() -> None:
    assert ints([], 0, 3, name="empty").shape == (0, 3)


def test_a_fault_is_one_line_and_an_input_error_lists_them_all() -> None:
    faults = [Fault("a.yaml", "Pod x/y", "spec.z", "is wrong"), Fault("", "", "", "unreadable")]
    assert str(InputError(faults)) == "a.yaml: Pod x/y: spec.z: is wrong\nunreadable"
