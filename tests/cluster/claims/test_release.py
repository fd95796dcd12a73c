"""Claims of a flight on a real server: taken back, set free."""

import pytest

from gangplan.cluster import claims
from gangplan.cluster.errors import ClusterError
from tests.cluster.claims.between import FINALIZER, base, between, finalizers, made, once, version
from tests.cluster.claims.making import (
    allocating,
    bind,
    delete,
    devices,
    falling,
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

pytestmark = [pytest.mark.cluster, pytest.mark.alike]


def test_what_was_written_is_taken_back_and_again_nothing(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c"), pod("p", claims={"c": named("c")}))
    site = site_of(cluster)
    found = flight(
        allocating(cluster, site, "c", [row()], user(cluster, "p")),
        placings=[placing(cluster, "p")],
    )
    claims.allocate(site, found)
    claims.release(site, found, {placing(cluster, "p").uid})
    assert not status(cluster, "c")
    assert not finalizers(cluster, "c")
    before = version(cluster, "c")
    claims.release(site, found, {placing(cluster, "p").uid})
    assert version(cluster, "c") == before


def test_devices_stay_as_long_as_a_user_does(cluster: Live) -> None:
    base(cluster)
    uses = {"c": named("c")}
    cluster.create(claim("c"), pod("p", claims=uses), pod("q", claims=uses))
    site = site_of(cluster)
    found = flight(
        allocating(cluster, site, "c", [row()], user(cluster, "p"), user(cluster, "q")),
        placings=[placing(cluster, "p"), placing(cluster, "q")],
    )
    claims.allocate(site, found)
    claims.release(site, found, {placing(cluster, "p").uid})
    assert (reserved(cluster, "c"), devices(cluster, "c")) == (["q"], ["gpu-0"])
    claims.release(site, found, {placing(cluster, "q").uid})
    assert not status(cluster, "c")


def test_a_pod_that_is_bound_keeps_its_devices(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c"), pod("p", claims={"c": named("c")}))
    site = site_of(cluster)
    found = flight(
        allocating(cluster, site, "c", [row()], user(cluster, "p")),
        placings=[placing(cluster, "p")],
    )
    claims.allocate(site, found)
    bind(cluster, "p")
    claims.release(site, found, {placing(cluster, "p").uid})
    assert devices(cluster, "c") == ["gpu-0"]


def test_a_pod_that_is_bound_in_between_has_its_devices_again(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c"), pod("p", claims={"c": named("c")}))
    site, client = between(cluster)
    found = flight(
        allocating(cluster, site, "c", [row()], user(cluster, "p")),
        placings=[placing(cluster, "p")],
    )
    claims.allocate(site, found)
    client.before = once(lambda: bind(cluster, "p"))
    with pytest.raises(ClusterError, match="a pod that uses it was bound while"):
        claims.release(site, found, {placing(cluster, "p").uid})
    assert (reserved(cluster, "c"), devices(cluster, "c")) == (["p"], ["gpu-0"])
    assert finalizers(cluster, "c") == [FINALIZER]


def test_a_fallen_group_gives_its_devices_back_after_its_last_pod(cluster: Live) -> None:
    base(cluster)
    uses = {"c": from_template("t")}
    cluster.create(claim_template("t"), *gang(cluster.served.group_version, "g", 2, claims=uses))
    name = cluster.wait(lambda: made(cluster, "PodGroup", "g"))
    site = site_of(cluster)
    give(cluster, site, name, [row()], group_user(cluster, "g"))
    bind(cluster, "g-0")
    bind(cluster, "g-1")
    falls = flight(fallings=[falling(cluster, f"g-{i}", whole="g") for i in range(2)])
    delete(cluster, "g-0")
    claims.free(site, falls)
    assert devices(cluster, name) == ["gpu-0"]
    assert not claims.freed(site, falls)
    delete(cluster, "g-1")
    cluster.wait(lambda: len(cluster.all("Pod")) == 0)
    assert not claims.freed(site, falls)
    claims.free(site, falls)
    assert not status(cluster, name)
    assert claims.freed(site, falls)
    claims.free(site, falls)


def test_a_group_that_is_bound_again_keeps_its_devices(cluster: Live) -> None:
    base(cluster)
    uses = {"c": from_template("t")}
    cluster.create(claim_template("t"), *gang(cluster.served.group_version, "g", 2, claims=uses))
    name = cluster.wait(lambda: made(cluster, "PodGroup", "g"))
    site, client = between(cluster)
    give(cluster, site, name, [row()], group_user(cluster, "g"))
    falls = flight(fallings=[falling(cluster, "g-0", whole="g")])
    delete(cluster, "g-0")
    client.before = once(lambda: bind(cluster, "g-1"))
    with pytest.raises(ClusterError, match="a pod of default/g was bound while"):
        claims.free(site, falls)
    assert devices(cluster, name) == ["gpu-0"]
    assert reserved(cluster, name) == ["g"]


def test_a_victims_own_claim_is_free_when_the_victim_is_gone(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim_template("t"), pod("p", claims={"c": from_template("t")}))
    name = cluster.wait(lambda: made(cluster, "Pod", "p"))
    site = site_of(cluster)
    give(cluster, site, name, [row()], user(cluster, "p"))
    bind(cluster, "p")
    falls = flight(fallings=[falling(cluster, "p")])
    assert not claims.freed(site, falls)
    delete(cluster, "p")
    cluster.wait(lambda: claims.freed(site, falls))


def test_a_claim_that_others_use_as_well_is_free_of_the_victim_only(cluster: Live) -> None:
    base(cluster)
    uses = {"c": named("c")}
    cluster.create(claim("c"), pod("p", claims=uses), pod("q", claims=uses))
    site = site_of(cluster)
    give(cluster, site, "c", [row()], user(cluster, "p"), user(cluster, "q"))
    bind(cluster, "p")
    bind(cluster, "q")
    falls = flight(fallings=[falling(cluster, "p")])
    delete(cluster, "p")
    cluster.wait(lambda: claims.freed(site, falls))
    assert (reserved(cluster, "c"), devices(cluster, "c")) == (["q"], ["gpu-0"])
