"""Who leads, who takes over, and what is left when a scheduler ends; on a real API server."""

import signal
import time
from collections.abc import Iterator
from threading import Event, Thread

import pytest

from gangplan.cluster.client import STRATEGIC
from gangplan.cluster.kinds import NODE, POD
from gangplan.cluster.world import timestamp
from tests.cluster.live import Live, Object
from tests.cluster.scheduler.running import Scheduler, free_port, page
from tests.cluster.workloads import gang, node, priority_class, racks

pytestmark = [pytest.mark.cluster, pytest.mark.alike]


@pytest.fixture(autouse=True)
def kubelets(cluster: Live) -> Iterator[None]:
    """Keep nodes ready whose kubelets a test has ended, and let kubelets run again."""
    stop = Event()
    thread = Thread(target=_heartbeats, args=(cluster, stop))
    thread.start()
    yield
    stop.set()
    thread.join()
    if not cluster.plane.runs("kwok"):
        cluster.plane.start_kubelets()


def test_two_schedulers_one_leads_and_the_other_takes_over_from_a_dead_one(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(*racks(1, 4, cpu="4"), *gang(version, "first", 4, cpu="2"))
    one = Scheduler(cluster, log="one.log").leads()
    two = Scheduler(cluster, log="two.log")
    one.bound(4, prefix="first")
    assert not two.said("leading")
    one.kill()
    cluster.create(*gang(version, "second", 4, cpu="2"))
    two.leads()
    two.bound(4, prefix="second")
    assert two.end() == 0


def test_what_a_dead_leader_left_half_done_is_finished(cluster: Live) -> None:
    scheduler = _waiting_for_a_victim(cluster, "dead.log")
    scheduler.kill()
    successor = Scheduler(cluster, log="successor.log").leads()
    successor.wait("goes on from its journal")
    _let_go(cluster)
    successor.bound(1, prefix="new", seconds=60)
    successor.until(lambda: not _journals(cluster))
    successor.end()


def test_sigterm_leaves_a_flight_that_waits_in_its_journal_and_gives_the_lease_up(
    cluster: Live,
) -> None:
    scheduler = _waiting_for_a_victim(cluster, "ending.log", "--grace", "1")
    began = time.monotonic()
    assert scheduler.end() == 0
    assert time.monotonic() - began < 12
    assert scheduler.said("left in its journal")
    assert len(_journals(cluster)) == 1
    successor = Scheduler(cluster, log="successor.log")
    successor.wait("leading", 12)
    _let_go(cluster)
    successor.bound(1, prefix="new", seconds=60)
    successor.end()


def test_others_go_on_while_a_flight_waits_and_nobody_else_falls_for_room_to_come(
    cluster: Live,
) -> None:
    version = cluster.served.group_version
    scheduler = _waiting_for_a_victim(cluster, "busy.log")
    cluster.create(node("n9", cpu="4"), *gang(version, "other", 2, cpu="2"))
    assert set(scheduler.bound(2, prefix="other").values()) == {"n9"}
    # Its room is on n0, as soon as the victim has left: "other", of lower priority, stays.
    cluster.create(*gang(version, "late", 1, cpu="1", priority_class="urgent"))
    time.sleep(2)
    assert not [name for name in cluster.bound() if name.startswith(("late", "new"))]
    _let_go(cluster)
    scheduler.bound(1, prefix="new", seconds=60)
    assert scheduler.bound(1, prefix="late") == {"late-0": "n0"}
    assert len([name for name in cluster.bound() if name.startswith("other")]) == 2
    scheduler.end()


def test_a_scheduler_outlives_its_api_server(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(node("n0"), *gang(version, "before", 2))
    scheduler = Scheduler(cluster, "--stand-by").leads()
    scheduler.bound(2, prefix="before")
    cluster.plane.end("kube-apiserver", kill=True)
    cluster.plane.start_server()
    cluster.create(*gang(version, "after", 2))
    scheduler.bound(2, prefix="after", seconds=60)
    assert scheduler.end() == 0


def test_a_journal_that_cannot_be_read_stops_its_own_groups_alone(cluster: Live) -> None:
    version = cluster.served.group_version
    scheduler = _waiting_for_a_victim(cluster, "first.log", "--grace", "0.1")
    assert scheduler.end() == 0
    journal = _journals(cluster)[0]["metadata"]["name"]
    path = f"/api/v1/namespaces/gangplan-system/configmaps/{journal}"
    cluster.admin.patch(path, {"binaryData": None})
    _let_go(cluster)
    cluster.create(node("n9", cpu="4"), *gang(version, "other", 2, cpu="2"))
    successor = Scheduler(cluster, log="successor.log").leads()
    successor.bound(2, prefix="other")
    successor.wait("cannot be read as a journal")
    time.sleep(1)
    assert not [name for name in cluster.bound() if name.startswith("new")]
    assert successor.end() == 0


def test_a_leader_that_was_paused_ends_when_another_one_leads(cluster: Live) -> None:
    cluster.create(node("n0"))
    paused = Scheduler(cluster, log="paused.log").leads()
    paused.process.send_signal(signal.SIGSTOP)
    other = Scheduler(cluster, log="other.log").leads()
    paused.process.send_signal(signal.SIGCONT)
    assert paused.process.wait(20) == 4
    cluster.create(*gang(cluster.served.group_version, "a", 2))
    other.bound(2)
    other.end()


def test_health_and_metrics_are_served(cluster: Live) -> None:
    port = free_port()
    cluster.create(node("n0"), *gang(cluster.served.group_version, "a", 2))
    scheduler = Scheduler(cluster, "--listen", f"127.0.0.1:{port}").leads()
    scheduler.bound(2)
    assert page(port, "/healthz") == page(port, "/readyz") == "ok\n"
    scheduler.until(lambda: 'gangplan_flights_total{outcome="bound"} 1' in page(port, "/metrics"))
    metrics = page(port, "/metrics")
    assert "gangplan_leader 1" in metrics
    assert "gangplan_pods_bound_total 2" in metrics
    assert 'gangplan_api_errors_total{code="403"' not in metrics
    scheduler.end()


def _heartbeats(cluster: Live, stop: Event) -> None:
    while not stop.wait(3):
        if cluster.plane.runs("kwok"):
            continue
        now = timestamp(time.time())
        for found in cluster.all("Node"):
            ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": now}
            path = NODE.path("", found["metadata"]["name"], "status")
            cluster.admin.patch(path, {"status": {"conditions": [ready]}}, kind=STRATEGIC)


def _waiting_for_a_victim(cluster: Live, log: str, *options: str) -> Scheduler:
    """Start a scheduler, and leave it waiting for a pod that does not go."""
    version = cluster.served.group_version
    old = gang(version, "old", 1, cpu="3", terminationGracePeriodSeconds=600)
    cluster.create(priority_class("urgent", 1000), *racks(1, 1, cpu="4"), *old)
    scheduler = Scheduler(cluster, *options, log=log).leads()
    scheduler.bound(1, prefix="old")
    scheduler.until(lambda: _old(cluster)["status"]["phase"] == "Running")
    cluster.plane.end("kwok")
    cluster.create(*gang(version, "new", 1, cpu="3", priority_class="urgent"))
    scheduler.until(lambda: _old(cluster)["metadata"].get("deletionTimestamp"))
    return scheduler


def _old(cluster: Live) -> Object:
    return cluster.get("Pod", "default/old-0")


def _let_go(cluster: Live) -> None:
    cluster.admin.delete(POD.path("default", "old-0"), {"gracePeriodSeconds": 0})


def _journals(cluster: Live) -> list[Object]:
    label = {"labelSelector": "app.kubernetes.io/managed-by=gangplan"}
    path = "/api/v1/namespaces/gangplan-system/configmaps"
    return list(cluster.admin.get(path, label)["items"])
