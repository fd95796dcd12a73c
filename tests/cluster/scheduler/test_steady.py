"""What has to happen for a flight to be checked once more."""

from typing import Any

import pytest

from gangplan.cluster.scheduler.steady import Steady
from gangplan.cluster.world import Object
from tests.cluster.scheduler.worlds import falling, flight, placing, running, world
from tests.cluster.workloads import budget, node, pod, priority_class


def _pod(name: str, **parts: Any) -> Object:
    """Give a pod as a world has it."""
    found = pod(name, **parts)
    world(found)
    return found


def _begun(**parts: Any) -> tuple[Steady, Any, Object]:
    one = _pod("a", **parts)
    ours = flight(placing(one, "n0"))
    steady = Steady()
    steady.begin(ours, world(node("n0"), one), steady.number)
    return steady, ours, one


def test_a_flight_that_nobody_came_near_is_not_checked_again() -> None:
    steady, ours, one = _begun()
    steady.event("Pod", running(_pod("x"), "n1"), None)
    steady.event("Pod", {**one, "status": {"phase": "Pending", "conditions": [{}]}}, one)
    steady.event("Pod", _pod("y"), None)
    steady.event("PodGroup", {**_pod("g"), "kind": "PodGroup"}, None)
    steady.event("PodDisruptionBudget", budget("web", {}, 1), None)
    assert steady.checked(ours)


def test_its_own_binding_and_those_of_other_flights_are_expected() -> None:
    steady, ours, one = _begun()
    other = _pod("b")
    steady.begin(flight(placing(other, "n0")), world(node("n0"), other), steady.number)
    steady.event("Pod", running(other, "n0"), other)
    steady.event("Pod", running(one, "n0"), one)
    assert steady.checked(ours)


def test_a_pod_of_somebody_else_on_its_node_is_not() -> None:
    steady, ours, _ = _begun()
    foreign = _pod("x")
    steady.event("Pod", running(foreign, "n0"), foreign)
    assert not steady.checked(ours)


def test_a_pod_that_went_elsewhere_than_it_was_to_go_is_not() -> None:
    steady, ours, _ = _begun()
    other = _pod("b")
    steady.begin(flight(placing(other, "n1")), world(node("n1"), other), steady.number)
    steady.event("Pod", running(other, "n0"), other)
    assert not steady.checked(ours)


def test_room_that_somebody_is_nominated_for_is_not() -> None:
    steady, ours, _ = _begun()
    foreign = _pod("x")
    nominated = {**foreign, "status": {"phase": "Pending", "nominatedNodeName": "n0"}}
    steady.event("Pod", nominated, foreign)
    assert not steady.checked(ours)


def test_a_node_that_changes_or_goes_is_not() -> None:
    for new in ({**node("n0"), "spec": {"unschedulable": True}}, None):
        steady, ours, _ = _begun()
        steady.event("Node", new, node("n0"))
        assert not steady.checked(ours)


def test_a_pod_of_its_own_that_goes_or_gets_a_gate_is_not() -> None:
    steady, ours, one = _begun()
    steady.event("Pod", None, one)
    assert not steady.checked(ours)
    steady, ours, one = _begun()
    steady.event("Pod", {**one, "spec": {**one["spec"], "schedulingGates": [{"name": "x"}]}}, one)
    assert not steady.checked(ours)


def test_what_may_matter_anywhere_is_not() -> None:
    steady, ours, _ = _begun()
    steady.event("PriorityClass", priority_class("urgent", 1000), None)
    assert not steady.checked(ours)
    steady, ours, _ = _begun()
    shy = _pod("shy", affinity={"podAntiAffinity": {"x": 1}})
    steady.event("Pod", running(shy, "n7"), shy)
    assert not steady.checked(ours)


def test_an_event_before_the_world_of_the_check_does_not_count() -> None:
    steady, one = Steady(), _pod("a")
    steady.event("Pod", running(_pod("x"), "n0"), None)
    ours = flight(placing(one, "n0"))
    steady.begin(ours, world(node("n0"), one), steady.number)
    assert steady.checked(ours)


def test_who_evicts_looks_further_or_is_not_known_is_always_checked() -> None:
    one, old = _pod("a"), running(_pod("old"), "n0")
    there = world(node("n0"), one, old)
    spread = _pod("b", topologySpreadConstraints=[{"maxSkew": 1}])
    for ours in (
        flight(placing(one, "n0"), fallings=(falling(old),)),
        flight(placing(spread, "n0")),
        flight(placing(one, "n0"), tree="default/t"),
    ):
        steady = Steady()
        assert not steady.checked(ours)
        steady.begin(ours, there.with_objects({"Pod": [one, old, spread]}), steady.number)
        assert not steady.checked(ours)


def test_a_flight_that_goes_elsewhere_or_has_ended_is_not_known() -> None:
    steady, ours, _ = _begun()
    steady.follow(ours)
    assert not steady.checked(ours)
    steady, ours, _ = _begun()
    steady.end(ours)
    assert not steady.checked(ours)


@pytest.mark.parametrize("most", [3])
def test_marks_do_not_grow_without_end(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gangplan.cluster.scheduler.steady._MOST", most)
    steady, ours, _ = _begun()
    for number in range(10):
        steady.event("Pod", running(_pod(f"x{number}"), f"m{number}"), None)
    assert not steady.checked(ours)
