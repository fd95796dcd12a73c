"""Brute force over victims: known answers, rule by rule."""

from typing import Any

import pytest

from gangplan.models.instance import Instance
from gangplan.models.tiers import tiers_of
from tests import brute_preemption
from tests.tiny import make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running

Row = dict[str, Any]

GPUS: Row = {"request": {"gpu": 8}}
URGENT: Row = {"name": "new", "priority": 10, **GPUS}


def full(nodes: int, *groups: Row, **more: Any) -> Instance:
    """Nodes of 8 GPUs, one running pod on each, as the members of the given groups; then URGENT."""
    pods = []
    for g, group in enumerate(groups):
        pods += [
            {"node": n, "group": g} | GPUS | ({"unit": g} if group.get("whole") else {})
            for n in group["running"]
        ]
    rows = [{"roles": []} | {k: v for k, v in group.items() if k != "whole"} for group in groups]
    first = make_instance([{"gpu": 0} for _ in range(nodes)], [*rows, URGENT | more.pop("new", {})])
    return with_running(first, pods, **more)


def loses(instance: Instance) -> dict[str, int]:
    """Values that are not 0, but for what is admitted in pods."""
    tiers = tiers_of(instance)
    found = zip(tiers, brute_preemption.best(instance, tiers), strict=True)
    return {t.name: v for t, v in found if v and not t.name.startswith("admitted-pods")}


IN = {"admitted(10)": 1}


def lost(pods: int, priority: int = 0) -> Row:
    return {f"lost-gpus({priority})": 8 * pods, f"lost-pods({priority})": pods}


TIGHT: Row = {"minimum": 2, "running": [0, 1]}
WHOLE: Row = {"minimum": 1, "running": [0, 1], "whole": True}
LOOSE: Row = {"minimum": 1, "running": [2, 3]}


@pytest.mark.parametrize(
    ("instance", "found"),
    [
        (full(2, TIGHT), IN | lost(2)),
        (full(2, WHOLE), IN | lost(2)),
        (full(4, TIGHT, LOOSE), IN | lost(1)),
        (full(2, TIGHT | {"minimum": 1}), IN | lost(1)),
        (full(2, TIGHT | {"priority": 10}), {}),
        (full(2, TIGHT | {"priority": 9}), IN | lost(2, 9)),
        (full(2, TIGHT, never=[1]), {}),
        (full(2, TIGHT, new={"minimum": 1, "wanted": 2}), IN | lost(2) | {"elastic(10)": 1}),
        (full(4, LOOSE, new={"minimum": 1, "wanted": 2}), IN | lost(1)),
        (full(2, TIGHT, budgets=[{"pods": [0]}]), IN | lost(2) | {"lost-budgets(0)": 1}),
        (full(2, TIGHT, budgets=[{"pods": [0], "hard": True}]), {}),
        (full(2, TIGHT, budgets=[{"pods": [0], "hard": True, "allowed": 1}]), IN | lost(2)),
    ],
)
def test_the_fewest_that_may_fall(instance: Instance, found: dict[str, int]) -> None:
    assert loses(instance) == found


def test_minutes_decide_between_equal_pods() -> None:
    base = make_instance([{"gpu": 0}, {"gpu": 0}], [URGENT])
    pods = [{"node": n, "minutes": m} | GPUS for n, m in ((0, 540), (1, 120))]
    assert loses(with_running(base, pods)) == IN | lost(1) | {"lost-hours(0)": 16}


def test_slices_leave_whole_or_the_group_does() -> None:
    nodes = [{"gpu": 0, "rack": f"r{n // 2}"} for n in range(4)]
    old = {"roles": [], "minimum": 2, "running": [0, 1, 2, 3], "rules": [("rack", "required", 2)]}
    pods = [{"node": n, "group": 0} | GPUS for n in range(4)]
    assert loses(with_running(make_instance(nodes, [old, URGENT]), pods)) == IN | lost(2)
    tight = make_instance(nodes, [old | {"minimum": 3}, URGENT])
    assert loses(with_running(tight, pods)) == IN | lost(4)


def test_a_tree_keeps_enough_children_or_falls() -> None:
    def tree(minimum: int) -> Instance:
        old = [{"roles": [], "running": [n], "minimum": 1, "parent": 0} for n in range(3)]
        nodes = [{"gpu": 0} for _ in range(3)]
        base = make_instance(nodes, [*old, URGENT], [{"minimum": minimum}])
        return with_running(base, [{"node": n, "group": n} | GPUS for n in range(3)])

    assert loses(tree(2)) == IN | lost(1)
    assert loses(tree(3)) == IN | lost(3)


def test_who_loses_pods_gains_none() -> None:
    """The gang's elastic pod would fit where its member falls beside the newcomer."""
    old = {"minimum": 1, "running": [0, 0], "request": {"gpu": 2}, "wanted": 1}
    base = make_instance([{"gpu": 0}], [old, URGENT | {"request": {"gpu": 4}}])
    pods = [{"node": 0, "group": 0, "request": {"gpu": 6}} for _ in range(2)]
    value = IN | {"lost-gpus(0)": 6, "lost-pods(0)": 1}
    assert loses(with_running(base, pods)) == value
    other = make_instance(
        [{"gpu": 0}], [old, URGENT | {"request": {"gpu": 4}}, old | {"running": [], "wanted": 1}]
    )
    assert loses(with_running(other, pods)) == value | {"admitted(0)": 1}


def test_room_that_is_left_over_is_nothing_to_a_group_that_evicts_nobody() -> None:
    small = {"request": {"gpu": 2}, "priority": 1}
    base = make_instance([{"gpu": 0}], [URGENT | {"request": {"gpu": 4}}, small, small])
    pods = [{"node": 0} | GPUS]
    found = loses(with_running(base, pods))
    assert found == IN | lost(1) | {"admitted(1)": 2}
    assert loses(with_running(base, pods, never=[1])) == IN | lost(1) | {"admitted(1)": 1}


@pytest.mark.parametrize(
    ("priority", "group", "found"),
    [(10, -1, {}), (9, -1, IN), (10, 0, IN), (10, 1, {"admitted(5)": 1})],
)
def test_room_is_kept_from_equals_and_lower_ones(
    priority: int, group: int, found: dict[str, int]
) -> None:
    node = {"gpu": 8, "intact": False}
    base = make_instance([node], [URGENT, {"name": "low", "priority": 5} | GPUS])
    kept = [{"node": 0, "priority": priority, "group": group} | GPUS]
    # A unit that helps nobody, so that brute force has something to evict.
    assert loses(with_running(base, [{"node": -1} | GPUS], reserved=kept)) == found


ONE: Row = {"requests": [("g", "gpu")]}
HELD: Row = {"node": 0, "gpu": True, "taken": True}


@pytest.mark.parametrize(("users", "fall"), [([0], 1), ([0, 1], 2)])
def test_a_device_comes_free_with_its_last_user(users: list[int], fall: int) -> None:
    base = make_instance([{"cpu": 9}], [{"priority": 10, "request": {"cpu": 1}}])
    asks = with_devices(base, [HELD | {"draws": {"c": 2}}], [ONE], {0: [0]}, counters={"c": 0})
    pods = [{"node": 0, "request": {"cpu": 1}} for _ in range(2)]
    holds = [{"users": users, "devices": [0], "counters": {0: 2}}]
    assert loses(with_running(asks, pods, (), holds)) == IN | {"lost-pods(0)": fall}


def test_an_allocation_that_somebody_goes_on_using_stays() -> None:
    """The second group uses the very claim whose device the first one asks."""
    base = make_instance(
        [{"cpu": 9}],
        [{"priority": p, "request": {"cpu": 1}} for p in (10, 5)],
    )
    asks = with_devices(base, [HELD], [ONE], {0: [0]}, [{"roles": [1], "nodes": [0]}])
    pods = [{"node": 0, "request": {"cpu": 1}}]
    holds = [{"users": [0], "shared": 0, "devices": [0]}]
    assert loses(with_running(asks, pods, (), holds)) == IN | {"lost-pods(0)": 1}
    assert loses(with_running(asks, pods, (), [holds[0] | {"shared": -1}])) == IN | {
        "lost-pods(0)": 1, "admitted(5)": 1,
    }  # fmt: skip
