"""Devices: claims of pods, and of groups that fall; through the scheduler, on a real API server."""

import pytest

from tests.cluster.audit import audit
from tests.cluster.devices import claim_template, device_class, from_template, gpus_of
from tests.cluster.live import Live
from tests.cluster.scheduler.running import Scheduler
from tests.cluster.workloads import gang, pod, priority_class, racks

pytestmark = pytest.mark.cluster


def test_claims_come_and_go_with_their_pods_and_no_device_is_given_twice(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(priority_class("urgent", 1000), *racks(1, 2, cpu="8"), device_class())
    cluster.create(*(gpus_of(f"n{i}", 2) for i in range(2)), claim_template("one"))
    wish = {"gpu": from_template("one")}
    scheduler = Scheduler(cluster).leads()
    cluster.create(*(pod(f"p{i}", claims=wish) for i in range(3)))
    scheduler.bound(3, prefix="p")
    low, high = gang(version, "low", 1), gang(version, "high", 2, priority_class="urgent")
    for obj in (*low, *high):
        if obj["kind"] == "Pod":
            obj["spec"]["resourceClaims"] = [{"name": "gpu", **wish["gpu"]}]
    cluster.create(*low)
    scheduler.bound(1, prefix="low")
    cluster.create(*high)
    scheduler.bound(2, prefix="high", seconds=60)
    assert scheduler.end() == 0
    allocated = [c for c in cluster.all("ResourceClaim") if c["status"].get("allocation")]
    assert len(allocated) == 4
    assert not audit(cluster.admin, cluster.served)
