"""Options: the ways to serve a claim at a site."""

import pytest

from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.options.options import options_of
from gangplan.models.options.ways import MOST_WAYS
from tests.tiny import make_instance
from tests.tiny_devices import Row, with_devices

POD = {"wanted": 2, "request": {"cpu": 1}}


def cluster(nodes: int) -> Instance:
    return make_instance(nodes=[{"cpu": 4}] * nodes, groups=[POD])


def count(devices: list[Row], spec: Row, nodes: int = 1) -> int:
    return len(options_of(with_devices(cluster(nodes), devices, [spec], {0: [0]})).table)


def test_requests_without_a_rule_in_common_add_up() -> None:
    choices = [{"word": "gpu", "name": f"c{i}"} for i in range(4)]
    devices: list[Row] = [{"node": 0, "gpu": True, "root": "r"}] * 4
    spec: Row = {"requests": [(f"q{q}", *choices) for q in range(3)]}
    assert count(devices, spec) == 12
    assert count(devices, {**spec, "match": [("root", ["q0", "q1"])]}) == 20


def test_a_match_has_an_option_a_value() -> None:
    devices: list[Row] = [{"node": 0, "gpu": True, "root": f"r{i}"} for i in (0, 0, 1, 1, 2)]
    spec: Row = {"requests": [("g", {"word": "gpu", "count": 2})], "match": ["root"]}
    assert count(devices, spec) == 2


def test_a_match_of_one_device_compares_nothing() -> None:
    devices: list[Row] = [{"node": 0, "gpu": True, "root": f"r{i}"} for i in range(5)]
    assert count(devices, {"requests": [("g", "gpu")], "match": ["root"]}) == 1


def test_a_device_without_the_attribute_serves_no_bound_choice() -> None:
    spec: Row = {"requests": [("g", "gpu")], "match": ["root"]}
    devices: list[Row] = [{"node": 1, "gpu": True, "root": "r"}, {"node": 0, "gpu": True}]
    table = options_of(with_devices(cluster(2), devices, [spec], {0: [0]})).table
    assert table.node.tolist() == [1]


def test_nodes_that_look_alike_have_like_options() -> None:
    devices: list[Row] = [
        {"node": n, "gpu": True, "root": f"{n}-{i}"} for n in range(3) for i in range(2)
    ]
    spec: Row = {"requests": [("g", {"word": "gpu", "count": 2})], "distinct": ["root"]}
    table = options_of(with_devices(cluster(3), devices, [spec], {0: [0]})).table
    assert sorted(table.node.tolist()) == [0, 1, 2]
    assert not table.single.any()


def test_values_of_a_list_that_overlap_are_written_once_a_pod() -> None:
    devices: list[Row] = [{"node": 0, "gpu": True, "l": [f"{i}", f"{i + 1}"]} for i in range(4)]
    spec: Row = {"requests": [("g", {"word": "gpu", "count": 2})], "distinct": ["l"]}
    table = options_of(with_devices(cluster(1), devices, [spec], {0: [0]})).table
    assert table.single.tolist() == [True]


def test_zones_of_a_shared_claim_cross() -> None:
    devices: list[Row] = [
        {"zone": [0, 1, 2], "ch": True},
        {"zone": [1, 2, 3], "ib": True},
        {"node": 0, "disk": True},
    ]
    spec: Row = {"requests": [("c", "ch"), ("i", "ib")], "match": []}
    both: Row = {"requests": [("c", "ch"), ("i", "ib"), ("a", {"word": "disk", "admin": True})]}
    shared = [{"spec": 0, "roles": [0]}]
    table = options_of(with_devices(cluster(4), devices, [spec], shared=shared)).table
    assert sorted(table.cover_node.tolist()) == [0, 1, 1, 2, 2, 3]
    assert not len(options_of(with_devices(cluster(4), devices, [both], shared=shared)).table)


def test_a_choice_of_another_node_is_no_way() -> None:
    devices: list[Row] = [{"node": 0, "gpu": True}, {"node": 1, "nic": True}]
    spec: Row = {"requests": [("g", "gpu"), ("n", "nic")]}
    instance = with_devices(cluster(2), devices, [spec], {0: [0]})
    assert len(options_of(instance).table) == 2  # a part each, and no node has both


def test_too_many_ways_are_refused_by_name() -> None:
    requests = [(f"q{q}", *({"word": "gpu", "name": f"c{i}"} for i in range(8))) for q in range(5)]
    assert MOST_WAYS < 8**5
    devices: list[Row] = [{"node": 0, "gpu": True, "root": "r"}] * 8
    instance = with_devices(
        cluster(1), devices, [{"requests": requests, "match": ["root"]}], {0: [0]}
    )
    with pytest.raises(FormulationError, match="claims with request q0, q1, q2, q3, q4"):
        options_of(instance)
