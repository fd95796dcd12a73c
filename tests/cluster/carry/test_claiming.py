"""A flight with claims: devices before Bindings, and given back where the flight is."""

import pytest

from gangplan.cluster.carry import carry
from gangplan.cluster.outcome import BOUND, UNDONE
from tests.cluster.carry.flown import (
    delete,
    flight_in,
    set_status,
    site,
    when,
    without_kubelets,
    wrong,
)
from tests.cluster.devices import (
    claim,
    claim_template,
    device_class,
    from_template,
    gpus_of,
    named,
)
from tests.cluster.live import Live
from tests.cluster.workloads import gang, node, pod, racks

pytestmark = [pytest.mark.cluster, pytest.mark.alike]


def _gang(live: Live) -> None:
    """Two nodes with a device each, and a gang of two whose pods have a claim of their own."""
    live.create(*racks(1, 2), device_class(), claim_template("gpu"))
    live.create(*(gpus_of(f"n{i}", 1) for i in range(2)))
    head, *members = gang(live.served.group_version, "g", 2, cpu="6")
    for member in members:
        member["spec"]["resourceClaims"] = [{"name": "gpu", **from_template("gpu")}]
    live.create(head, *members)
    _made(live)


def _made(live: Live) -> None:
    live.wait(
        lambda: all(
            p["status"].get("resourceClaimStatuses")
            for p in live.all("Pod")
            if p["spec"].get("resourceClaims")
        )
    )


def _allocated(live: Live) -> list[str]:
    return [
        c["metadata"]["name"]
        for c in live.all("ResourceClaim")
        if (c.get("status") or {}).get("allocation")
    ]


def test_claims_are_allocated_and_reserved_before_their_pods_are_bound(cluster: Live) -> None:
    _gang(cluster)
    flight = flight_in(cluster)
    seen: list[int] = []
    with when("bind.before", lambda: seen.append(len(_allocated(cluster)))):
        outcome = carry(site(cluster), flight)
    assert outcome.status == BOUND, outcome
    assert seen == [2]
    assert len(outcome.allocated) == 2
    assert not wrong(cluster)


def test_a_device_that_somebody_else_took_takes_the_flight_back(cluster: Live) -> None:
    _gang(cluster)
    cluster.create(claim("other"))
    flight = flight_in(cluster)

    def steal() -> None:
        result = {"request": "main", "driver": "gpu.example.com", "pool": "n0", "device": "gpu-0"}
        status = {"allocation": {"devices": {"results": [result]}}}
        path = cluster.served["ResourceClaim"].path_of("default/other", "status")
        cluster.admin.patch(path, {"status": status})

    with when("claim.before", steal):
        outcome = carry(site(cluster), flight)
    assert outcome.status in (UNDONE, "waiting"), outcome
    assert any("claim" in sentence for sentence in outcome.sentences)
    assert _allocated(cluster) == ["other"]
    assert not cluster.bound()
    assert not wrong(cluster, others=["default/other"])


def test_an_undo_leaves_no_claim_allocated(cluster: Live) -> None:
    _gang(cluster)
    flight = flight_in(cluster)
    gone = {"phase": "Failed", "reason": "OutOfcpu", "message": "Pod was rejected: no cpu"}
    act = when("confirm.before", lambda: set_status(cluster, "g-0", gone))
    with without_kubelets(cluster), act:
        outcome = carry(site(cluster), flight)
    assert outcome.status == UNDONE, outcome
    assert outcome.deleted == ["default/g-1"]
    cluster.wait(lambda: not _allocated(cluster))
    assert not outcome.allocated


def test_a_pod_that_moves_takes_devices_of_its_new_node(cluster: Live) -> None:
    _gang(cluster)
    flight = flight_in(cluster)
    cluster.create(node("n2"), gpus_of("n2", 1))
    with when("bind.before", lambda: delete(cluster, "Node", "n1")):
        outcome = carry(site(cluster), flight)
    assert outcome.status == BOUND, outcome
    assert sorted(cluster.bound().values()) == ["n0", "n2"]
    pools = {
        c["status"]["allocation"]["devices"]["results"][0]["pool"]
        for c in cluster.all("ResourceClaim")
    }
    assert pools == {"n0", "n2"}
    assert not wrong(cluster)


def test_a_shared_claim_is_reserved_for_all_its_pods(cluster: Live) -> None:
    cluster.create(*racks(1, 1), device_class(), gpus_of("n0", 1), claim("one"))
    version = cluster.served.group_version
    head, *members = gang(version, "g", 3, cpu="1")
    for member in members:
        member["spec"]["resourceClaims"] = [{"name": "gpu", **named("one")}]
    cluster.create(head, *members)
    outcome = carry(site(cluster), flight_in(cluster))
    assert outcome.status == BOUND, outcome
    (found,) = cluster.all("ResourceClaim")
    assert len(found["status"]["reservedFor"]) == 3
    assert not wrong(cluster)


def test_a_claim_of_a_single_pod_that_is_refused_is_given_back(cluster: Live) -> None:
    cluster.create(*racks(1, 1), device_class(), gpus_of("n0", 1), claim("one"))
    cluster.create(pod("p", claims={"gpu": named("one")}))
    flight = flight_in(cluster)
    with when("bind.before", lambda: delete(cluster, "Pod", "default/p")):
        outcome = carry(site(cluster), flight)
    assert outcome.status == UNDONE, outcome
    assert not _allocated(cluster)
    assert not wrong(cluster)
