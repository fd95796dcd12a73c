"""Room is made for what is more urgent, and nobody falls twice or for nothing."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster import devices, workloads
from tests.cluster.audit.history import History
from tests.cluster.e2e.ways import WAYS, Way, events, told, well
from tests.cluster.live import Live

pytestmark = pytest.mark.cluster


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, cluster: Live) -> Iterator[Way]:
    """Each of the two ways; whatever happened is seen, and is well in the end."""
    cluster.create(workloads.priority_class("urgent", 1000), workloads.priority_class("low", 10))
    found = Way(cluster, request.param)
    with History(cluster.admin, cluster.served) as history:
        yield found
        found.stop()
        well(cluster, history)


def running(live: Live, name: str, size: int, **options: Any) -> None:
    """Create a gang that runs already, each pod on a node of its own."""
    head, *pods = workloads.gang(live.served.group_version, name, size, **options)
    for number, pod in enumerate(pods):
        pod["spec"]["nodeName"] = f"n{number}"
    live.create(head, *pods)
    live.wait(lambda: all(p["status"]["phase"] == "Running" for p in live.all("Pod")))


def test_an_urgent_group_takes_the_place_of_a_whole_group(way: Way) -> None:
    live = way.live
    live.create(*workloads.racks(1, 3, cpu="4"))
    running(live, "old", 3, cpu="3", priority_class="low", group={"whole": True})
    live.create(
        *workloads.gang(live.served.group_version, "new", 2, cpu="4", priority_class="urgent")
    )
    way.go(lambda: set(live.bound()) == {"new-0", "new-1"})
    assert events(live, "Preempted") == {"old-0", "old-1", "old-2"}
    live.wait(lambda: not [text for text in told(live) if "default/new" in text])


def test_a_budget_without_room_protects_its_pods(way: Way) -> None:
    live = way.live
    live.create(*workloads.racks(1, 2, cpu="4"), workloads.budget("all", {"app": "kept"}, "100%"))
    running(live, "old", 1, cpu="4", priority_class="low", labels={"app": "kept"})
    live.create(workloads.pod("soft", cpu="4", priority_class="low", node="n1"))
    live.wait(lambda: any(
        b.get("status", {}).get("currentHealthy") for b in live.all("PodDisruptionBudget")
    ))  # fmt: skip
    live.create(
        *workloads.gang(live.served.group_version, "new", 1, cpu="4", priority_class="urgent")
    )
    way.go(lambda: "new-0" in live.bound())
    assert set(live.bound()) == {"old-0", "new-0"}


def test_the_devices_of_a_claim_go_to_whoever_is_more_urgent(way: Way) -> None:
    live = way.live
    fabric = devices.resource_slice(
        "fabric", [devices.device("f")], nodes={workloads.RACK: "r0"}
    )  # fmt: skip
    live.create(
        *workloads.racks(1, 2), devices.device_class(), fabric, devices.claim_template("one")
    )
    shared = {"fabric": devices.from_template("one")}
    version = live.served.group_version
    live.create(*workloads.gang(version, "old", 2, claims=shared, priority_class="low",
                                group={"whole": True}))  # fmt: skip
    way.go(lambda: len(live.bound()) == 2)
    live.create(*workloads.gang(version, "new", 2, claims=shared, priority_class="urgent"))
    live.wait(lambda: len(live.all("ResourceClaim")) == 2)
    way.go(lambda: set(live.bound()) == {"new-0", "new-1"})
