"""Claims of a flight on a real server: with others in between."""

import threading
from collections.abc import Callable

import pytest

from gangplan.cluster import claims
from gangplan.cluster.client import Object
from gangplan.cluster.errors import ClusterError, Unreachable
from gangplan.cluster.flight import Flight
from gangplan.cluster.site import Waits
from tests.cluster.claims.between import FINALIZER, base, between, finalizers, once
from tests.cluster.claims.making import (
    allocating,
    devices,
    flight,
    give,
    placing,
    reserved,
    row,
    status,
    user,
)
from tests.cluster.devices import (
    claim,
    device,
    device_class,
    named,
    partitions_of,
    resource_slice,
)
from tests.cluster.live import Live
from tests.cluster.sites import site_of
from tests.cluster.workloads import node, pod

pytestmark = [pytest.mark.cluster, pytest.mark.alike]


def test_a_device_that_another_claim_has_is_not_allocated(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c"), claim("other"), pod("p", claims={"c": named("c")}))
    site = site_of(cluster)
    found = flight(allocating(cluster, site, "c", [row()], user(cluster, "p")))
    give(cluster, site, "other", [row()])
    with pytest.raises(ClusterError, match="n0/gpu-0 is allocated to default/other"):
        claims.allocate(site, found)
    assert not status(cluster, "c")
    assert not finalizers(cluster, "c")


def test_a_device_that_another_claim_gets_in_between_is_given_back(cluster: Live) -> None:
    base(cluster, 3)
    cluster.create(claim("c"), claim("d"), claim("other"), pod("p", claims={"c": named("c")}))
    site, client = between(cluster)
    found = flight(
        allocating(cluster, site, "c", [row()], user(cluster, "p")),
        allocating(cluster, site, "d", [row("gpu-1")], user(cluster, "p")),
        placings=[placing(cluster, "p")],
    )
    client.before = once(lambda: give(cluster, site_of(cluster), "other", [row()]))
    with pytest.raises(ClusterError, match="n0/gpu-0 is allocated to default/other"):
        claims.allocate(site, found)
    assert not status(cluster, "c")
    assert devices(cluster, "other") == ["gpu-0"]
    assert devices(cluster, "d") == ["gpu-1"]  # the undo of the flight gives it back
    claims.release(site, found, {placing(cluster, "p").uid})
    assert not status(cluster, "d")


def test_two_that_want_the_same_device_at_once_do_not_both_get_it(cluster: Live) -> None:
    base(cluster)
    flights = []
    for name in ("c", "d"):
        cluster.create(claim(name), pod(f"p{name}", claims={"c": named(name)}))
        one = allocating(cluster, site_of(cluster), name, [row()], user(cluster, f"p{name}"))
        flights.append(flight(one, placings=[placing(cluster, f"p{name}")]))
    errors: list[ClusterError] = []
    together = threading.Barrier(2)

    def fly(found: Flight) -> None:
        site, client = between(cluster)
        client.before = once(lambda: together.wait(10))
        try:
            claims.allocate(site, found)
        except ClusterError as error:
            errors.append(error)

    threads = [threading.Thread(target=fly, args=(found,)) for found in flights]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors
    assert len(devices(cluster, "c") + devices(cluster, "d")) == 2 - len(errors)


def test_a_claim_that_is_allocated_in_between_is_left_alone(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c"), pod("p", claims={"c": named("c")}))
    site, client = between(cluster)
    found = flight(
        allocating(cluster, site, "c", [row()], user(cluster, "p")),
        placings=[placing(cluster, "p")],
    )
    client.before = once(lambda: give(cluster, site_of(cluster), "c", [row("gpu-1")]))
    with pytest.raises(ClusterError, match="allocated to other devices in the meantime"):
        claims.allocate(site, found)
    claims.release(site, found, {placing(cluster, "p").uid})
    assert devices(cluster, "c") == ["gpu-1"]
    assert finalizers(cluster, "c") == [FINALIZER]


def test_a_user_that_comes_in_between_stays(cluster: Live) -> None:
    base(cluster)
    uses = {"c": named("c")}
    cluster.create(claim("c"), pod("p", claims=uses), pod("q", claims=uses))
    site, client = between(cluster)
    give(cluster, site, "c", [row()])
    found = flight(allocating(cluster, site, "c", None, user(cluster, "p")))
    path = cluster.served["ResourceClaim"].path("default", "c", "status")
    more = {"status": {"reservedFor": [user(cluster, "q")]}}
    client.before = once(lambda: cluster.admin.patch(path, more))
    claims.allocate(site, found)
    assert reserved(cluster, "c") == ["p", "q"]


def test_a_write_without_an_answer_is_read_back(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c"), pod("p", claims={"c": named("c")}))
    site, client = between(cluster)

    def lose() -> None:
        raise Unreachable("no answer")

    client.after = once(lose)
    found = flight(
        allocating(cluster, site, "c", [row()], user(cluster, "p")),
        placings=[placing(cluster, "p")],
    )
    claims.allocate(site, found)
    assert reserved(cluster, "c") == ["p"]
    client.before = once(lose)
    claims.release(site, found, {placing(cluster, "p").uid})
    assert not status(cluster, "c")


def test_a_server_that_stays_away_ends_the_step(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c"), pod("p", claims={"c": named("c")}))
    site, client = between(cluster, Waits(claim=0.3))

    def lose(method: str, path: str) -> None:
        raise Unreachable("no answer")

    client.before = lose
    with pytest.raises(Unreachable):
        claims.allocate(site, flight(allocating(cluster, site, "c", [row()], user(cluster, "p"))))


def test_a_write_that_comes_late_finds_the_claim_changed(cluster: Live) -> None:
    base(cluster)
    cluster.create(claim("c"), pod("p", claims={"c": named("c")}))
    site, client = between(cluster, Waits(claim=0.0))
    found = flight(
        allocating(cluster, site, "c", [row()], user(cluster, "p")),
        placings=[placing(cluster, "p")],
    )
    late: list[Callable[[], object]] = []
    put = client.put

    def keep(path: str, body: Object, *, dry_run: bool = False) -> Object:
        late.append(lambda: put(path, body))
        raise Unreachable("no answer")

    client.put = keep  # type: ignore[method-assign]
    with pytest.raises(Unreachable):
        claims.allocate(site, found)
    claims.release(site_of(cluster), found, {placing(cluster, "p").uid})
    with pytest.raises(ClusterError, match="409"):
        late[0]()
    assert not status(cluster, "c")
    assert not finalizers(cluster, "c")


def test_shares_of_a_device_do_not_pass_its_capacity(cluster: Live) -> None:
    shared = device("gpu-0", allowMultipleAllocations=True, capacity={"memory": {"value": "10Gi"}})
    cluster.create(node("n0"), device_class(), resource_slice("s", [shared], node="n0"))
    wants = {"c": "6Gi", "d": "4Gi", "e": "1Gi"}
    for name, memory in wants.items():
        asked = claim(name)
        exactly = asked["spec"]["devices"]["requests"][0]["exactly"]
        exactly["capacity"] = {"requests": {"memory": memory}}
        cluster.create(asked, pod(f"{name}-0", claims={"c": named(name)}))
    site = site_of(cluster)
    for name in ("c", "d"):
        claims.allocate(
            site,
            flight(allocating(cluster, site, name, [row()], user(cluster, f"{name}-0"))),
        )
    last = flight(allocating(cluster, site, "e", [row()], user(cluster, "e-0")))
    with pytest.raises(ClusterError, match="n0/gpu-0 has no memory left for it"):
        claims.allocate(site, last)
    assert not status(cluster, "e")


def test_parts_of_a_card_do_not_pass_its_counters(cluster: Live) -> None:
    cluster.create(node("n0"), device_class(), *partitions_of("n0", 10, {"a": 6, "b": 4, "c": 1}))
    for name in "abc":
        cluster.create(claim(name), pod(f"p{name}", claims={"c": named(name)}))
    site = site_of(cluster)
    both = [allocating(cluster, site, n, [row(n)], user(cluster, f"p{n}")) for n in "ab"]
    claims.allocate(site, flight(*both))
    with pytest.raises(ClusterError, match="n0/c has no card/memory of its pool left"):
        claims.allocate(
            site, flight(allocating(cluster, site, "c", [row("c")], user(cluster, "pc")))
        )
    assert not status(cluster, "c")
