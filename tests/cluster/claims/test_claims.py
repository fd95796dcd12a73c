"""Claims of a flight on a real server: written, taken back, set free."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from gangplan.cluster import claims
from gangplan.cluster.client import Client, Object
from gangplan.cluster.errors import ClusterError, Unreachable
from gangplan.cluster.flight import Flight
from gangplan.cluster.site import Site, Waits
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
    device,
    device_class,
    from_template,
    gpus_of,
    named,
    partitions_of,
    resource_slice,
)
from tests.cluster.live import Live
from tests.cluster.sites import site_of
from tests.cluster.workloads import gang, node, pod

pytestmark = pytest.mark.cluster

FINALIZER = "resource.kubernetes.io/delete-protection"


def finalizers(live: Live, name: str) -> list[str]:
    return list(live.get("ResourceClaim", f"default/{name}")["metadata"].get("finalizers") or ())


def version(live: Live, name: str) -> str:
    return str(live.get("ResourceClaim", f"default/{name}")["metadata"]["resourceVersion"])


def base(live: Live, gpus: int = 2) -> None:
    live.create(node("n0"), device_class(), gpus_of("n0", gpus))


class Between(Client):
    """The adapter's client, with something that happens before a write or to its answer."""

    def __init__(self, live: Live) -> None:
        self.__dict__.update(live.client.__dict__)
        self.before: Callable[[str, str], None] = lambda method, path: None
        self.after: Callable[[str, str], None] = lambda method, path: None

    def put(self, path: str, body: Object, *, dry_run: bool = False) -> Object:
        self.before("PUT", path)
        found = super().put(path, body, dry_run=dry_run)
        self.after("PUT", path)
        return found


def once(do: Callable[[], object]) -> Callable[[str, str], None]:
    left = [do]

    def first(method: str, path: str) -> None:
        if left:
            left.pop()()

    return first


def between(live: Live, waits: Waits | None = None) -> tuple[Site, Between]:
    client = Between(live)
    return replace(site_of(live, waits=waits), client=client), client


# -- allocate --------------------------------------------------------------------------------------


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
    name = cluster.wait(lambda: _made(cluster, "Pod", "p"))
    site = site_of(cluster)
    found = flight(allocating(cluster, site, name, [row()], user(cluster, "p")))
    claims.allocate(site, found)
    assert devices(cluster, name) == ["gpu-0"]


def _made(live: Live, kind: str, name: str) -> str:
    found = live.get(kind, f"default/{name}").get("status", {}).get("resourceClaimStatuses")
    return str(found[0]["resourceClaimName"]) if found else ""


def test_a_claim_of_a_group_of_300_pods_has_one_user(cluster: Live) -> None:
    base(cluster)
    uses = {"c": from_template("t")}
    head, *_ = gang(cluster.served.group_version, "g", 300, claims=uses)
    cluster.create(claim_template("t"), head)
    name = cluster.wait(lambda: _made(cluster, "PodGroup", "g"))
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


# -- others ----------------------------------------------------------------------------------------


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


# -- ready -----------------------------------------------------------------------------------------


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


# -- release ---------------------------------------------------------------------------------------


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


# -- free ------------------------------------------------------------------------------------------


def test_a_fallen_group_gives_its_devices_back_after_its_last_pod(cluster: Live) -> None:
    base(cluster)
    uses = {"c": from_template("t")}
    cluster.create(claim_template("t"), *gang(cluster.served.group_version, "g", 2, claims=uses))
    name = cluster.wait(lambda: _made(cluster, "PodGroup", "g"))
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
    name = cluster.wait(lambda: _made(cluster, "PodGroup", "g"))
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
    name = cluster.wait(lambda: _made(cluster, "Pod", "p"))
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
