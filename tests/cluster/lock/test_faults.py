"""The lock behind a server whose answers get lost, or are errors."""

import json
from collections.abc import Iterator

import pytest

from gangplan.cluster.client import Client, connect
from gangplan.cluster.kinds import LEASE
from gangplan.cluster.lock import Lock
from tests.cluster.faults.proxy import Proxy
from tests.cluster.faults.rules import Rule
from tests.cluster.live import Live

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

NAMESPACE = "gangplan-system"


@pytest.fixture
def proxy(cluster: Live) -> Iterator[Proxy]:
    with Proxy(cluster.plane) as found:
        yield found


@pytest.fixture
def client(cluster: Live, proxy: Proxy) -> Client:
    file = cluster.folder / "proxy.json"
    file.write_text(json.dumps(cluster.plane.kubeconfig("gangplan", proxy.address)))
    return connect(str(file))


def spec(live: Live) -> dict[str, object]:
    return dict(live.admin.get(LEASE.path(NAMESPACE, "gangplan"))["spec"])


def lock_of(client: Client, duration: float = 30.0, renew: float = 20.0) -> Lock:
    return Lock(client, NAMESPACE, "us", duration=duration, renew=renew, retry=0.3)


@pytest.mark.parametrize("how", ["lose", "refuse", "answer"])
def test_a_lease_whose_creation_got_no_good_answer_is_taken_all_the_same(
    cluster: Live, proxy: Proxy, client: Client, how: str
) -> None:
    proxy.rules = [Rule(how, "POST", "/leases")]  # type: ignore[arg-type]
    lock = lock_of(client)
    assert lock.acquire(10)
    assert lock.leads
    assert (spec(cluster)["holderIdentity"], spec(cluster)["leaseTransitions"]) == ("us", 0)
    assert lock.release()


def test_renewals_that_are_lost_refused_or_errors_do_not_lose_the_lease(
    cluster: Live, proxy: Proxy, client: Client
) -> None:
    lock = lock_of(client)
    assert lock.acquire(0)
    proxy.rules = [
        Rule("lose", "PUT", "/leases"),
        Rule("refuse", "PUT", "/leases"),
        Rule("answer", "PUT", "/leases", status=503),
        Rule("answer", "PUT", "/leases", status=409, reason="Conflict"),
        Rule("answer", "PUT", "/leases", status=429, reason="TooManyRequests"),
    ]
    cluster.wait(lambda: all(rule.done for rule in proxy.rules))
    before = spec(cluster)["renewTime"]
    cluster.wait(lambda: spec(cluster)["renewTime"] != before)
    lock.guard()
    assert spec(cluster)["leaseTransitions"] == 0
    assert lock.release()
    assert spec(cluster)["holderIdentity"] == ""


def test_a_lease_that_cannot_be_renewed_for_too_long_is_lost(proxy: Proxy, client: Client) -> None:
    lock = lock_of(client, duration=3, renew=1.5)
    assert lock.acquire(0)
    proxy.rules = [Rule("answer", "PUT|GET", "/leases", times=1000, status=500)]
    assert lock.lost.wait(10)
    assert not lock.leads
    assert not lock.release()


def test_a_release_whose_answer_is_lost_says_so_and_does_not_raise(
    proxy: Proxy, client: Client
) -> None:
    said: list[str] = []
    lock = Lock(client, NAMESPACE, "us", say=said.append)
    assert lock.acquire(0)
    proxy.rules = [Rule("lose", "PUT", "/leases")]
    assert not lock.release()
    assert "is left to run out by itself" in said[-1]
