"""A World that is kept up to date, on a real server that fails."""

import threading
import time
from typing import Any

import pytest

from gangplan.cluster.client import Client, connect
from gangplan.cluster.errors import Denied, Unreachable
from gangplan.cluster.kinds import NODE, POD
from gangplan.cluster.listing import take
from gangplan.cluster.watched import Watched
from gangplan.cluster.watched.stream import Pace
from gangplan.cluster.world import World, name_of
from tests.cluster import workloads
from tests.cluster.eyes.conftest import Watching
from tests.cluster.faults.proxy import Proxy
from tests.cluster.faults.rules import Rule
from tests.cluster.live import Live

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

Object = dict[str, Any]


class Heard:
    """Events, and a wait for one."""

    def __init__(self, watched: Watched) -> None:
        self.events: list[tuple[str, str, str]] = []
        self.old: list[Object | None] = []
        watched.subscribe(self._note)

    def _note(self, kind: str, what: str, obj: Object, old: Object | None) -> None:
        self.events.append((kind, what, name_of(obj)))
        self.old.append(old)

    def pods(self) -> list[tuple[str, str]]:
        return [(what, name) for kind, what, name in self.events if kind == "Pod"]


def pods(world: World) -> list[str]:
    return sorted(pod["metadata"]["name"] for pod in world.objects["Pod"])


def version(obj: Object) -> str:
    return str(obj["metadata"]["resourceVersion"])


def touch(cluster: Live, name: str, value: str) -> Object:
    path = POD.path("default", name)
    return cluster.admin.patch(path, {"metadata": {"labels": {"touched": value}}})


def delete(cluster: Live, name: str) -> None:
    cluster.admin.delete(POD.path("default", name), {"gracePeriodSeconds": 0})


def test_a_watched_world_is_the_listed_world(cluster: Live, watching: Watching) -> None:
    cluster.create(*workloads.racks(2, 2), *(workloads.pod(f"p{n}") for n in range(5)))
    watched = watching(chunk=2)
    seen, listed = watched.world(), take(cluster.client, cluster.served)
    assert {kind: sorted(map(name_of, found)) for kind, found in seen.objects.items()} == {
        kind: sorted(map(name_of, found)) for kind, found in listed.objects.items()
    }
    assert (seen.cluster, seen.version) == (listed.cluster, listed.version)
    assert abs(seen.taken - listed.taken) < 2
    assert not watched.broken
    assert watched.age() < 20


def test_events_come_with_the_object_before(cluster: Live, watching: Watching) -> None:
    watched = watching()
    heard = Heard(watched)
    cluster.create(workloads.pod("p"))
    touched = touch(cluster, "p", "1")
    world = watched.world({"Pod": version(touched)})
    assert world.find("Pod", "default/p")["metadata"]["labels"]["touched"] == "1"  # type: ignore[index]
    delete(cluster, "p")
    cluster.wait(lambda: not watched.world().objects["Pod"])
    assert heard.pods()[0] == ("ADDED", "default/p")
    assert heard.pods()[-1] == ("DELETED", "default/p")
    assert ("MODIFIED", "default/p") in heard.pods()
    olds = [old for (kind, _, _), old in zip(heard.events, heard.old, strict=True) if kind == "Pod"]
    assert olds[0] is None
    assert all(old is not None and old["metadata"]["name"] == "p" for old in olds[1:])


def test_a_world_is_cheap_and_does_not_change_any_more(cluster: Live, watching: Watching) -> None:
    cluster.create(*(workloads.pod(f"p{n}") for n in range(3)))
    watched = watching()
    before = watched.world()
    assert watched.world().objects["Pod"] is before.objects["Pod"]
    made = cluster.create(workloads.pod("new"))[0]
    after = watched.world({"Pod": version(made)})
    assert pods(before) == ["p0", "p1", "p2"]
    assert before.find("Pod", "default/new") is None
    assert pods(after) == ["new", "p0", "p1", "p2"]
    assert after.find("Pod", "default/p0") is before.find("Pod", "default/p0")


def test_a_world_at_least_as_new_as_a_write_has_it_in_all_kinds(
    cluster: Live, watching: Watching
) -> None:
    watched = watching()
    for round_ in range(3):
        made = cluster.create(workloads.node(f"n{round_}"), workloads.pod(f"p{round_}"))
        began = time.monotonic()
        world = watched.world(version(made[-1]))
        assert time.monotonic() - began < 6.0
        assert world.find("Pod", f"default/p{round_}") is not None
        assert world.find("Node", f"n{round_}") is not None
        # Kinds in which nothing has happened have been asked about; it is known at once now.
        began = time.monotonic()
        watched.world(version(made[-1]))
        assert time.monotonic() - began < 0.2


def test_a_version_that_nobody_has_written_is_not_waited_for_for_ever(
    cluster: Live, watching: Watching
) -> None:
    watched = watching(patience=1.0)
    far = str(int(watched.world().resource_version) + 10**6)
    with pytest.raises(Unreachable, match=r"version \d+ of .*Pod.* not seen after 1 s"):
        watched.world(far)


def test_a_version_that_is_dropped_is_listed_again_with_the_differences_told(
    cluster: Live, proxy: Proxy, through: Client, watching: Watching
) -> None:
    cluster.create(*(workloads.pod(name) for name in ("stays", "changes", "goes", "anew")))
    proxy.rules = [
        Rule("cut", "GET", "/pods", times=1, watch=True),
        Rule("refuse", "GET", "/pods", times=200, watch=True),
        Rule("answer", "GET", "/pods", times=1, watch=True, status=410, reason="Expired"),
    ]
    watched = watching(through)
    heard = Heard(watched)
    cluster.wait(lambda: "pods" in watched.broken)
    uid = cluster.get("Pod", "default/anew")["metadata"]["uid"]
    delete(cluster, "goes")
    delete(cluster, "anew")
    cluster.wait(lambda: len(cluster.all("Pod")) == 2)
    anew = cluster.create(workloads.pod("anew"), workloads.pod("new"))[0]
    touched = touch(cluster, "changes", "1")
    proxy.rules[1].times = 0
    world = watched.world({"Pod": version(touched)})
    assert proxy.happened["answer 410"] == 1
    assert pods(world) == ["anew", "changes", "new", "stays"]
    assert world.find("Pod", "default/anew")["metadata"]["uid"] == anew["metadata"]["uid"] != uid  # type: ignore[index]
    assert sorted(heard.pods()) == [
        ("ADDED", "default/anew"),
        ("ADDED", "default/new"),
        ("DELETED", "default/anew"),
        ("DELETED", "default/goes"),
        ("MODIFIED", "default/changes"),
    ]
    assert heard.pods().index(("DELETED", "default/anew")) < heard.pods().index(
        ("ADDED", "default/anew")
    )
    assert not watched.broken


def test_an_expired_event_inside_a_watch_lists_again(
    cluster: Live, proxy: Proxy, through: Client, watching: Watching
) -> None:
    proxy.rules = [Rule("expire", "GET", "/pods", times=1, watch=True, events=2)]
    watched = watching(through)
    cluster.create(*(workloads.pod(f"p{n}") for n in range(6)))
    cluster.wait(lambda: pods(watched.world()) == [f"p{n}" for n in range(6)])
    assert proxy.happened["expire"] == 1
    assert sum("/pods?limit" in path for path in proxy.requests) == 2


def test_a_watch_that_breaks_goes_on_and_lists_nothing_again(
    cluster: Live, proxy: Proxy, through: Client, watching: Watching
) -> None:
    proxy.rules = [Rule("cut", "GET", "/pods", times=5, watch=True, events=1)]
    watched = watching(through)
    heard = Heard(watched)
    made = cluster.create(*(workloads.pod(f"p{n}") for n in range(8)))
    world = watched.world({"Pod": version(made[-1])})
    assert pods(world) == [f"p{n}" for n in range(8)]
    assert [name for what, name in heard.pods() if what == "ADDED"] == [
        f"default/p{n}" for n in range(8)
    ]
    assert sum("/pods?limit" in path for path in proxy.requests) == 1


def test_a_watch_that_ends_goes_on_from_its_bookmark(
    cluster: Live, proxy: Proxy, through: Client, watching: Watching
) -> None:
    """Pods do not change; nodes do: only a bookmark moves the version of the pods."""
    cluster.create(workloads.node("n"), workloads.pod("p"))
    watching(through, pace=Pace(watch=3.0, pause=0.05, longest=0.5))
    first = int(cluster.all("Pod")[0]["metadata"]["resourceVersion"])
    for n in range(8):
        cluster.admin.patch(NODE.path("", "n"), {"metadata": {"labels": {"n": str(n)}}})
        time.sleep(0.1)

    def versions() -> list[int]:
        cluster.all("Pod")  # has the server ask etcd how far the pods have come
        return [
            int(path.partition("resourceVersion=")[2].partition("&")[0])
            for path in proxy.requests
            if "/pods?watch=true" in path
        ]

    found = cluster.wait(lambda: (v := versions())[-1] > first + 7 and v, 20.0)
    assert found == sorted(found)
    assert sum("/pods?limit" in path for path in proxy.requests) == 1


def test_a_server_that_dies_and_comes_back_is_followed(cluster: Live, watching: Watching) -> None:
    cluster.create(workloads.node("n"), workloads.pod("p"))
    watched = watching()
    heard = Heard(watched)
    cluster.plane.end("kube-apiserver", kill=True)
    cluster.wait(lambda: watched.broken)
    assert not watched.crashed
    assert pods(watched.world()) == ["p"], "what was known is known"
    cluster.plane.start_server()
    made = cluster.create(workloads.pod("q"))[0]
    world = watched.world(version(made))
    assert pods(world) == ["p", "q"]
    cluster.wait(lambda: not watched.broken)
    assert ("ADDED", "default/q") in heard.pods()
    assert not any(what == "DELETED" for what, _ in heard.pods())


def test_a_server_that_says_nothing_is_noticed(cluster: Live, watching: Watching) -> None:
    pace = Pace(silence=1.5, pause=0.05, longest=0.5)
    watched = watching(pace=pace)
    cluster.plane.pause("kube-apiserver")
    try:
        cluster.wait(lambda: "no answer in time" in watched.broken)
        assert watched.age() > 1.0
    finally:
        cluster.plane.pause("kube-apiserver", paused=False)
    made = cluster.create(workloads.pod("p"))[0]
    assert pods(watched.world({"Pod": version(made)})) == ["p"]


def test_a_verb_that_is_lacking_ends_the_wait_for_the_first_lists(cluster: Live) -> None:
    roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles/gangplan"
    role = cluster.admin.get(roles)
    fewer = [
        rule | {"resources": [name for name in rule["resources"] if name != "resourceslices"]}
        for rule in role["rules"]
    ]
    cluster.admin.patch(roles, {"rules": fewer})
    watched = Watched(cluster.client, cluster.served)
    try:
        time.sleep(0.5)
        watched.start()
        with pytest.raises(Denied, match='cannot list resource "resourceslices"'):
            watched.synced(10.0)
    finally:
        watched.stop()
        cluster.admin.patch(roles, {"rules": role["rules"]})


def test_a_fault_in_a_callback_is_raised_by_world(cluster: Live, watching: Watching) -> None:
    watched = watching()

    def bad(kind: str, what: str, obj: Object, old: Object | None) -> None:
        raise ZeroDivisionError("a fault of ours")

    watched.subscribe(bad)
    cluster.create(workloads.pod("p"))
    cluster.wait(lambda: watched.crashed)
    assert "a fault of ours" in watched.broken
    with pytest.raises(ZeroDivisionError):
        watched.world()


def test_nothing_is_told_after_the_end(cluster: Live, watching: Watching) -> None:
    watched = watching()
    heard = Heard(watched)
    began = time.monotonic()
    watched.stop()
    assert time.monotonic() - began < 2.0
    assert not any("watch-" in thread.name for thread in threading.enumerate())
    cluster.create(workloads.pod("p"))
    time.sleep(0.3)
    assert not heard.events


def test_many_writers_and_readers_see_what_a_list_sees(cluster: Live, watching: Watching) -> None:
    watched = watching()
    admin = connect(str(cluster.plane.admin))

    def write(part: int) -> None:
        for n in range(15):
            name = f"w{part}-{n}"
            admin.post(POD.path("default"), workloads.pod(name))
            if n % 3 == 0:
                admin.delete(POD.path("default", name), {"gracePeriodSeconds": 0})

    writers = [threading.Thread(target=write, args=(part,)) for part in range(4)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        world = watched.world()
        assert len({name_of(pod) for pod in world.objects["Pod"]}) == len(world.objects["Pod"])
    listed = take(cluster.client, cluster.served)
    world = watched.world(listed.resource_version)
    assert pods(world) == pods(listed)
    assert len(pods(world)) == 40
