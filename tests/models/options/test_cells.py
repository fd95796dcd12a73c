"""Cells: devices that nothing tells apart."""

from collections.abc import Sequence

from gangplan.models.options.cells import PLENTY, cells_of
from tests.tiny import make_instance
from tests.tiny_devices import Row, with_devices

POD = {"wanted": 1, "request": {"cpu": 1}}
GPU = {"requests": [("g", "gpu")]}
NODES = make_instance(nodes=[{"cpu": 4}] * 2, groups=[POD])


def sizes(devices: Sequence[Row], *specs: Row, counters: dict[str, int] | None = None) -> list[int]:
    instance = with_devices(NODES, devices, list(specs) or [GPU], {0: [0]}, counters=counters)
    return sorted(cells_of(instance).size.tolist())


def test_equal_devices_of_a_node_are_one_cell() -> None:
    assert sizes([{"node": 0, "gpu": True}] * 3 + [{"node": 1, "gpu": True}]) == [1, 3]


def test_a_cell_is_free_or_taken() -> None:
    assert sizes([{"node": 0, "gpu": True}, {"node": 0, "gpu": True, "taken": True}]) == [1, 1]


def test_only_attributes_that_rules_compare_tell_devices_apart() -> None:
    devices: list[Row] = [{"node": 0, "gpu": True, "root": f"r{i}"} for i in range(2)]
    assert sizes(devices) == [2]
    assert sizes(devices, GPU | {"match": ["root"]}) == [1, 1]


def test_draws_tell_devices_apart() -> None:
    devices: list[Row] = [{"node": 0, "gpu": True, "draws": {"a": 1, "b": i}} for i in (1, 1, 2)]
    assert sizes(devices, counters={"a": 9, "b": 9}) == [1, 2]


def test_a_shared_device_is_a_cell_of_its_own() -> None:
    assert sizes([{"node": 0, "gpu": True, "multi": True}] * 2) == [1, 1]


def test_most_counts_free_devices_draws_and_shares() -> None:
    devices: list[Row] = [
        {"node": 0, "gpu": True, "draws": {"a": 4}},
        {"node": 0, "gpu": True, "draws": {"a": 4}},
        {"node": 0, "gpu": True, "multi": True, "pots": {"mem": 10}},
        {"node": 0, "gpu": True, "multi": True, "draws": {"a": 4}},
        {"node": 0, "gpu": True, "multi": True, "draws": {"a": 6}},
        {"node": 0, "gpu": True, "taken": True},
        {"node": 0, "nic": True},
    ]
    spec = {
        "requests": [
            ("g", {"word": "gpu", "uses": {"mem": 3}}),
            ("a", {"word": "gpu", "admin": True, "uses": {"mem": 3}}),
        ]
    }
    instance = with_devices(NODES, devices, [spec], {0: [0]}, counters={"a": 5})
    cells = cells_of(instance)
    assert cells.most[0, cells.of].tolist() == [1, 1, 3, PLENTY, 0, 0, 0]
    assert cells.most[1, cells.of].tolist() == [PLENTY] * 6 + [0]
