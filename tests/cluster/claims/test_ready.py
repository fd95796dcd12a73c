"""Claims of a flight on a real server: binding conditions are waited for."""

import threading
from dataclasses import replace

import pytest

from gangplan.cluster import claims
from gangplan.cluster.errors import ClusterError
from gangplan.cluster.flight import Flight
from gangplan.cluster.site import Site, Waits
from tests.cluster.claims.making import (
    allocating,
    delete,
    devices,
    flight,
    placing,
    row,
    status,
    user,
)
from tests.cluster.devices import (
    claim,
    device,
    device_class,
    named,
    resource_slice,
)
from tests.cluster.live import Live
from tests.cluster.sites import site_of
from tests.cluster.workloads import node, pod

pytestmark = pytest.mark.cluster


def attached(live: Live, type: str, value: str, seconds: float = 0.0) -> None:
    entry = {"type": type, "status": value, "reason": "Told", "message": "by the driver"}
    entry["lastTransitionTime"] = "2026-01-01T00:00:00Z"
    at = {"driver": "gpu.example.com", "pool": "s", "device": "gpu-0", "conditions": [entry]}
    path = live.served["ResourceClaim"].path("default", "c", "status")
    threading.Timer(seconds, live.admin.patch, (path, {"status": {"devices": [at]}})).start()


@pytest.fixture
def late(cluster: Live) -> tuple[Site, Flight]:
    """Give a flight whose claim has a device that is to be made ready."""
    made = resource_slice(
        "s",
        [
            device(
                "gpu-0",
                bindingConditions=["example.com/Attached"],
                bindingFailureConditions=["example.com/Broken"],
            )
        ],
    )
    cluster.create(node("n0"), device_class(), made, claim("c"), pod("p", claims={"c": named("c")}))
    site = site_of(cluster)
    found = flight(
        allocating(cluster, site, "c", [row(pool="s")], user(cluster, "p")),
        placings=[placing(cluster, "p")],
    )
    claims.allocate(site, found)
    return site, found


def test_devices_are_waited_for_until_they_are_ready(
    cluster: Live, late: tuple[Site, Flight]
) -> None:
    site, found = late
    attached(cluster, "example.com/Attached", "True", 0.5)
    claims.ready(site, found)
    conditions = status(cluster, "c")["devices"][0]["conditions"]
    assert conditions[0]["status"] == "True"
    claims.release(site, found, {placing(cluster, "p").uid})
    assert not status(cluster, "c")


def test_a_device_that_cannot_be_made_ready_ends_the_step(
    cluster: Live, late: tuple[Site, Flight]
) -> None:
    site, found = late
    attached(cluster, "example.com/Broken", "True")
    with pytest.raises(ClusterError, match=r"cannot be made ready: example.com/Broken \(Told\)"):
        claims.ready(site, found)


def test_a_device_that_is_never_ready_ends_the_step(
    cluster: Live, late: tuple[Site, Flight]
) -> None:
    site, found = late
    attached(cluster, "example.com/Attached", "False")
    with pytest.raises(ClusterError, match=r"has no example\.com/Attached yet"):
        claims.ready(replace(site, waits=Waits(ready=0.3)), found)


def test_a_claim_that_has_lost_its_devices_is_never_ready(
    cluster: Live, late: tuple[Site, Flight]
) -> None:
    site, found = late
    delete(cluster, "p")
    cluster.wait(lambda: not devices(cluster, "c"))
    with pytest.raises(ClusterError, match="default/c: it has lost its devices"):
        claims.ready(site, found)
