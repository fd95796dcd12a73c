"""Budgets and devices, counted by hand from raw objects."""

from collections.abc import Sequence
from typing import Any

import pytest

from gangplan.cluster.checks.budgets import budgets
from gangplan.cluster.checks.devices import devices
from gangplan.cluster.checks.ours import ours
from gangplan.cluster.checks.remaining import remaining
from gangplan.cluster.flight import Allocating, Falling, Flight, Placing
from gangplan.cluster.world import World
from tests.cluster import devices as d
from tests.cluster import workloads as w
from tests.cluster.checks.test_flights import world

Object = dict[str, Any]


def flight(
    *victims: str, claims: Sequence[Allocating] = (), placings: Sequence[Placing] = ()
) -> Flight:
    """Give a flight with these victims and claims."""
    falls = tuple(
        Falling(f"default/{name}", f"uid-Pod-{name}", "n1", f"default/{name}", "pod", True)
        for name in victims
    )
    return Flight("k", 0, (), tuple(placings), falls, tuple(claims))


def running(name: str, *, ready: bool = True, phase: str = "Running", **options: Any) -> Object:
    """Give a pod that runs."""
    pod = w.pod(name, node="n1", labels={"app": "a"}, **options)
    condition = {"type": "Ready", "status": "True" if ready else "False"}
    pod["status"] = {"phase": phase, "conditions": [condition]}
    return pod


def guard(name: str, allowed: int, *, selector: Object | None = None, **more: Any) -> Object:
    """Give a budget with a status."""
    found = w.budget(name, {"app": "a"}, 1)
    if selector is not None:
        found["spec"]["selector"] = selector
    found["metadata"]["generation"] = 2
    found["spec"] |= more.pop("spec", {})
    found["status"] = {"observedGeneration": 2, "disruptionsAllowed": allowed, **more}
    return found


def test_victims_of_all_flights_count_together() -> None:
    here = world(running("a"), running("b"), guard("g", 1))
    assert budgets(here, [flight("a")]) == ()
    (said,) = budgets(here, [flight("a"), flight("b")])
    assert said == (
        "PodDisruptionBudget default/g: it allows 1 disruption, and 2 of its pods would be"
        " evicted: default/a, default/b"
    )


def test_an_empty_selector_guards_all_pods_and_none_guards_nobody() -> None:
    nobody = guard("g", 0)
    del nobody["spec"]["selector"]
    assert budgets(world(running("a"), nobody), [flight("a")]) == ()
    assert budgets(world(running("a"), guard("g", 0, selector={})), [flight("a")])


def test_a_selector_that_no_one_can_read_guards_nobody() -> None:
    bad = {"matchExpressions": [{"key": "app", "operator": "Near"}]}
    assert budgets(world(running("a"), guard("g", 0, selector=bad)), [flight("a")]) == ()


def test_a_budget_of_another_namespace_guards_nobody_here() -> None:
    other = guard("g", 0)
    other["metadata"]["namespace"] = "elsewhere"
    assert budgets(world(running("a"), other), [flight("a")]) == ()


@pytest.mark.parametrize("phase", ["Pending", "Succeeded", "Failed"])
def test_a_pod_that_does_not_run_costs_no_disruption(phase: str) -> None:
    here = world(running("a", phase=phase), guard("g", 0), guard("h", 0))
    assert budgets(here, [flight("a")]) == ()


def test_a_pod_that_is_not_ready_is_free_by_policy_or_where_the_budget_is_met() -> None:
    pod = running("a", ready=False)
    assert budgets(world(pod, guard("g", 0)), [flight("a")])
    always = guard("g", 0, spec={"unhealthyPodEvictionPolicy": "AlwaysAllow"})
    assert budgets(world(pod, always), [flight("a")]) == ()
    met = guard("g", 0, currentHealthy=2, desiredHealthy=2)
    assert budgets(world(pod, met), [flight("a")]) == ()
    assert budgets(world(pod, guard("g", 0, currentHealthy=1, desiredHealthy=2)), [flight("a")])
    assert budgets(world(pod, guard("g", 0, currentHealthy=0, desiredHealthy=0)), [flight("a")])


def test_a_budget_whose_status_is_behind_is_not_known() -> None:
    behind = guard("g", 5)
    behind["status"]["observedGeneration"] = 1
    (said,) = budgets(world(running("a"), behind), [flight("a")])
    assert "is not known: generation 1 was looked at, it is at 2" in said
    fresh = guard("g", 5)
    del fresh["status"]
    assert budgets(world(running("a"), fresh), [flight("a")])


# -- devices ---------------------------------------------------------------------------------------


def gives(claim: str, *names: str, **more: Any) -> Allocating:
    """Give devices of n1 to a claim."""
    return Allocating(
        f"default/{claim}", f"uid-ResourceClaim-{claim}", allocation(*names, **more), ()
    )


def allocation(*names: str, **more: Any) -> Object:
    """Give an allocation of devices of n1."""
    results = [
        {"request": "main", "driver": d.DRIVER, "pool": "n1", "device": name, **more}
        for name in names
    ]
    return {"devices": {"results": results}}


def held(name: str, *devices: str, users: Sequence[Object] = (), **more: Any) -> Object:
    """Give a claim that has devices."""
    status = {"allocation": allocation(*devices, **more), "reservedFor": list(users)}
    return {**d.claim(name), "status": status}


def test_an_exclusive_device_may_not_be_in_two_claims() -> None:
    here = world(held("old", "gpu-0"), d.claim("new"), d.claim("more"))
    (said,) = devices(here, [flight(claims=[gives("new", "gpu-0")])])
    assert said == (
        f"device {d.DRIVER}/n1/gpu-0: it would be in several claims: default/new, default/old"
    )
    assert devices(here, [flight(claims=[gives("new", "gpu-1")])]) == ()
    assert devices(
        here, [flight(claims=[gives("new", "gpu-1")]), flight(claims=[gives("more", "gpu-1")])]
    )


def test_shares_go_together_but_not_with_the_whole() -> None:
    here = world(held("old", "gpu-0", shareID="s1"), d.claim("new"))
    assert devices(here, [flight(claims=[gives("new", "gpu-0", shareID="s2")])]) == ()
    assert devices(here, [flight(claims=[gives("new", "gpu-0")])])


def test_admin_access_uses_nothing_up() -> None:
    here = world(held("old", "gpu-0", adminAccess=True), d.claim("new"))
    assert devices(here, [flight(claims=[gives("new", "gpu-0")])]) == ()
    here = world(held("old", "gpu-0"), d.claim("new"))
    assert devices(here, [flight(claims=[gives("new", "gpu-0", adminAccess=True)])]) == ()


def test_a_device_whose_users_all_fall_comes_free() -> None:
    def user(name: str) -> Object:
        return {"resource": "pods", "name": name, "uid": f"uid-Pod-{name}"}

    group = {"apiGroup": w.GROUPS, "resource": "podgroups", "name": "g", "uid": "u"}
    taking = [gives("new", "gpu-0")]
    one = world(held("old", "gpu-0", users=[user("v")]), d.claim("new"))
    assert devices(one, [flight("v", claims=taking)]) == ()
    two = world(held("old", "gpu-0", users=[user("v"), user("x")]), d.claim("new"))
    assert devices(two, [flight("v", claims=taking)])
    of_group = world(held("old", "gpu-0", users=[group]), d.claim("new"))
    assert devices(of_group, [flight("v", claims=taking)])
    whole = flight("v", claims=taking)
    whole = Flight("k", 0, (), (), (Falling("default/v", "uid-Pod-v", "n1", "default/g", "group",
                                            True, "default/g"),), whole.allocatings)  # fmt: skip
    assert devices(of_group, [whole]) == ()
    nobody = world(held("old", "gpu-0"), d.claim("new"))
    assert devices(nobody, [flight("v", claims=taking)])


def test_a_claim_that_got_other_devices_is_said() -> None:
    here = world(held("new", "gpu-1"))
    assert devices(here, [flight(claims=[gives("new", "gpu-0")])]) == (
        "ResourceClaim default/new: it has got other devices already",
    )


# -- what is left ----------------------------------------------------------------------------------


def _remaining(here: World, one: Flight) -> tuple[int, int, int]:
    rest = remaining(here, one)
    return len(rest.placings), len(rest.fallings), len(rest.allocatings)


def test_what_is_done_is_left_out() -> None:
    placing = Placing("default/p", "uid-Pod-p", "n1", "uid-Node-n1", "default/p", "minimum")
    user = {"resource": "pods", "name": "p", "uid": "uid-Pod-p"}
    gets = Allocating("default/c", "uid-ResourceClaim-c", allocation("gpu-0"), (user,))
    one = flight("v", claims=[gets], placings=[placing])
    begun = world(w.pod("p"), running("v"), d.claim("c"))
    assert _remaining(begun, one) == (1, 1, 1)
    going = running("v")
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert _remaining(world(w.pod("p"), going, held("c", "gpu-0")), one) == (1, 0, 1)
    done = world(w.pod("p", node="n1"), held("c", "gpu-0", users=[user]))
    assert _remaining(done, one) == (0, 0, 0)


def test_what_was_made_again_or_went_elsewhere_is_not_done() -> None:
    placing = Placing("default/p", "other", "n1", "uid-Node-n1", "default/p", "minimum")
    here = world(w.pod("p", node="n1"))
    assert _remaining(here, flight(placings=[placing])) == (1, 0, 0)
    placing = Placing("default/p", "uid-Pod-p", "n2", "uid-Node-n2", "default/p", "minimum")
    assert _remaining(here, flight(placings=[placing])) == (1, 0, 0)
    gets = Allocating("default/c", "other", allocation("gpu-0"), ())
    assert _remaining(world(held("c", "gpu-0")), flight(claims=[gets])) == (0, 0, 1)


# -- whose -----------------------------------------------------------------------------------------


def test_a_group_of_several_schedulers_is_refused() -> None:
    from gangplan.cluster.flight import Member

    pods = [w.pod("a-0", group="a"), w.pod("a-1", group="a", scheduler="other")]
    here = world(w.pod_group("v1beta1", "a", 1), *pods)
    one = Flight("k", 0, (Member("default/a", "u", "PodGroup", 1),), ())
    (said,) = ours(_Named(), here, [one])  # type: ignore[arg-type]  # all that it looks at
    assert said == "PodGroup default/a: its pods name several schedulers: gangplan, other"
    finished = {**pods[1], "status": {"phase": "Succeeded"}}
    here = world(w.pod_group("v1beta1", "a", 1), pods[0], finished)
    assert ours(_Named(), here, [one]) == ()  # type: ignore[arg-type]  # as above


class _Named:
    """What of a site says whose pods are ours."""

    scheduler = "gangplan"
    evict_foreign = False
