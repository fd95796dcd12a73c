"""What of a plan is carried out together, and in what order."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from gangplan.cluster.errors import Changed
from gangplan.cluster.flight import Flight, flight_of
from gangplan.cluster.flights import flights_of
from gangplan.cluster.kinds import SCHEDULING
from gangplan.cluster.world import World
from gangplan.models.errors import InputError
from tests.cluster import devices as d
from tests.cluster import workloads as w

Object = dict[str, Any]


def world(*objects: Object) -> World:
    """Give a World of these objects, each with a UID of its own."""
    found: dict[str, list[Object]] = {}
    for obj in objects:
        metadata = {"uid": f"uid-{obj['kind']}-{obj['metadata']['name']}", **obj["metadata"]}
        found.setdefault(obj["kind"], []).append({**obj, "metadata": metadata})
    return World("here", "v1.37.2", 0.0, "1", "gangplan", found)


def entry(group: str, pods: Mapping[str, str], **more: Any) -> Object:
    """Give a group of a plan file: pod -> node."""
    placed = [
        {"pod": pod, "node": node, "devices": [], "mark": "minimum", **more.get(pod, {})}
        for pod, node in pods.items()
    ]
    return {"group": group, "status": "admitted", "reason": None, "pods": placed}


def evicted(unit: str, kind: str, pods: Sequence[str], groups: Sequence[str]) -> Object:
    """Give an eviction of a plan file."""
    return {"unit": unit, "kind": kind, "priority": 0, "pods": list(pods), "for": list(groups)}


def plan(groups: Iterable[Object], evictions: Iterable[Object] = (), **more: Any) -> Object:
    """Give a plan file."""
    return {"instance": "d1", "groups": list(groups), "evictions": list(evictions), **more}


def row(claim: str) -> Object:
    """Give the device ``gpu-0`` of ``n1`` to a claim."""
    found = {"claim": claim, "request": "main", "driver": d.DRIVER}
    return {**found, "pool": "n1", "device": "gpu-0"}


def gang(name: str, size: int, **options: Any) -> list[Object]:
    """Give a gang of 1.37."""
    return w.gang("v1beta1", name, size, **options)


def names(flights: Iterable[Flight]) -> list[str]:
    """Give the names of flights."""
    return [flight.name for flight in flights]


def with_priority(objects: Iterable[Object], priority: int) -> list[Object]:
    """Fill in the priority, as admission does."""
    return [{**obj, "spec": {**obj["spec"], "priority": priority}} for obj in objects]


def test_a_flight_has_the_uids_of_its_pods_and_nodes_and_the_gangs_minimum() -> None:
    here = world(w.node("n1"), *gang("a", 3, minimum=2))
    (flight,) = flights_of(plan([entry("default/a", {"default/a-0": "n1"})]), here)
    (placing,) = flight.placings
    assert (placing.uid, placing.node_uid) == ("uid-Pod-a-0", "uid-Node-n1")
    assert [(m.group, m.kind, m.minimum) for m in flight.members] == [("default/a", "PodGroup", 2)]
    assert flight.plan == "d1"


def test_the_key_is_the_same_whatever_node_a_pod_gets() -> None:
    here = world(w.node("n1"), w.node("n2"), *gang("a", 1), *gang("b", 1))
    keys = {
        flights_of(plan([entry(f"default/{g}", {f"default/{g}-0": n})]), here)[0].key
        for g, n in (("a", "n1"), ("a", "n2"), ("b", "n1"))
    }
    assert len(keys) == 2


def test_a_flight_survives_json() -> None:
    objects = gang("a", 2)
    objects[0]["metadata"]["annotations"] = {"gangplan.io/role-minimum": "leader=1"}
    objects[1]["metadata"]["labels"] = {"gangplan.io/role": "leader"}
    here = world(w.node("n1"), *objects, w.pod("v", node="n1"))
    document = plan(
        [entry("default/a", {"default/a-0": "n1", "default/a-1": "n1"})],
        [evicted("default/v", "pod", ["default/v"], ["default/a"])],
    )
    (flight,) = flights_of(document, here)
    assert flight.members[0].roles == {"leader": (1, ("default/a-0",))}
    assert flight_of(json.loads(json.dumps(flight.as_json()))) == flight


def test_pods_of_their_own_are_flights_of_their_own() -> None:
    here = world(w.node("n1"), w.pod("p1"), w.pod("p2"))
    groups = [entry(f"default/{p}", {f"default/{p}": "n1"}) for p in ("p1", "p2")]
    flights = flights_of(plan(groups), here)
    assert names(flights) == ["default/p1", "default/p2"]
    assert [m.kind for flight in flights for m in flight.members] == ["Pod", "Pod"]


def test_a_pod_and_a_group_of_one_name_are_two_flights() -> None:
    here = world(w.node("n1"), w.pod("a"), *gang("a", 1))
    groups = [entry("default/a", {"default/a": "n1"}), entry("default/a", {"default/a-0": "n1"})]
    flights = flights_of(plan(groups), here)
    assert sorted(m.kind for flight in flights for m in flight.members) == ["Pod", "PodGroup"]
    assert len({flight.key for flight in flights}) == 2


def test_a_basic_group_needs_nobody_and_one_pod_below_a_tree() -> None:
    loose = w.pod_group("v1beta1", "l", None)
    child = w.pod_group("v1beta1", "c", None, parent="t", workload="t")
    root = w.composite("t", 1, workload="t")
    here = world(w.node("n1"), loose, child, root, w.pod("l-0", group="l"), w.pod("c-0", group="c"))
    groups = [entry(f"default/{g}", {f"default/{g}-0": "n1"}) for g in ("l", "c")]
    minimum = {m.group: m.minimum for f in flights_of(plan(groups), here) for m in f.members}
    assert minimum == {"default/l": 0, "default/c": 1}


def test_a_tree_is_one_flight_by_its_root() -> None:
    inner = w.composite("inner", 1, workload="t", parent="t")
    a = gang("a", 1, group={"parent": "t", "workload": "t"})
    b = gang("b", 1, group={"parent": "inner", "workload": "t"})
    here = world(w.node("n1"), w.composite("t", 2, workload="t"), inner, *a, *b, *gang("c", 1))
    groups = [entry(f"default/{g}", {f"default/{g}-0": "n1"}) for g in ("a", "b", "c")]
    flights = flights_of(plan(groups), here)
    assert [(f.tree, len(f.members)) for f in flights] == [("default/t", 2), ("", 1)]


def test_groups_that_somebody_falls_for_are_one_flight() -> None:
    here = world(w.node("n1"), *gang("a", 1), *gang("b", 1), *gang("c", 1), w.pod("v", node="n2"))
    groups = [entry(f"default/{g}", {f"default/{g}-0": "n1"}) for g in ("a", "b", "c")]
    falls = [evicted("default/v", "pod", ["default/v"], ["default/a", "default/c"])]
    flights = flights_of(plan(groups, falls), here)
    assert names(flights) == ["default/a, default/c", "default/b"]
    assert [falling.pod for falling in flights[0].fallings] == ["default/v"]


def test_whoever_lands_where_others_make_room_comes_after_them() -> None:
    here = world(
        w.node("n1"), w.node("n2"),
        *with_priority(gang("a", 1), 5), *with_priority(gang("b", 1), 9), w.pod("v", node="n1"),
    )  # fmt: skip
    groups = [entry("default/a", {"default/a-0": "n1"}), entry("default/b", {"default/b-0": "n1"})]
    falls = [evicted("default/v", "pod", ["default/v"], ["default/a"])]
    assert names(flights_of(plan(groups, falls), here)) == ["default/a", "default/b"]
    groups[1] = entry("default/b", {"default/b-0": "n2"})
    assert names(flights_of(plan(groups, falls), here)) == ["default/b", "default/a"]


def test_flights_that_wait_for_one_another_are_one() -> None:
    here = world(
        w.node("n1"), w.node("n2"), *gang("a", 2), *gang("b", 2),
        w.pod("v1", node="n1"), w.pod("v2", node="n2"),
    )  # fmt: skip
    groups = [
        entry("default/a", {"default/a-0": "n1", "default/a-1": "n2"}),
        entry("default/b", {"default/b-0": "n2", "default/b-1": "n1"}),
    ]
    falls = [
        evicted("default/v1", "pod", ["default/v1"], ["default/a"]),
        evicted("default/v2", "pod", ["default/v2"], ["default/b"]),
    ]
    assert names(flights_of(plan(groups, falls), here)) == ["default/a, default/b"]


def test_a_group_that_loses_all_its_running_pods_falls_whole() -> None:
    old = gang("old", 3, node="n1")
    old[3]["spec"].pop("nodeName")
    here = world(w.node("n1"), *gang("a", 1), *old)
    groups = [entry("default/a", {"default/a-0": "n1"})]

    def wholes(pods: Sequence[str]) -> set[str]:
        falls = [evicted("default/old", "group", pods, ["default/a"])]
        return {f.whole for f in flights_of(plan(groups, falls), here)[0].fallings}

    assert wholes(["default/old-0", "default/old-1"]) == {"default/old"}
    assert wholes(["default/old-0"]) == {""}


def test_victims_of_a_group_whose_claim_comes_free_are_of_one_flight() -> None:
    def flights(claims: Mapping[str, Any] | None) -> list[str]:
        old = gang("old", 2, node="n2", claims=claims)
        here = world(w.node("n1"), *gang("a", 1), *gang("b", 1), *old)
        groups = [entry(f"default/{g}", {f"default/{g}-0": "n1"}) for g in ("a", "b")]
        falls = [
            evicted(f"default/old-{i}", "pod", [f"default/old-{i}"], [f"default/{g}"])
            for i, g in enumerate("ab")
        ]
        return names(flights_of(plan(groups, falls), here))

    assert flights({"gpu": d.named("g")}) == ["default/a, default/b"]
    assert flights(None) == ["default/a", "default/b"]


def test_a_claim_of_a_pod_is_found_by_its_status() -> None:
    pod = w.pod("p", claims={"gpu": d.from_template("t")})
    pod["status"] = {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "p-gpu-x"}]}
    here = world(w.node("n1"), d.device_class(), d.gpus_of("n1", 1), pod, d.claim("p-gpu-x"))
    rows = [
        {"claim": "gpu", "request": "main", "driver": d.DRIVER, "pool": "n1", "device": "gpu-0"}
    ]
    groups = [entry("default/p", {"default/p": "n1"}, **{"default/p": {"claims": rows}})]
    (flight,) = flights_of(plan(groups), here)
    (one,) = flight.allocatings
    assert (one.claim, one.uid) == ("default/p-gpu-x", "uid-ResourceClaim-p-gpu-x")
    assert one.users == ({"resource": "pods", "name": "p", "uid": "uid-Pod-p"},)
    assert one.allocation is not None
    assert one.allocation["devices"]["results"][0]["device"] == "gpu-0"


def test_a_claim_that_is_not_made_yet_is_a_change() -> None:
    pod = w.pod("p", claims={"gpu": d.from_template("t")})
    groups = [entry("default/p", {"default/p": "n1"})]
    with pytest.raises(Changed, match="Pod default/p: its claim gpu has not been made yet"):
        flights_of(plan(groups), world(w.node("n1"), pod))


def test_groups_that_share_a_new_claim_are_one_flight_and_one_that_is_there_are_not() -> None:
    ref = {"gpu": d.named("g")}
    rows = [
        {
            "claim": "default/g",
            "request": "main",
            "driver": d.DRIVER,
            "pool": "n1",
            "device": "gpu-0",
        }
    ]
    claim = d.claim("g")
    groups = [entry(f"default/p{i}", {f"default/p{i}": "n1"}) for i in range(2)]
    there = [w.node("n1"), d.device_class(), d.gpus_of("n1", 1)]
    there += [w.pod(f"p{i}", claims=ref) for i in range(2)]
    (flight,) = flights_of(plan(groups, shared_claims=rows), world(*there, claim))
    assert len(flight.allocatings) == 1
    assert [user["name"] for user in flight.allocatings[0].users] == ["p0", "p1"]
    claim["status"] = {
        "allocation": {"devices": {"results": []}},
        "reservedFor": [{"resource": "pods", "name": "p0", "uid": "uid-Pod-p0"}],
    }
    first, second = flights_of(plan(groups), world(*there, claim))
    assert not first.allocatings
    assert second.allocatings[0].allocation is None
    assert [user["name"] for user in second.allocatings[0].users] == ["p1"]


def test_a_groups_claim_is_reserved_for_the_group_once() -> None:
    ref = {"gpu": d.from_template("t")}
    objects = gang("a", 2, claims=ref)
    for obj in objects:
        obj["status"] = {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "a-gpu"}]}
    here = world(w.node("n1"), d.device_class(), d.gpus_of("n1", 1), d.claim("a-gpu"), *objects)
    rows = [row("default/a-gpu")]
    groups = [entry("default/a", {"default/a-0": "n1", "default/a-1": "n1"})]
    (flight,) = flights_of(plan(groups, shared_claims=rows), here)
    assert flight.allocatings[0].users == (
        {"apiGroup": SCHEDULING, "resource": "podgroups", "name": "a", "uid": "uid-PodGroup-a"},
    )


def test_all_names_that_are_gone_are_said() -> None:
    here = world(*gang("a", 1))
    groups = [entry("default/a", {"default/a-0": "n9"}), entry("default/b", {"default/b-0": "n9"})]
    with pytest.raises(Changed) as error:
        flights_of(plan(groups), here)
    assert error.value.sentences == (
        "Node n9: it is not there any more",
        "Pod default/b-0: it is not there any more",
    )


def test_a_victim_that_is_gone_or_falls_for_nobody_is_said() -> None:
    here = world(w.node("n1"), *gang("a", 1), w.pod("v", node="n1"))
    groups = [entry("default/a", {"default/a-0": "n1"})]
    falls = [
        evicted("default/v", "pod", ["default/v"], ["default/z"]),
        evicted("default/u", "pod", ["default/u"], ["default/a"]),
    ]
    with pytest.raises(Changed) as error:
        flights_of(plan(groups, falls), here)
    assert error.value.sentences == (
        "pod default/v: it is evicted for nobody that the plan places",
        "Pod default/u: it is not there any more, and was to be evicted",
    )


def test_a_document_that_is_no_plan_is_refused_by_field() -> None:
    with pytest.raises(InputError, match=r"plan: groups\[0\].pods: a list of objects expected"):
        flights_of({"groups": [{"group": "default/a", "pods": "x"}]}, world())


def test_a_device_without_a_name_is_refused_by_field() -> None:
    pod = w.pod("p", claims={"gpu": d.named("g")})
    bad = {"claim": "gpu", "request": "main", "driver": d.DRIVER, "pool": "n1"}
    groups = [entry("default/p", {"default/p": "n1"}, **{"default/p": {"claims": [bad]}})]
    with pytest.raises(InputError, match=r"plan: groups.pods.claims.device: a text expected"):
        flights_of(plan(groups), world(w.node("n1"), pod, d.claim("g")))
    with pytest.raises(InputError, match=r"plan: shared_claims\[0\].device: a text expected"):
        flights_of(plan(groups, shared_claims=[bad]), world(w.node("n1"), pod, d.claim("g")))
