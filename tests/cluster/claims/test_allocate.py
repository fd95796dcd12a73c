"""Claims of a flight on a real server: devices and users are written."""

import pytest

from gangplan.cluster import claims
from gangplan.cluster.errors import ClusterError
from tests.cluster.claims.between import FINALIZER, base, finalizers, made, version
from tests.cluster.claims.making import (
    allocating,
    bind,
    delete,
    devices,
    flight,
    give,
    group_user,
    placing,
    reserved,
    row,
    status,
    user,
)
from tests.cluster.devices import (
    claim,
    claim_template,
    from_template,
    named,
)
from tests.cluster.live import Live
from tests.cluster.sites import site_of
from tests.cluster.workloads import gang, pod

pytestmark = pytest.mark.cluster


def test_a_claim_gets_devices_and_user_in_one_write_after_its_finalizer(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c", 2), pod("p", claims={"c": named("c")}))
    site = site_of(cluster)
    found = flight(allocating(cluster, site, "c", [row(), row("gpu-1")], user(cluster, "p")))
    claims.allocate(site, found)
    assert devices(cluster, "c") == ["gpu-0", "gpu-1"]
    assert status(cluster, "c")["reservedFor"] == [user(cluster, "p")]
    assert finalizers(cluster, "c") == [FINALIZER]


def test_to_allocate_again_writes_nothing(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c"), pod("p", claims={"c": named("c")}))
    site = site_of(cluster)
    found = flight(allocating(cluster, site, "c", [row()], user(cluster, "p")))
    claims.allocate(site, found)
    before = version(cluster, "c")
    claims.allocate(site, found)
    assert version(cluster, "c") == before


def test_it_goes_on_after_an_end_between_finalizer_and_allocation(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c"), pod("p", claims={"c": named("c")}))
    site = site_of(cluster)
    path = cluster.served["ResourceClaim"].path("default", "c")
    cluster.admin.patch(path, {"metadata": {"finalizers": ["example.com/mine", FINALIZER]}})
    found = flight(allocating(cluster, site, "c", [row()], user(cluster, "p")))
    claims.allocate(site, found)
    assert finalizers(cluster, "c") == ["example.com/mine", FINALIZER]
    assert devices(cluster, "c") == ["gpu-0"]


def test_a_claim_from_a_template_gets_the_devices_of_its_pod(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim_template("t"), pod("p", claims={"c": from_template("t")}))
    name = cluster.wait(lambda: made(cluster, "Pod", "p"))
    site = site_of(cluster)
    found = flight(allocating(cluster, site, name, [row()], user(cluster, "p")))
    claims.allocate(site, found)
    assert devices(cluster, name) == ["gpu-0"]


def test_a_claim_of_a_group_of_300_pods_has_one_user(cluster: Live) -> None:
    base(cluster)
    uses = {"c": from_template("t")}
    head, *_ = gang(cluster.served.group_version, "g", 300, claims=uses)
    cluster.create(claim_template("t"), head)
    name = cluster.wait(lambda: made(cluster, "PodGroup", "g"))
    cluster.create(*[pod(f"g-{i}", group="g", claims=uses) for i in range(300)])
    site = site_of(cluster)
    group = group_user(cluster, "g")
    found = flight(
        allocating(cluster, site, name, [row()], group),
        placings=[placing(cluster, "g-0", "g"), placing(cluster, "g-1", "g")],
    )
    claims.allocate(site, found)
    assert status(cluster, name)["reservedFor"] == [group]
    bind(cluster, "g-0")
    claims.release(site, found, {placing(cluster, "g-1", "g").uid})
    assert status(cluster, name)["reservedFor"] == [group]  # one of the group is bound
    delete(cluster, "g-0")
    claims.release(site, found, {placing(cluster, "g-1", "g").uid})
    assert not status(cluster, name)


def test_an_allocated_claim_gets_users_beside_those_it_has(cluster: Live) -> None:
    base(cluster)
    uses = {"c": named("c")}
    cluster.create(claim("c"), pod("old", claims=uses), pod("new", claims=uses))
    site = site_of(cluster)
    give(cluster, site, "c", [row()], user(cluster, "old"))
    found = flight(
        allocating(cluster, site, "c", None, user(cluster, "new")),
        placings=[placing(cluster, "new")],
    )
    claims.allocate(site, found)
    assert reserved(cluster, "c") == ["new", "old"]
    claims.release(site, found, {placing(cluster, "new").uid})
    assert reserved(cluster, "c") == ["old"]
    assert devices(cluster, "c") == ["gpu-0"]


def test_a_claim_allocated_before_keeps_its_devices_without_a_user(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c"), pod("p", claims={"c": named("c")}))
    site = site_of(cluster)
    give(cluster, site, "c", [row()])
    uid = placing(cluster, "p").uid
    found = flight(
        allocating(cluster, site, "c", None, user(cluster, "p")), placings=[placing(cluster, "p")]
    )
    claims.allocate(site, found)
    claims.release(site, found, {uid})
    assert devices(cluster, "c") == ["gpu-0"]
    assert reserved(cluster, "c") == []


def test_more_users_than_a_claim_can_have_are_refused(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c"))
    site = site_of(cluster)
    users = [{"resource": "pods", "name": f"p{i}", "uid": f"u{i}"} for i in range(257)]
    found = flight(allocating(cluster, site, "c", [row()], *users))
    with pytest.raises(ClusterError, match="it would have 257 users, 256 at most"):
        claims.allocate(site, found)
    assert not devices(cluster, "c")


def test_a_claim_made_anew_is_not_the_one_of_the_plan(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c"), pod("p", claims={"c": named("c")}))
    site = site_of(cluster)
    found = flight(allocating(cluster, site, "c", [row()], user(cluster, "p")))
    cluster.admin.delete(cluster.served["ResourceClaim"].path("default", "c"))
    cluster.create(claim("c"))
    with pytest.raises(ClusterError, match="default/c: it is not there any more"):
        claims.allocate(site, found)
    claims.release(site, found, {user(cluster, "p")["uid"]})
    assert not status(cluster, "c")


def test_a_claim_that_goes_is_refused(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c"), pod("p", claims={"c": named("c")}))
    site = site_of(cluster)
    found = flight(allocating(cluster, site, "c", [row()], user(cluster, "p")))
    path = cluster.served["ResourceClaim"].path("default", "c")
    cluster.admin.patch(path, {"metadata": {"finalizers": ["example.com/keep"]}})
    cluster.admin.delete(path)
    with pytest.raises(ClusterError, match="it is being deleted"):
        claims.allocate(site, found)
