"""The flight with everything in it: foreign victims, taints, nominations, claims, Bindings."""

from typing import Any

from gangplan.cluster.flight import Flight
from tests.cluster.carry.flown import flight_in
from tests.cluster.devices import claim_template, device_class, from_template, gpus_of
from tests.cluster.live import Live
from tests.cluster.workloads import gang, priority_class, racks


def urgent_flight(live: Live) -> Flight:
    """A foreign group fills two nodes; an urgent gang with a claim a pod waits for them."""
    version = live.served.group_version
    low = gang(
        version, "low", 2, cpu="6", priority_class="low", group={"whole": True},
        scheduler="default-scheduler",
    )  # fmt: skip
    for number, member in enumerate(low[1:]):
        member["spec"]["nodeName"] = f"n{number}"
    live.create(priority_class("low", 1), priority_class("high", 9), *racks(1, 2), *low)
    live.create(device_class(), gpus_of("n0", 1), gpus_of("n1", 1), claim_template("gpu"))
    high = gang(version, "high", 2, cpu="6", priority_class="high")
    for member in high[1:]:
        _ask(member)
    live.create(*high)
    live.wait(
        lambda: all(
            pod["status"].get("resourceClaimStatuses")
            for pod in live.all("Pod")
            if not pod["spec"].get("nodeName")
        )
    )
    return flight_in(live, evict_foreign=True)


def _ask(member: dict[str, Any]) -> None:
    spec = member["spec"]
    spec["resourceClaims"] = [{"name": "gpu", **from_template("gpu")}]
    spec["containers"][0]["resources"]["claims"] = [{"name": "gpu"}]


def replacement(live: Live) -> dict[str, Any]:
    member = gang(live.served.group_version, "high", 1, cpu="6", priority_class="high")[1]
    member["metadata"]["name"] = "high-again"
    _ask(member)
    return member
