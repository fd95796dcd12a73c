"""Conditions and events on a real server."""

import pytest

from gangplan.cluster import telling
from gangplan.cluster.client import Object
from gangplan.cluster.errors import ClusterError
from gangplan.cluster.flight import Falling, Flight, Member, Placing
from gangplan.cluster.kinds import EVENT, POD
from gangplan.cluster.telling import conditions
from gangplan.cluster.world import timestamp
from tests.cluster.live import Live
from tests.cluster.sites import Said, site_of
from tests.cluster.workloads import gang, node, pod, pod_group, tree

pytestmark = pytest.mark.cluster


def condition(live: Live, kind: str, name: str, type: str) -> Object:
    found = live.get(kind, f"default/{name}").get("status", {}).get("conditions") or []
    return next((dict(one) for one in found if one["type"] == type), {})


def scheduled(live: Live, name: str) -> Object:
    old = live.served.group_version == "v1alpha2"
    return condition(
        live, "PodGroup", name, "PodGroupScheduled" if old else "PodGroupInitiallyScheduled"
    )


def events(live: Live, name: str) -> list[Object]:
    found = live.admin.get(EVENT.path("default"))["items"]
    return [one for one in found if one["regarding"]["name"] == name]


def flight_of(live: Live, group: str, size: int, *, tree: str = "") -> Flight:
    placings = tuple(
        Placing(
            f"default/{group}-{i}",
            live.get("Pod", f"default/{group}-{i}")["metadata"]["uid"],
            "n0",
            "uid",
            f"default/{group}",
            "minimum",
        )
        for i in range(size)
    )
    uid = live.get("PodGroup", f"default/{group}")["metadata"]["uid"]
    member = Member(f"default/{group}", uid, "PodGroup", size)
    return Flight("key", 0, (member,), placings, tree=tree)


def test_a_gang_that_is_in_says_so_and_its_pods_say_where(cluster: Live) -> None:
    cluster.create(*gang(cluster.served.group_version, "g", 2))
    telling.admitted(site_of(cluster), flight_of(cluster, "g", 2))
    found = scheduled(cluster, "g")
    assert (found["status"], found["reason"]) == ("True", "Scheduled")
    assert found["message"] == "2 pods are bound, 2 are its minimum"
    (told,) = events(cluster, "g-0")
    assert told["note"] == "Successfully assigned default/g-0 to n0"
    assert (told["reason"], told["action"], told["type"]) == ("Scheduled", "Binding", "Normal")
    assert told["reportingController"] == "gangplan.io/scheduler"


def test_a_gang_that_was_in_once_never_waits_again(cluster: Live) -> None:
    cluster.create(*gang(cluster.served.group_version, "g", 1))
    site = site_of(cluster)
    telling.admitted(site, flight_of(cluster, "g", 1))
    before = scheduled(cluster, "g")
    telling.waiting(site, "default/g", "no room")
    assert scheduled(cluster, "g") == before
    assert condition(cluster, "Pod", "g-0", "PodScheduled")["message"] == "no room"


def test_a_gang_waits_with_its_reason_until_it_is_in(cluster: Live) -> None:
    cluster.create(*gang(cluster.served.group_version, "g", 2))
    site = site_of(cluster)
    telling.waiting(site, "default/g", "3 GPUs are missing")
    for found in (scheduled(cluster, "g"), condition(cluster, "Pod", "g-1", "PodScheduled")):
        assert (found["status"], found["reason"]) == ("False", "Unschedulable")
        assert found["message"] == "3 GPUs are missing"
    (told,) = events(cluster, "g")
    assert (told["reason"], told["type"]) == ("FailedScheduling", "Warning")
    telling.admitted(site, flight_of(cluster, "g", 2))
    assert scheduled(cluster, "g")["status"] == "True"


def test_nothing_is_written_where_nothing_has_changed(cluster: Live) -> None:
    cluster.create(*gang(cluster.served.group_version, "g", 1))
    site = site_of(cluster)
    telling.waiting(site, "default/g", "no room")
    before = [cluster.get(*one)["metadata"]["resourceVersion"] for one in _BOTH]
    telling.waiting(site, "default/g", "no room")
    other = site_of(cluster)
    object.__setattr__(other, "holder", "another process")  # one that remembers nothing
    telling.waiting(other, "default/g", "no room")
    assert [cluster.get(*one)["metadata"]["resourceVersion"] for one in _BOTH] == before


_BOTH = (("PodGroup", "default/g"), ("Pod", "default/g-0"))


def test_a_new_reason_keeps_the_time_since_when_it_waits(cluster: Live) -> None:
    cluster.create(*gang(cluster.served.group_version, "g", 1))
    site = site_of(cluster)
    telling.waiting(site, "default/g", "no room")
    first = scheduled(cluster, "g")
    cluster.wait(lambda: _second(cluster) > first["lastTransitionTime"])
    telling.waiting(site, "default/g", "no devices")
    then = scheduled(cluster, "g")
    assert then["message"] == "no devices"
    assert then["lastTransitionTime"] == first["lastTransitionTime"]


def _second(live: Live) -> str:
    live.admin.get("/version")
    return timestamp(live.admin.server_time)


def test_a_reason_of_any_length_is_cut_to_what_the_api_takes(cluster: Live) -> None:
    cluster.create(*gang(cluster.served.group_version, "g", 1))
    telling.waiting(site_of(cluster), "default/g", "é" * 40_000)
    assert len(scheduled(cluster, "g")["message"].encode()) <= 32 * 1024
    assert len(events(cluster, "g")[0]["note"].encode()) <= 1024


def test_a_bound_pod_is_never_said_to_wait(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(node("n0"), pod_group(version, "g", 1), pod("g-0", group="g"))
    cluster.create(pod("g-1", group="g", node="n0"))
    target = {"apiVersion": "v1", "kind": "Node", "name": "n0"}
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "g-0"}}
    cluster.admin.post(POD.path_of("default/g-0", "binding"), {**binding, "target": target})
    site = site_of(cluster)
    waits = conditions.Condition("PodScheduled", "False", "Unschedulable", "x", lasting=True)
    for name in ("default/g-0", "default/g-1"):
        assert not conditions.write(site, POD, name, waits)
    telling.waiting(site, "default/g", "the rest of it waits")
    assert condition(cluster, "Pod", "g-0", "PodScheduled")["status"] == "True"
    assert not condition(cluster, "Pod", "g-1", "PodScheduled")


def test_a_pod_of_its_own_waits_too(cluster: Live) -> None:
    cluster.create(pod("alone"))
    telling.waiting(site_of(cluster), "default/alone", "no node is free")
    assert condition(cluster, "Pod", "alone", "PodScheduled")["message"] == "no node is free"


def test_what_is_gone_is_told_nothing(cluster: Live) -> None:
    cluster.create(*gang(cluster.served.group_version, "g", 1))
    flight = flight_of(cluster, "g", 1)
    cluster.wipe()
    cluster.create(*gang(cluster.served.group_version, "g", 1))
    telling.admitted(site_of(cluster), flight)
    assert not scheduled(cluster, "g")
    telling.waiting(site_of(cluster), "default/nobody", "no room")


@pytest.mark.versions("1.37")
def test_all_levels_of_a_tree_say_that_they_are_in(cluster: Live) -> None:
    cluster.create(*tree("t", 1, {"a": 1}))
    telling.admitted(site_of(cluster), flight_of(cluster, "t-a", 1, tree="default/t"))
    found = condition(cluster, "CompositePodGroup", "t", "CompositePodGroupInitiallyScheduled")
    assert (found["status"], found["reason"]) == ("True", "Scheduled")
    telling.waiting(site_of(cluster), "default/t", "no room")
    again = condition(cluster, "CompositePodGroup", "t", "CompositePodGroupInitiallyScheduled")
    assert again == found


def test_a_victim_and_the_group_that_falls_with_it_are_told(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(node("n0"), *gang(version, "low", 1, node="n0"), *gang(version, "high", 1))
    uid = cluster.get("Pod", "default/low-0")["metadata"]["uid"]
    falling = Falling(
        "default/low-0", uid, "n0", "default/low", "group", ours=True, whole="default/low"
    )
    site = site_of(cluster)
    telling.victim(site, falling, flight_of(cluster, "high", 1))
    telling.victim(site, falling, flight_of(cluster, "high", 1))
    for kind, name in (("Pod", "low-0"), ("PodGroup", "low")):
        found = condition(cluster, kind, name, "DisruptionTarget")
        assert (found["status"], found["reason"]) == ("True", "PreemptionByScheduler")
        assert found["message"].startswith("gangplan: preempting to accommodate a higher priority")
    (told,) = events(cluster, "low-0")
    assert (told["reason"], told["action"]) == ("Preempted", "Preempting")
    assert told["note"] == "Preempted by default/high on node n0"


def test_another_pod_of_a_victims_name_is_left_alone(cluster: Live) -> None:
    cluster.create(node("n0"), pod("p", node="n0"))
    falling = Falling("default/p", "another", "n0", "default/p", "pod", ours=True)
    telling.victim(site_of(cluster), falling, Flight("key", 0, (), ()))
    assert not condition(cluster, "Pod", "p", "DisruptionTarget")
    assert not events(cluster, "p")


def test_the_same_event_is_written_once_a_minute(cluster: Live) -> None:
    (found,) = cluster.create(pod("p"))
    site = site_of(cluster)
    for note in ("no room", "no room", "no devices", "no devices"):
        telling.event(site, found, "FailedScheduling", note, "Warning")
    notes = sorted(one["note"] for one in events(cluster, "p"))
    assert notes == ["no devices", "no room"]


def test_an_event_that_fails_is_said_and_is_no_error(cluster: Live) -> None:
    (found,) = cluster.create(pod("p"))
    said = Said()
    telling.event(site_of(cluster, say=said), found, "Scheduled", "note", "Cheerful")
    assert not events(cluster, "p")
    assert "default/p: its event Scheduled could not be written" in said.sentences[0]


def test_a_condition_that_the_server_refuses_is_an_error(cluster: Live) -> None:
    cluster.create(*gang(cluster.served.group_version, "g", 1))
    kind = cluster.served["PodGroup"]
    wrong = conditions.Condition("Wrong", "True", "no word", "x")
    with pytest.raises(ClusterError, match="422"):
        conditions.write(site_of(cluster), kind, "default/g", wrong)
