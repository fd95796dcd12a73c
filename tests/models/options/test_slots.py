"""Slots by devices: never fewer than fit, and what a shortage names."""

import numpy as np
from hypothesis import given, settings

from gangplan.models.claims import NO_LIMIT as ANY
from gangplan.models.counts.formulation import build
from gangplan.models.instance import Instance
from gangplan.models.options.slots import NO_LIMIT, device_slots
from gangplan.models.shortage import cannot_be_placed
from gangplan.models.slots import slots_of
from tests.models.solve import optimum
from tests.strategies import claiming
from tests.tiny import make_instance
from tests.tiny_devices import Row, with_devices

POD = {"wanted": 4, "request": {"cpu": 1}, "minimum": 4}
NODES = make_instance(nodes=[{"cpu": 8}] * 2, groups=[POD])


def gpus(*nodes: int) -> list[Row]:
    return [{"node": n, "gpu": True} for n in nodes]


def test_free_devices_over_the_count() -> None:
    spec: Row = {"requests": [("g", {"word": "gpu", "count": 2})]}
    instance = with_devices(NODES, gpus(0, 0, 0, 0, 0, 1), [spec], {0: [0]})
    assert device_slots(instance).tolist() == [[2, 0]]
    assert slots_of(instance).of_role(0).tolist() == [2, 0]


def test_requests_of_one_pod_share_what_there_is() -> None:
    spec: Row = {"requests": [("g", "gpu"), ("h", "gpu")]}
    instance = with_devices(NODES, gpus(0, 0, 0, 1, 1), [spec], {0: [0, 0]})
    assert device_slots(instance).tolist() == [[0, 0]]
    instance = with_devices(NODES, gpus(0, 0, 0, 1, 1), [spec], {0: [0]})
    assert device_slots(instance).tolist() == [[1, 1]]


def test_a_shortage_tells_claims_with_equal_names_of_requests_apart() -> None:
    specs: list[Row] = [{"requests": [("g", "gpu")]}, {"requests": [("g", "nic")]}]
    nics: list[Row] = [{"node": n, "nic": True} for n in (0, 0, 1, 1)]
    for own, claim in (([0, 1], "claim0"), ([1, 0], "claim1")):
        instance = with_devices(NODES, gpus(0) + nics, specs, {0: own})
        shortage = cannot_be_placed(instance, 0)
        assert shortage is not None
        assert (shortage.have, shortage.need) == (1, 4)
        assert shortage.resource == f"devices for request g of claim {claim}"


def test_a_shortage_says_where_devices_are_there_and_not_together() -> None:
    """Three GPUs and three NICs are free, but those of the second node are on different roots."""
    spec: Row = {"requests": [("g", "gpu"), ("n", "nic")], "match": ["root"]}
    places = ((0, "a", "a"), (0, "b", "b"), (1, "a", "b"))
    devices: list[Row] = [{"node": n, "gpu": True, "root": root} for n, root, _ in places]
    devices += [{"node": n, "nic": True, "root": root} for n, _, root in places]
    nodes = make_instance(nodes=[{"cpu": 8}] * 2, groups=[{**POD, "minimum": 3}])
    shortage = cannot_be_placed(with_devices(nodes, devices, [spec], {0: [0]}), 0)
    assert shortage is not None
    assert (shortage.have, shortage.need) == (2, 3)
    assert shortage.resource == "devices that go together for claim claim0"


def test_no_claim_no_limit() -> None:
    assert device_slots(NODES).tolist() == [[NO_LIMIT] * 2]


def test_an_allocated_claim_restricts_nodes_and_pods() -> None:
    shared = [{"nodes": [1], "roles": [0], "limit": 3}]
    assert device_slots(with_devices(NODES, [], [], shared=shared)).tolist() == [[0, 3]]
    assert ANY > 2**32


def test_a_shortage_names_the_request() -> None:
    instance = with_devices(NODES, gpus(0, 0, 1), [{"requests": [("g", "gpu")]}], {0: [0]})
    shortage = cannot_be_placed(instance, 0)
    assert shortage is not None
    assert (shortage.need, shortage.have) == (4, 3)
    assert shortage.resource == "devices for request g of claim claim0"


def test_a_shortage_names_a_shared_claim() -> None:
    shared = [{"spec": 0, "roles": [0], "name": "ns/fabric"}]
    instance = with_devices(NODES, [], [{"requests": [("g", "gpu")]}], shared=shared)
    shortage = cannot_be_placed(instance, 0)
    assert shortage is not None
    assert shortage.resource == "nodes that reach the devices of claim ns/fabric"


@settings(max_examples=25, deadline=None)
@given(claiming())
def test_no_plan_has_more_pods_on_a_node_than_slots(instance: Instance) -> None:
    model = build(instance)
    slots = slots_of(instance)
    for e in range(len(model.pairs)):
        assert model.pairs.upper[e] <= slots.of_role(int(model.pairs.role[e]))[model.pairs.node[e]]
    if not model.milp.n_cols:
        return
    cost = np.zeros(model.milp.n_cols)
    cost[model.x.cols] = -1
    point = optimum(model.milp.with_cost(cost))
    assert (point[model.x.cols] <= model.pairs.upper).all()
