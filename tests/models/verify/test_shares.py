import pytest

from gangplan.models.verify import check
from tests.placing import place
from tests.tiny import Row, make_instance

NODES: list[Row] = [{"shared": [1000, 500]}, {"shared": [1000, 1000]}]
"""Devices 0 and 1 on node 0, devices 2 and 3 on node 1."""


def sentences(group: Row, nodes: list[int], devices: dict[int, list[int]]) -> list[str]:
    instance = make_instance(NODES, [group], device_unit=1000)
    found = check(instance, place(instance, nodes, devices))
    assert {v.family for v in found} <= {"shares"}
    return [v.sentence for v in found]


def test_shares_add_up_to_what_is_free() -> None:
    group = {"wanted": 2, "share": 300}
    assert sentences(group, [0, 0], {0: [1], 1: [1]}) == [
        "node n0 device 1: 600 thousandths asked, 500 free"
    ]
    assert sentences(group, [0, 0], {0: [0], 1: [1]}) == []


def test_a_share_is_on_one_device() -> None:
    (found,) = sentences({"share": 300}, [0], {})
    assert found == "pod test/g0-0-0: holds 0 shared devices, 1 expected"
    assert len(sentences({"share": 300}, [0], {0: [0, 1]})) == 1


def test_a_device_is_on_the_node_of_its_pod() -> None:
    assert sentences({"share": 300}, [0], {0: [2]}) == [
        "pod test/g0-0-0: on node n0, but holds node n1 device 0"
    ]


def test_whole_devices_are_empty_and_different() -> None:
    group = {"whole": 2}
    assert sentences(group, [1], {0: [2, 3]}) == []
    assert sentences(group, [0], {0: [0, 1]}) == [
        "node n0 device 1: 1000 thousandths asked, 500 free"
    ]
    twice = sentences(group, [1], {0: [2, 2]})
    assert "pod test/g0-0-0: holds node n1 device 0 2 times" in twice


def test_a_device_held_whole_is_held_by_nobody_else() -> None:
    groups: list[Row] = [{"whole": 1}, {"share": 300}]
    instance = make_instance(NODES, groups, device_unit=1000)
    (found,) = check(instance, place(instance, [1, 1], {0: [2], 1: [2]}))
    assert found.sentence == "node n1 device 0: 1300 thousandths asked, 1000 free"


@pytest.mark.parametrize(
    ("nodes", "sentence"),
    [
        ([0], "holds 1 shared devices, 0 expected"),
        ([-1], "not placed, but holds node n0 device 0"),
    ],
)
def test_pods_that_ask_none_or_wait_hold_no_device(nodes: list[int], sentence: str) -> None:
    assert any(sentence in found for found in sentences({"wanted": 1}, nodes, {0: [0]}))
