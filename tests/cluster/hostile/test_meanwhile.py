"""The cluster moves on while a flight waits, or lies in its journal."""

import gzip
from base64 import b64encode
from threading import Timer
from typing import Any

import pytest

from gangplan.cluster.carry import carry, packed, resume
from gangplan.cluster.carry import journal as journals_of
from gangplan.cluster.kinds import CONFIG_MAP, EVENT
from gangplan.cluster.outcome import BOUND, LEFT, UNDONE
from tests.cluster.carry.flown import delete, flight_in, journals, site, when, wrong
from tests.cluster.devices import claim, claim_template, device_class, from_template, gpus_of, named
from tests.cluster.hostile.stopped import killed_at
from tests.cluster.live import Live
from tests.cluster.workloads import gang, pod, pod_group, racks

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

_ATTACHED = "example.com/Attached"


def test_no_pod_is_bound_whose_claim_lost_its_devices_while_the_flight_lay(cluster: Live) -> None:
    cluster.create(*racks(1, 2), device_class(), claim_template("gpu"))
    cluster.create(*(gpus_of(f"n{i}", 1) for i in range(2)))
    claims = {"gpu": from_template("gpu")}
    head, *members = gang(cluster.served.group_version, "g", 2, cpu="6")
    for member in members:
        member["spec"]["resourceClaims"] = [{"name": name, **ref} for name, ref in claims.items()]
    cluster.create(head, *members)
    cluster.wait(lambda: all(p["status"].get("resourceClaimStatuses") for p in cluster.all("Pod")))
    flight = flight_in(cluster)
    with killed_at("bind.before"):
        carry(site(cluster), flight)
    path = cluster.served["ResourceClaim"].path_of(flight.allocatings[0].claim, "status")
    cluster.admin.patch(path, {"status": {"allocation": None, "reservedFor": None}})
    (outcome,) = resume(site(cluster, holder="next"))
    assert outcome.status == BOUND, outcome
    allocated = [one["status"].get("allocation") for one in cluster.all("ResourceClaim")]
    assert len(allocated) == 2
    assert all(allocated)
    assert not wrong(cluster)


def test_a_node_that_is_cordoned_while_devices_are_made_ready_gets_no_pod(cluster: Live) -> None:
    gpus = gpus_of("n0", 1, bindingConditions=[_ATTACHED], bindingFailureConditions=["e.com/No"])
    cluster.create(*racks(1, 1), device_class(), gpus, claim("c"))
    cluster.create(pod("p", claims={"gpu": named("c")}))
    flight = flight_in(cluster)

    def meanwhile() -> None:
        node = cluster.served["Node"].path_of("n0")
        cluster.admin.patch(node, {"spec": {"unschedulable": True}})
        Timer(1.5, _attached, (cluster,)).start()

    with when("ready.before", meanwhile):
        outcome = carry(site(cluster), flight)
    assert outcome.status == UNDONE, outcome
    assert not cluster.bound()
    cluster.wait(lambda: not cluster.all("ResourceClaim")[0]["status"].get("allocation"))
    assert not wrong(cluster)


def _attached(live: Live) -> None:
    entry = {"type": _ATTACHED, "status": "True", "reason": "Told", "message": "by the driver"}
    entry["lastTransitionTime"] = "2026-01-01T00:00:00Z"
    at = {"driver": "gpu.example.com", "pool": "n0", "device": "gpu-0", "conditions": [entry]}
    path = live.served["ResourceClaim"].path("default", "c", "status")
    live.admin.patch(path, {"status": {"devices": [at]}})


@pytest.mark.versions("1.37")
def test_a_gang_that_is_scaled_down_on_the_way_is_not_taken_back(cluster: Live) -> None:
    cluster.create(*racks(1, 3), *gang(cluster.served.group_version, "g", 3, cpu="6"))
    flight = flight_in(cluster)

    def scale_down() -> None:
        group = cluster.served["PodGroup"].path_of("default/g")
        cluster.admin.patch(group, {"spec": {"schedulingPolicy": {"gang": {"minCount": 2}}}})
        delete(cluster, "Pod", "default/g-2")

    with when("bind.before", scale_down):
        outcome = carry(site(cluster), flight)
    assert outcome.status == BOUND, outcome
    assert set(cluster.bound()) == {"g-0", "g-1"}
    assert not outcome.deleted
    assert not wrong(cluster)


def test_a_journal_with_a_byte_turned_holds_up_nobody(cluster: Live) -> None:
    cluster.create(*racks(1, 2), *gang(cluster.served.group_version, "g", 2, cpu="6"))
    journals_of.take(site(cluster, holder="one"), flight_in(cluster)).write("bind")
    data = bytearray(gzip.compress(b'{"flight": []}' * 20, mtime=0))
    data[10] ^= 0xFF
    bad: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "gangplan-flight-aaa", "labels": dict([journals_of.LABEL])},
        "data": {"step": "bind", "holder": "x", "writes": "1"},
        "binaryData": {packed.KEY: b64encode(bytes(data)).decode()},
    }
    cluster.admin.post(CONFIG_MAP.path("gangplan-system"), bad)
    outcomes = resume(site(cluster, holder="two"))
    cluster.admin.delete(CONFIG_MAP.path("gangplan-system", "gangplan-flight-aaa"))
    assert sorted(outcome.status for outcome in outcomes) == [BOUND, LEFT]
    assert not journals(cluster)


def test_names_as_long_as_the_api_allows_are_carried_and_told(cluster: Live) -> None:
    group = "g" * 229 + "." + "g" * 23
    first, second = (f"{letter * 229}.{letter * 23}" for letter in "pq")
    made = pod_group(cluster.served.group_version, group, 2)
    cluster.create(*racks(1, 2), made, pod(first, group=group), pod(second, group=group))
    outcome = carry(site(cluster), flight_in(cluster))
    assert outcome.status == BOUND, outcome
    assert not outcome.warnings
    told = {event["regarding"]["name"] for event in cluster.admin.get(EVENT.path())["items"]}
    assert {first, second} <= told
    assert not wrong(cluster)
