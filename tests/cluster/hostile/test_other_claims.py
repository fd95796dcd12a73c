"""Claims and Bindings that cross: no pod is bound without the devices of its claims."""

from typing import Any

import pytest

from gangplan.cluster.carry import carry, resume
from gangplan.cluster.flight import Flight
from gangplan.cluster.outcome import BOUND, UNDONE
from tests.cluster.carry.flown import flight_in, site, when, wrong
from tests.cluster.devices import claim, claim_template, device_class, from_template, gpus_of
from tests.cluster.hostile.stopped import killed_at
from tests.cluster.live import Live
from tests.cluster.workloads import node, pod, racks

pytestmark = pytest.mark.cluster


def _flight(live: Live, name: str) -> Flight:
    """A pod with a claim of its own, and the only node with a device."""
    live.create(*racks(1, 1), device_class(), gpus_of("n0", 1), claim_template("gpu"))
    live.create(pod(name, claims={"gpu": from_template("gpu")}))
    live.wait(lambda: live.all("Pod")[0]["status"].get("resourceClaimStatuses"))
    return flight_in(live)


def test_a_pod_whose_claim_was_exchanged_is_not_bound_without_devices(cluster: Live) -> None:
    flight = _flight(cluster, "exchanged")
    another = claim("another")
    another["metadata"] |= {
        key: cluster.all("ResourceClaim")[0]["metadata"][key]
        for key in ("ownerReferences", "annotations")
    }
    cluster.create(another)

    def exchange() -> None:
        statuses = [{"name": "gpu", "resourceClaimName": "another"}]
        path = cluster.served["Pod"].path_of("default/exchanged", "status")
        cluster.admin.patch(path, {"status": {"resourceClaimStatuses": statuses}})

    with when("bind.before", exchange):
        outcome = carry(site(cluster), flight)
    assert outcome.status in (BOUND, UNDONE), outcome
    has = bool(cluster.get("ResourceClaim", "default/another").get("status", {}).get("allocation"))
    assert bool(cluster.bound()) == has


def test_a_binding_on_its_way_comes_to_nothing_once_devices_are_given_back(cluster: Live) -> None:
    flight = _flight(cluster, "p")
    with killed_at("binding.before"):
        carry(site(cluster), flight)
    found = cluster.get("Pod", "default/p")
    cluster.create(pod("stranger", node="n0", cpu="8", scheduler="default-scheduler"))
    cluster.create(node("n1"), gpus_of("n1", 1))
    late: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {
            "name": "p",
            "namespace": "default",
            "uid": found["metadata"]["uid"],
            "resourceVersion": found["metadata"]["resourceVersion"],
        },
        "target": {"apiVersion": "v1", "kind": "Node", "name": "n0"},
    }
    path = cluster.served["Pod"].path_of("default/p", "binding")
    refused: list[str] = []

    def arrive() -> None:
        try:
            cluster.admin.post(path, late)
        except Exception as error:
            refused.append(str(error))

    with when("repair.planned", arrive):
        (outcome,) = resume(site(cluster, holder="next"))
    assert refused, "the old Binding came about"
    assert outcome.status == BOUND, outcome
    assert cluster.bound()["p"] == "n1"
    assert not wrong(cluster)
