"""How long is planned, and with which planner."""

import time

from gangplan.cluster.instances import instance_of
from gangplan.cluster.scheduler.log import Log
from gangplan.cluster.scheduler.metrics import Metrics
from gangplan.cluster.scheduler.planning import Planning
from gangplan.cluster.scheduler.settings import Settings
from gangplan.cluster.world import World
from tests.cluster.scheduler.worlds import running, world
from tests.cluster.workloads import gang, node, pod, priority_class

DEADLINE = 20.0


def _planning(soft: float) -> tuple[Planning, Metrics]:
    metrics = Metrics()
    return Planning(Settings(deadline=DEADLINE, soft=soft), metrics, Log()), metrics


def _crowd() -> World:
    """Give a cluster with room for all, whose soft goals take a search some time."""
    groups = [gang("v1beta1", f"g{n}", 5, cpu=str(1 + n % 3)) for n in range(60)]
    nodes = [node(f"n{n}", cpu="16") for n in range(60)]
    return world(*nodes, *(obj for group in groups for obj in group))


def test_where_all_get_in_and_nobody_falls_the_plan_does_not_take_the_whole_deadline() -> None:
    there, (planning, _) = _crowd(), _planning(0.2)
    began = time.monotonic()
    planned = planning.plan(instance_of(there), there)
    assert time.monotonic() - began < DEADLINE / 2
    assert sum(len(flight.placings) for flight in planned.flights) == 300
    assert not planned.pending
    assert planned.proven


def test_without_time_for_soft_goals_it_is_the_greedy_plan() -> None:
    there, (planning, metrics) = _crowd(), _planning(0.0)
    planned = planning.plan(instance_of(there), there)
    assert planned.document["planner"]["name"] == "greedy"
    assert planned.proven
    assert "gangplan_fallbacks_total 0" in metrics.text()


def test_where_somebody_has_to_fall_the_planner_that_proves_decides() -> None:
    low = running(pod("low", cpu="3"), "n0")
    high = pod("high", cpu="3", priority_class="urgent")
    high["spec"]["priority"] = 1000
    there = world(node("n0", cpu="4"), priority_class("urgent", 1000), low, high)
    planned = _planning(0.0)[0].plan(instance_of(there), there)
    assert planned.document["planner"]["name"] != "greedy"
    assert [one.pod for one in planned.flights[0].fallings] == ["default/low"]


def test_where_not_all_fit_the_planner_that_proves_decides() -> None:
    there = world(node("n0", cpu="4"), pod("a", cpu="3"), pod("b", cpu="3"))
    planned = _planning(0.0)[0].plan(instance_of(there), there)
    assert planned.document["planner"]["name"] != "greedy"
    assert len(planned.pending) == 1
    assert planned.proven


def test_a_gang_that_is_not_complete_does_not_keep_others_waiting() -> None:
    half = gang("v1beta1", "half", 3)[:-1]
    there, (planning, _) = world(node("n0", cpu="16"), *half, pod("a")), _planning(0.0)
    planned = planning.plan(instance_of(there), there)
    assert planned.document["planner"]["name"] == "greedy"
    assert [one.pod for flight in planned.flights for one in flight.placings] == ["default/a"]
    assert planned.proven
    assert set(planned.pending) == {"default/half"}
