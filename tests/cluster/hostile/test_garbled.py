"""Answers that break off in the middle and still say 200: what was written is found out."""

import json

import pytest

from gangplan.cluster.carry import carry
from gangplan.cluster.client import connect
from gangplan.cluster.outcome import BOUND
from tests.cluster.audit.history import History
from tests.cluster.carry.flown import journals, site, wrong
from tests.cluster.carry.urgent import urgent_flight
from tests.cluster.faults.proxy import Proxy
from tests.cluster.faults.rules import WRITES, Rule
from tests.cluster.live import Live

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

_PATHS = ("/configmaps", "/nodes/", "/status", "/eviction", "/resourceclaims/", "/binding")


@pytest.mark.parametrize("path", _PATHS)
def test_half_an_answer_to_a_write_is_no_answer(cluster: Live, path: str) -> None:
    with History(cluster.admin, cluster.served) as history:
        flight = urgent_flight(cluster)
        rules = [Rule("garble", WRITES, path), Rule("garble", "GET", "/pods/", times=3)]
        with Proxy(cluster.plane, rules) as proxy:
            file = cluster.folder / "proxied.json"
            file.write_text(json.dumps(cluster.plane.kubeconfig("admin", proxy.address)))
            here = site(cluster, client=connect(str(file)), evict_foreign=True)
            outcome = carry(here, flight)
            assert proxy.happened["garble"] >= 1
        assert outcome.status == BOUND, outcome
        assert sorted(outcome.lost) == ["default/low-0", "default/low-1"]
        assert set(cluster.bound()) == {"high-0", "high-1"}
        assert not journals(cluster)
        cluster.wait(lambda: not wrong(cluster, evict_foreign=True))
        assert not wrong(cluster, history, evict_foreign=True)
