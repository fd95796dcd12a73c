"""Answers that are lost, refused or wrong on the way: what happened is found out, not guessed."""

import json

import pytest

from gangplan.cluster.carry import carry, resume
from gangplan.cluster.client import Client, connect
from gangplan.cluster.errors import Fenced
from gangplan.cluster.outcome import BOUND
from tests.cluster.audit.history import History
from tests.cluster.carry.flown import journals, site, wrong
from tests.cluster.carry.urgent import urgent_flight
from tests.cluster.faults.proxy import Proxy
from tests.cluster.faults.rules import WRITES, Rule
from tests.cluster.live import Live

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

_PATHS = {
    "journal": "/configmaps",
    "taints": "/nodes/",
    "status": "/pods/[^/]*/status",
    "eviction": "/eviction",
    "claims": "/resourceclaims/",
    "binding": "/binding",
    "groups": "/podgroups/[^/]*/status",
}


_FAULTS = [(what, how) for how in ("lose", "refuse", "broken", "conflict") for what in _PATHS]
_FAULTS.remove(("journal", "conflict"))
# A 409 there means that another one has taken over: see below.


@pytest.mark.parametrize(("what", "how"), _FAULTS)
def test_a_flight_ends_as_planned_through_a_bad_connection(
    cluster: Live, what: str, how: str
) -> None:
    with History(cluster.admin, cluster.served) as history:
        flight = urgent_flight(cluster)
        with Proxy(cluster.plane, [_rule(how, _PATHS[what])]) as proxy:
            here = site(cluster, client=_through(cluster, proxy), evict_foreign=True)
            outcome = carry(here, flight)
            assert proxy.happened
        assert outcome.status == BOUND, outcome
        assert sorted(outcome.lost) == ["default/low-0", "default/low-1"]
        assert set(cluster.bound()) == {"high-0", "high-1"}
        assert not journals(cluster)
        cluster.wait(lambda: not wrong(cluster, evict_foreign=True))
        assert not wrong(cluster, history, evict_foreign=True)


def test_a_journal_that_has_changed_ends_the_process_and_the_next_one_goes_on(
    cluster: Live,
) -> None:
    flight = urgent_flight(cluster)
    rule = Rule("answer", "PUT", "/configmaps/", skip=2, status=409, reason="Conflict")
    with Proxy(cluster.plane, [rule]) as proxy:
        here = site(cluster, client=_through(cluster, proxy), evict_foreign=True)
        with pytest.raises(Fenced):
            carry(here, flight)
    (outcome,) = resume(site(cluster, holder="next", client=cluster.admin, evict_foreign=True))
    assert outcome.status == BOUND, outcome
    cluster.wait(lambda: not wrong(cluster, evict_foreign=True))


def _rule(how: str, path: str) -> Rule:
    if how == "broken":
        return Rule("answer", WRITES, path, times=2, status=500)
    if how == "conflict":
        return Rule("answer", WRITES, path, times=2, status=409, reason="Conflict")
    assert how in ("lose", "refuse")
    return Rule("lose" if how == "lose" else "refuse", WRITES, path, times=2)


def _through(live: Live, proxy: Proxy) -> Client:
    file = live.folder / "proxy.json"
    file.write_text(json.dumps(live.plane.kubeconfig("admin", proxy.address)))
    return connect(str(file))
