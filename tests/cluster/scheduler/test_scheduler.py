"""The scheduler as a process, on a real API server."""

import re
import time

import pytest

from tests.cluster.live import Live
from tests.cluster.scheduler.running import Scheduler, conditions, free_port, page
from tests.cluster.workloads import gang, node, pod, pod_group, pods, priority_class, racks

pytestmark = pytest.mark.cluster


def test_a_gang_is_bound_and_told_so(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(*racks(2, 2), *gang(version, "a", 4, group={"topology": "example.com/rack"}))
    scheduler = Scheduler(cluster).leads()
    bound = scheduler.bound(4)
    assert len({name[1] in "01" for name in bound.values()}) == 1
    kind = "PodGroupScheduled" if version == "v1alpha2" else "PodGroupInitiallyScheduled"
    group = scheduler.until(lambda: conditions(cluster.get("PodGroup", "default/a")).get(kind))
    assert group["status"] == "True"
    assert scheduler.end() == 0
    assert not cluster.all("Pod", fieldSelector="spec.nodeName=")


def test_a_gang_that_arrives_in_pieces_waits_for_its_last_piece(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(*racks(1, 2), pod_group(version, "a", 3), *pods("a", 2))
    scheduler = Scheduler(cluster).leads()
    cluster.create(pod("single"))
    scheduler.bound(1, prefix="single")
    time.sleep(0.5)
    assert not [name for name in cluster.bound() if name.startswith("a-")]
    cluster.create(*pods("a", 1, start=2))
    scheduler.bound(3, prefix="a-")
    scheduler.end()


def test_an_urgent_group_evicts_a_whole_running_one(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(priority_class("urgent", 1000), *racks(1, 2, cpu="4"))
    cluster.create(*gang(version, "old", 2, cpu="3", group={"whole": True}))
    scheduler = Scheduler(cluster).leads()
    scheduler.bound(2, prefix="old")
    cluster.create(*gang(version, "new", 2, cpu="3", priority_class="urgent"))
    scheduler.bound(2, prefix="new", seconds=60)
    assert not [p for p in cluster.all("Pod") if p["metadata"]["name"].startswith("old")]
    scheduler.until(
        lambda: (
            not cluster.admin.get(
                "/api/v1/namespaces/gangplan-system/configmaps",
                {"labelSelector": "app.kubernetes.io/managed-by=gangplan"},
            )["items"]
        )
    )
    scheduler.end()


def test_a_burst_of_200_pods_is_few_rounds(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(*racks(4, 5, cpu="16"))
    port = free_port()
    scheduler = Scheduler(cluster, "--listen", f"127.0.0.1:{port}").leads()
    for g in range(20):
        cluster.create(*gang(version, f"g{g}", 10, cpu="1"))
    scheduler.bound(200, seconds=90)
    per_node: dict[str, int] = {}
    for where in cluster.bound().values():
        per_node[where] = per_node.get(where, 0) + 1
    assert max(per_node.values()) <= 16
    rounds = re.search(r'rounds_total{outcome="planned"} (\d+)', page(port, "/metrics"))
    assert rounds is not None
    assert int(rounds[1]) <= 10
    scheduler.end()


def test_a_group_that_does_not_fit_says_why_and_is_woken_by_a_node(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(node("n0", cpu="2"), *gang(version, "big", 2, cpu="6"))
    scheduler = Scheduler(cluster).leads()
    kind = "PodGroupScheduled" if version == "v1alpha2" else "PodGroupInitiallyScheduled"
    told = scheduler.until(lambda: conditions(cluster.get("PodGroup", "default/big")).get(kind))
    assert (told["status"], told["reason"]) == ("False", "Unschedulable")
    cluster.create(node("n1", cpu="16"))
    assert set(scheduler.bound(2, seconds=15).values()) == {"n1"}
    scheduler.end()


def test_an_object_that_cannot_be_read_holds_up_nobody_else(cluster: Live) -> None:
    version = cluster.served.group_version
    odd = pod_group(version, "odd", 1)
    odd["metadata"]["annotations"] = {"gangplan.io/role-minimum": "no number"}
    cluster.create(*racks(1, 2), odd, *pods("odd", 1), *gang(version, "fine", 2))
    scheduler = Scheduler(cluster).leads()
    scheduler.bound(2, prefix="fine")
    scheduler.wait("PodGroup default/odd is set aside")
    assert not [name for name in cluster.bound() if name.startswith("odd")]
    assert len([1 for line in scheduler.lines() if "set aside" in line["message"]]) == 1
    scheduler.end()


def test_an_elastic_group_starts_small_and_grows(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(node("n0", cpu="4"), *gang(version, "e", 6, minimum=3, cpu="1"))
    scheduler = Scheduler(cluster).leads()
    scheduler.bound(4)
    cluster.create(node("n1", cpu="4"))
    scheduler.bound(6)
    scheduler.end()
