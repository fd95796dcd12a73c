"""A flight with victims: evicted once, waited for, and honest about what is lost."""

from dataclasses import replace
from typing import Any

import pytest

from gangplan.cluster.carry import carry, held, resume
from gangplan.cluster.kinds import NODE
from gangplan.cluster.outcome import BOUND, LEFT, UNDONE, WAITING
from tests.cluster.audit.history import History
from tests.cluster.carry.flown import SHORT, delete, flight_in, journals, site, when, wrong
from tests.cluster.live import Live
from tests.cluster.workloads import budget, gang, node, pod, priority_class, racks

pytestmark = [pytest.mark.cluster, pytest.mark.alike]


def _full(live: Live, **victims: str) -> None:
    """Two nodes that a running group of low priority fills, and an urgent gang that waits."""
    version = live.served.group_version
    low = gang(version, "low", 2, cpu="6", priority_class="low", group={"whole": True})
    for number, member in enumerate(low[1:]):
        member["spec"]["nodeName"] = f"n{number}"
        member["spec"].update(victims)
        member["metadata"]["labels"] = {"app": "low"}
    high = gang(version, "high", 2, cpu="6", priority_class="high")
    live.create(priority_class("low", 1), priority_class("high", 9))
    live.create(*racks(1, 2), *low, *high)
    live.wait(
        lambda: all(
            pod["status"]["phase"] == "Running"
            for pod in live.all("Pod")
            if pod["spec"].get("nodeName")
        )
    )


def test_a_whole_group_is_evicted_and_its_room_is_used(cluster: Live) -> None:
    with History(cluster.admin, cluster.served) as history:
        _full(cluster)
        flight = flight_in(cluster)
        outcome = carry(site(cluster), flight)
        assert outcome.status == BOUND, outcome
        assert sorted(outcome.lost) == ["default/low-0", "default/low-1"]
        assert set(cluster.bound()) == {"high-0", "high-1"}
        assert not wrong(cluster, history)


def test_a_victim_that_was_made_again_is_not_evicted(cluster: Live) -> None:
    _full(cluster)
    flight = flight_in(cluster)

    def again() -> None:
        delete(cluster, "Pod", "default/low-0")
        version = cluster.served.group_version
        member = gang(version, "low", 1, cpu="1", priority_class="low")[1]
        member["spec"]["nodeName"] = "n0"
        cluster.create(member)

    with when("eviction.before", again):
        outcome = carry(site(cluster), flight)
    assert "default/low-0" not in outcome.lost
    assert "low-0" in cluster.bound()
    assert outcome.status == BOUND
    assert not journals(cluster)


def test_a_budget_that_forbids_it_for_too_long_undoes_the_flight(cluster: Live) -> None:
    _full(cluster)
    flight = flight_in(cluster)
    cluster.create(budget("keep", {"app": "low"}, 2))
    cluster.wait(
        lambda: cluster.all("PodDisruptionBudget")[0].get("status", {}).get("currentHealthy") == 2
    )
    outcome = carry(site(cluster), flight)
    assert outcome.status == WAITING, outcome
    assert any("disruption budget forbids" in sentence for sentence in outcome.sentences)
    assert set(cluster.bound()) == {"low-0", "low-1"}
    assert all(not p["status"].get("nominatedNodeName") for p in cluster.all("Pod"))
    victims = (cluster.get("Pod", f"default/low-{i}") for i in range(2))
    assert {_told(victim) for victim in victims} <= {"False", ""}
    assert not wrong(cluster)


def test_two_budgets_on_a_victim_undo_the_flight_at_once(cluster: Live) -> None:
    _full(cluster)
    flight = flight_in(cluster)
    cluster.create(budget("one", {"app": "low"}, 0), budget("two", {"app": "low"}, 0))
    cluster.wait(
        lambda: all("currentHealthy" in (b.get("status") or {})
                    for b in cluster.all("PodDisruptionBudget"))
    )  # fmt: skip
    outcome = carry(site(cluster), flight)
    assert outcome.status == WAITING, outcome
    assert any("two disruption budgets" in sentence for sentence in outcome.sentences)
    assert set(cluster.bound()) == {"low-0", "low-1"}


def test_room_that_is_taken_while_victims_leave_is_said_and_the_loss_too(cluster: Live) -> None:
    _full(cluster)
    flight = flight_in(cluster)

    def take() -> None:
        cluster.create(pod("thief", node="n0", cpu="5", scheduler="default-scheduler"))

    with when("evict.after", take):
        outcome = carry(site(cluster), flight)
    assert outcome.status == UNDONE, outcome
    assert sorted(outcome.lost) == ["default/low-0", "default/low-1"]
    assert any("stay lost" in warning for warning in outcome.warnings)
    assert set(cluster.bound()) == {"thief"}
    assert not wrong(cluster)


def test_nobody_is_evicted_where_the_plan_does_not_fit_any_more(cluster: Live) -> None:
    _full(cluster)
    flight = flight_in(cluster)
    cluster.create(pod("thief", node="n0", cpu="2", scheduler="default-scheduler"))
    cluster.admin.patch(NODE.path("", "n1", "status"), {"status": {"allocatable": {"cpu": "5"}}})
    outcome = carry(site(cluster), flight)
    assert outcome.status == WAITING, outcome
    assert not outcome.lost
    assert set(cluster.bound()) == {"low-0", "low-1", "thief"}


def test_nodes_of_foreign_victims_are_held_until_the_end(cluster: Live) -> None:
    _full(cluster, schedulerName="default-scheduler")
    # The manifests give this right only to those who ask for it.
    flight = flight_in(cluster, evict_foreign=True)
    assert not any(falling.ours for falling in flight.fallings)
    seen: list[object] = []

    def look() -> None:
        seen.append([n["spec"].get("taints") for n in cluster.all("Node")])

    with when("clear.before", look):
        outcome = carry(site(cluster, client=cluster.admin, evict_foreign=True), flight)
    held = {"key": "gangplan.io/held", "value": flight.key, "effect": "NoSchedule"}
    assert outcome.status == BOUND, outcome
    assert seen == [[[held], [held]]]
    assert all(not n["spec"].get("taints") for n in cluster.all("Node"))
    assert not wrong(cluster, evict_foreign=True)


def test_two_flights_hold_one_node_and_let_go_of_it_one_by_one(cluster: Live) -> None:
    _full(cluster, schedulerName="default-scheduler")
    first = flight_in(cluster, evict_foreign=True)
    second = replace(first, key="other")
    here = site(cluster, client=cluster.admin)
    for flight in (first, second):
        held.hold(here, flight)
    held.hold(here, second)
    (taint,) = cluster.get("Node", "n0")["spec"]["taints"]
    assert taint["value"].split("_") == [first.key, "other"]
    held.let_go(here, first)
    (taint,) = cluster.get("Node", "n0")["spec"]["taints"]
    assert taint["value"] == "other"
    held.let_go(here, second)
    assert "taints" not in cluster.get("Node", "n0")["spec"]


def test_a_server_that_stays_away_leaves_the_flight_in_its_journal(cluster: Live) -> None:
    _full(cluster)
    flight = flight_in(cluster)
    impatient = site(cluster, waits=replace(SHORT, away=0.2))
    plane = cluster.plane

    with when("clear.before", lambda: plane.end("kube-apiserver", kill=True)):
        outcome = carry(impatient, flight)
    assert outcome.status == LEFT, outcome
    plane.start_server()
    cluster.wait(lambda: all(map(_ready, cluster.all("Node"))))
    (outcome,) = cluster.wait(lambda: resume(site(cluster, holder="next")))
    assert outcome.status == BOUND, outcome
    assert sorted(outcome.lost) == ["default/low-0", "default/low-1"]
    assert set(cluster.bound()) == {"high-0", "high-1"}
    cluster.wait(lambda: not wrong(cluster))


def test_the_pod_that_comes_is_nominated_while_it_waits(cluster: Live) -> None:
    cluster.create(priority_class("low", 1), priority_class("high", 9), node("n0"))
    cluster.create(pod("low", cpu="6", priority_class="low", node="n0"))
    cluster.create(pod("high", cpu="6", priority_class="high"))
    flight = flight_in(cluster)
    seen: list[object] = []
    with when(
        "clear.before",
        lambda: seen.append(cluster.get("Pod", "default/high")["status"].get("nominatedNodeName")),
    ):
        outcome = carry(site(cluster), flight)
    assert outcome.status == BOUND
    assert seen == ["n0"]


def _ready(node: dict[str, Any]) -> bool:
    conditions = {c["type"]: c["status"] for c in node["status"]["conditions"]}
    return conditions.get("Ready") == "True" and not node["spec"].get("taints")


def _told(victim: dict[str, Any]) -> str:
    conditions = {c["type"]: str(c["status"]) for c in victim["status"]["conditions"]}
    return conditions.get("DisruptionTarget", "")
