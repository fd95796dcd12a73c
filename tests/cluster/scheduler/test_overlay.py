from typing import Any

from gangplan.cluster.flight import Allocating
from gangplan.cluster.instances import instance_of, tolerant
from gangplan.cluster.outcome import BOUND, Outcome
from gangplan.cluster.scheduler.overlay import leaving_nodes, overlaid, waits, without
from gangplan.cluster.scheduler.seeing import settled
from gangplan.cluster.world import Object
from tests.cluster.scheduler.worlds import falling, flight, placing, running, world
from tests.cluster.workloads import budget, gang, node, pod, priority_class


def test_pods_on_their_way_hold_their_room() -> None:
    first, second = pod("a", cpu="3"), pod("b", cpu="3")
    before = world(node("n0", cpu="4"), first, second)
    after = overlaid(before, [flight(placing(first, "n0"))], cleared=True)
    instance = instance_of(after)
    assert instance.names.pods == ("default/b",)
    assert instance.nodes.free[0, instance.names.resources.index("cpu")] == 1000
    assert not before.objects["Pod"][0]["spec"].get("nodeName")


def test_pods_on_their_way_are_nobodys_victims() -> None:
    low = pod("low", cpu="3")
    high = pod("high", cpu="3", priority_class="urgent")
    high["spec"]["priority"] = 1000
    urgent = priority_class("urgent", 1000)
    bound = world(node("n0", cpu="4"), urgent, running(low, "n0"), high)
    assert instance_of(bound).names.units == ("default/low",)
    flying = world(node("n0", cpu="4"), urgent, low, high)
    assert not instance_of(overlaid(flying, [flight(placing(low, "n0"))], cleared=True)).names.units


def test_victims_are_gone_for_plans_and_hold_their_room_for_checks() -> None:
    old, new, other = running(pod("old", cpu="4"), "n0"), pod("new", cpu="1"), pod("other")
    before = world(node("n0", cpu="4"), old, new, other)
    on_its_way = flight(placing(new, "n0"), fallings=(falling(old),))
    room = {
        cleared: int(instance_of(overlaid(before, [on_its_way], cleared=cleared)).nodes.free[0, 0])
        for cleared in (True, False)
    }
    assert room == {True: 3000, False: 0}
    assert leaving_nodes(before, [on_its_way]) == {"n0"}
    assert leaving_nodes(world(node("n0"), new), [on_its_way]) == frozenset()


def test_a_victim_that_still_has_to_be_evicted_is_taken_from_its_budget() -> None:
    old = running(pod("old", labels={"app": "web"}), "n0")
    guard = budget("web", {"app": "web"}, 1)
    guard["status"] = {"disruptionsAllowed": 2}
    new = pod("new")
    before = world(node("n0"), old, guard, new)
    on_its_way = flight(placing(new, "n0"), fallings=(falling(old),))
    after = overlaid(before, [on_its_way], cleared=True)
    assert after.objects["PodDisruptionBudget"][0]["status"]["disruptionsAllowed"] == 1
    old["metadata"]["deletionTimestamp"] = "2027-01-01T00:00:00Z"
    after = overlaid(before, [on_its_way], cleared=True)
    assert after.objects["PodDisruptionBudget"][0]["status"]["disruptionsAllowed"] == 2


def test_claims_of_a_flight_are_allocated_and_those_of_its_victims_come_free() -> None:
    old, new = running(pod("old"), "n0"), pod("new")
    held = _claim("held", allocation={"devices": {}}, users=["Pod/default/old"])
    wanted = _claim("wanted")
    before = world(node("n0"), old, new, held, wanted)
    users = ({"resource": "pods", "name": "new", "uid": "Pod/default/new"},)
    allocating = Allocating(
        "default/wanted", "ResourceClaim/default/wanted", {"devices": {}}, users
    )
    on_its_way = flight(placing(new, "n0"), fallings=(falling(old),), allocatings=(allocating,))
    cleared = overlaid(before, [on_its_way], cleared=True)
    found = {c["metadata"]["name"]: c["status"] for c in cleared.objects["ResourceClaim"]}
    assert found["held"] == {"reservedFor": []}
    assert found["wanted"] == {"allocation": {"devices": {}}, "reservedFor": [*map(dict, users)]}
    kept = overlaid(before, [on_its_way], cleared=False)
    assert kept.objects["ResourceClaim"][0]["status"]["allocation"] == {"devices": {}}
    again = overlaid(cleared, [on_its_way], cleared=True)
    assert again.objects["ResourceClaim"][1]["status"] == found["wanted"]


def test_a_group_that_rests_is_left_out_with_its_waiting_pods_alone() -> None:
    group, *members = gang("v1beta1", "g", 3)
    members[0] = running(members[0], "n0")
    before = world(node("n0"), group, *members, pod("single"))
    names = [
        p["metadata"]["name"] for p in without(before, frozenset({"default/g"})).objects["Pod"]
    ]
    assert names == ["g-0", "single"]


def test_only_pods_of_ours_that_could_be_placed_wait() -> None:
    gated = pod("gated", schedulingGates=[{"name": "later"}])
    foreign = pod("foreign", scheduler="default-scheduler")
    failed = {**pod("failed"), "status": {"phase": "Failed"}}
    found = world(pod("a"), gated, foreign, failed, running(pod("b"), "n0"))
    assert [p["metadata"]["name"] for p in found.objects["Pod"] if waits(p, "gangplan")] == ["a"]


def test_a_flight_is_spared_until_the_world_shows_what_it_did() -> None:
    old, new = running(pod("old"), "n0"), pod("new")
    before = world(node("n0"), old, new)
    done = flight(placing(new, "n0"), fallings=(falling(old),))
    outcome = Outcome(done.key, BOUND, bound={"default/new": "n0"}, lost=["default/old"])
    assert not settled(before, done, outcome)
    assert not settled(world(node("n0"), new), done, outcome)
    assert settled(world(node("n0"), running(new, "n0")), done, outcome)
    assert settled(world(node("n0")), done, outcome)


def test_a_world_with_something_unreadable_is_overlaid_as_any_other() -> None:
    broken: Object = {**budget("web", {"app": "web"}, 1), "status": {"disruptionsAllowed": "two"}}
    old, new = running(pod("old"), "n0"), pod("new")
    on_its_way = flight(placing(new, "n0"), fallings=(falling(old),))
    after = overlaid(world(node("n0"), broken, old, new), [on_its_way], cleared=False)
    assert tolerant(after)[1].keys() == {"PodDisruptionBudget default/web"}


def _claim(name: str, users: tuple[str, ...] | list[str] = (), **status: Any) -> Object:
    reserved = [{"resource": "pods", "name": uid.rpartition("/")[2], "uid": uid} for uid in users]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"devices": {}},
        "status": {**status, "reservedFor": reserved} if users else dict(status),
    }
