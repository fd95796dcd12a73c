"""The proxy passes everything on as it is, and breaks what it was told to break, counted."""

import json
import threading
from pathlib import Path

import pytest

from gangplan.cluster.client import Client, connect
from gangplan.cluster.errors import ApiError, Busy, Conflict, Gone, Unreachable
from gangplan.cluster.kinds import CONFIG_MAP, POD
from tests.cluster import workloads
from tests.cluster.faults.proxy import Proxy
from tests.cluster.faults.rules import AWAY, BUDGET, BUSY, CONFLICT, Rule
from tests.cluster.live import Live

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

PODS = POD.path("default")


def through(live: Live, proxy: Proxy) -> Client:
    """Give an administrator's client whose requests go through the proxy."""
    file = Path(live.folder) / "proxy.json"
    file.write_text(json.dumps(live.plane.kubeconfig("admin", proxy.address)))
    return connect(str(file))


def test_what_is_not_told_to_fail_is_passed_on(cluster: Live) -> None:
    with Proxy(cluster.plane) as proxy:
        client = through(cluster, proxy)
        made = client.post(PODS, workloads.pod("a"))
        assert client.get(f"{PODS}/a")["metadata"]["uid"] == made["metadata"]["uid"]
        with pytest.raises(Conflict, match="already exists"):
            client.post(PODS, workloads.pod("a"))
        client.post(PODS, workloads.pod("b"), dry_run=True)
        client.delete(f"{PODS}/a", {"gracePeriodSeconds": 0})
        assert [(w.method, w.path) for w in proxy.accepted] == [
            ("POST", PODS),
            ("DELETE", f"{PODS}/a"),
        ]
    assert not proxy.happened


def test_a_lost_answer_is_a_write_that_happened(cluster: Live) -> None:
    with Proxy(cluster.plane, [Rule("lose", "POST", "/pods")]) as proxy:
        with pytest.raises(Unreachable):
            through(cluster, proxy).post(PODS, workloads.pod("a"))
        assert cluster.get("Pod", "default/a")
        assert len(proxy.writes("POST", "/pods")) == 1
    assert proxy.happened == {"lose": 1}


def test_a_refused_connection_is_a_write_that_did_not_happen(cluster: Live) -> None:
    with Proxy(cluster.plane, [Rule("refuse", "POST")]) as proxy:
        with pytest.raises(Unreachable):
            through(cluster, proxy).post(PODS, workloads.pod("a"))
        assert not cluster.all("Pod")
        proxy.go_away(0.5)
        assert through(cluster, proxy).get(PODS)["items"] == []  # a read is tried again
    assert proxy.happened["refuse"] == 1
    assert proxy.happened["away"] >= 1


def test_answers_are_those_of_the_rules_the_first_that_matches(cluster: Live) -> None:
    rules = [
        Rule("answer", "POST", "/configmaps", skip=1, **CONFLICT),  # type: ignore[arg-type]
        Rule("answer", "POST", "/eviction", **BUDGET),  # type: ignore[arg-type]
        Rule("answer", "POST", "/configmaps", retry_after=1, **BUSY),  # type: ignore[arg-type]
        Rule("answer", "DELETE", **AWAY),  # type: ignore[arg-type]
    ]
    path = CONFIG_MAP.path("default")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}}
    with Proxy(cluster.plane, rules) as proxy:
        client = through(cluster, proxy)
        with pytest.raises(Conflict):  # busy first, which the client sends once more
            client.post(path, body)
        with pytest.raises(Busy) as busy:
            client.post(f"{PODS}/a/eviction", {"metadata": {"name": "a"}})
        with pytest.raises(ApiError, match="503"):
            client.delete(f"{path}/m")
        client.post(path, body)
        client.delete(f"{path}/m")
    assert busy.value.causes == ("DisruptionBudget",)
    assert proxy.happened == {"answer 409": 1, "answer 429": 2, "answer 503": 1}


def test_a_watch_is_passed_on_event_by_event_cut_and_expired(cluster: Live) -> None:
    rules = [
        Rule("cut", "GET", "/pods", watch=True, events=2),
        Rule("expire", "GET", "/pods", watch=True, events=1),
    ]
    params = {"watch": "1", "timeoutSeconds": 3, "resourceVersion": "0"}
    with Proxy(cluster.plane, rules) as proxy:
        client = through(cluster, proxy)
        cluster.create(workloads.pod("a"), workloads.pod("b"), workloads.pod("c"))
        seen: list[workloads.Object] = []
        with pytest.raises(Unreachable):
            seen.extend(client.stream(PODS, params, 10.0))
        with pytest.raises(Gone):
            seen.extend(client.stream(PODS, params, 10.0))
        later = threading.Timer(0.3, lambda: cluster.create(workloads.pod("d")))
        later.start()
        names = [e["object"]["metadata"]["name"] for e in client.stream(PODS, params, 10.0)]
        later.join()
    assert sorted(names) == ["a", "b", "c", "d"]
    assert proxy.happened == {"cut": 1, "expire": 1}
