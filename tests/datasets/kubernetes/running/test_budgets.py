"""PodDisruptionBudgets: what they allow, whom they protect, what is wrong with them."""

from typing import Any

import pytest

from tests.datasets.kubernetes.objects import Obj, faults, instance, obj, pod
from tests.datasets.kubernetes.running.work import DAEMON, NODES, allows, budgets, pdb

WEB: Obj = {"labels": {"app": "web"}}
WEBS = [pod(f"web-{n}", on="n1", **WEB) for n in range(5)]
NAMES = [f"web-{n}" for n in range(5)]


def unready(name: str, status: str = "False") -> Obj:
    condition = {"type": "Ready", "status": status}
    return pod(name, on="n1", **WEB) | {"status": {"phase": "Running", "conditions": [condition]}}


def test_the_status_says_what_is_allowed() -> None:
    built = instance(*NODES, *WEBS, pod("other", on="n1"), pdb("b", allows(2), minAvailable=1))
    assert budgets(built) == {"b": (2, NAMES)}
    assert built.running.budget_hard.tolist() == [False]


@pytest.mark.parametrize(
    ("spec", "allowed"),
    [
        ({"minAvailable": 3}, 2),
        ({"minAvailable": 9}, 0),
        ({"minAvailable": "50%"}, 2),  # 3 of 5 stay: parts of a pod are rounded up
        ({"minAvailable": "0%"}, 5),
        ({"maxUnavailable": 1}, 1),
        ({"maxUnavailable": 9}, 5),
        ({"maxUnavailable": "50%"}, 3),
        ({"maxUnavailable": "100%"}, 5),
    ],
)
def test_without_a_status_the_spec_and_the_running_pods_say_it(spec: Obj, allowed: int) -> None:
    built = instance(*NODES, *WEBS, pdb("b", **spec))
    assert budgets(built) == {"b": (allowed, NAMES)}
    assert (
        f"PodDisruptionBudget lab/b has no status.disruptionsAllowed: its spec allows {allowed} of"
        " the 5 running pods that it selects"
    ) in built.names.notes


def test_without_status_and_bounds_nothing_is_allowed() -> None:
    built = instance(*NODES, *WEBS, pdb("b"))
    assert budgets(built) == {"b": (0, NAMES)}
    assert (
        "PodDisruptionBudget lab/b has no status.disruptionsAllowed, minAvailable or"
        " maxUnavailable: it allows no eviction"
    ) in built.names.notes


def test_pods_that_nobody_evicts_are_healthy_too_but_no_victims() -> None:
    daemon = pod("web-d", on="n1", ownerReferences=DAEMON, **WEB)
    built = instance(*NODES, *WEBS, daemon, pdb("b", minAvailable=4))
    assert budgets(built) == {"b": (2, NAMES)}


@pytest.mark.parametrize("selector", [{"matchLabels": {"app": "wbe"}}, None])
def test_a_budget_that_selects_nothing_is_told(selector: Obj | None) -> None:
    budget = pdb("b", allows(1), {})
    budget["spec"]["selector"] = selector
    built = instance(*NODES, *WEBS, budget)
    assert budgets(built) == {}
    assert "PodDisruptionBudget lab/b selects no running pod" in built.names.notes


def test_an_empty_selector_selects_the_whole_namespace() -> None:
    other = pod("other", on="n1")
    other["metadata"]["namespace"] = "elsewhere"
    built = instance(*NODES, *WEBS, other, pdb("b", allows(1), {}))
    assert budgets(built) == {"b": (1, NAMES)}


def test_expressions_select_too() -> None:
    chosen = {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["db"]}]}
    built = instance(
        *NODES, *WEBS, pod("db", on="n1", labels={"app": "db"}), pdb("b", selector=chosen)
    )
    assert budgets(built)["b"][1] == NAMES
    either = {"matchExpressions": [{"key": "app", "operator": "In", "values": ["db", "web"]}]}
    assert budgets(instance(*NODES, *WEBS, pdb("b", selector=either)))["b"][1] == NAMES


def test_several_budgets_on_a_pod_all_count() -> None:
    built = instance(*NODES, *WEBS, pdb("b", allows(1)), pdb("a", allows(0), {}))
    assert budgets(built) == {"a": (0, NAMES), "b": (1, NAMES)}


def test_pods_under_several_budgets_are_told() -> None:
    own = pod("x", on="n1", labels={"app": "own"})
    fixed = pod("d", on="n1", **WEB, ownerReferences=DAEMON)
    both = [pdb("b", allows(1)), pdb("a", allows(9), {})]
    built = instance(*NODES, WEBS[0], own, fixed, *both)
    told = (
        "1 pod under several PodDisruptionBudgets, which the Eviction API never evicts: lab/web-0"
    )
    assert told in built.names.notes


def test_pods_whose_eviction_is_counted_already_do_not_count_again() -> None:
    stamp = {"web-1": "2026-01-01T00:00:00Z"}
    built = instance(*NODES, *WEBS, pdb("b", allows(1, disruptedPods=stamp)))
    assert budgets(built) == {"b": (1, [name for name in NAMES if name != "web-1"])}
    unsaid = instance(*NODES, *WEBS, pdb("b", {"disruptedPods": stamp}, minAvailable=3))
    assert budgets(unsaid)["b"][0] == 1  # 4 are healthy


def test_a_pod_that_is_not_ready_counts_but_for_always_allow() -> None:
    pods = [*WEBS, unready("web-x")]
    strict = instance(*NODES, *pods, pdb("b", minAvailable=3))
    assert budgets(strict) == {"b": (2, [*NAMES, "web-x"])}  # 5 are healthy
    free = instance(
        *NODES, *pods, pdb("b", unhealthyPodEvictionPolicy="AlwaysAllow", minAvailable=3)
    )
    assert budgets(free) == {"b": (2, NAMES)}
    unknown = instance(*NODES, *WEBS, unready("web-x", "Unknown"), pdb("b", minAvailable=3))
    assert budgets(unknown)["b"][0] == 2
    known = instance(*NODES, *WEBS, unready("web-x", "True"), pdb("b", minAvailable=3))
    assert budgets(known)["b"][0] == 3


@pytest.mark.parametrize(
    ("budget", "fault"),
    [
        (pdb("b", allows(-1)), "status.disruptionsAllowed: at least 0 expected"),
        (pdb("b", allows(2**31)), "status.disruptionsAllowed: at most 2147483647 expected"),
        (pdb("b", {"disruptionsAllowed": "1"}), "status.disruptionsAllowed: an integer expected"),
        (pdb("b", minAvailable=1, maxUnavailable=1), "spec: only one of minAvailable, maxUna"),
        (pdb("b", minAvailable="101%"), "spec.minAvailable: a number, or a percentage of at most"),
        (pdb("b", minAvailable="1"), "spec.minAvailable: a number, or a percentage of at most"),
        (pdb("b", maxUnavailable=-1), "spec.maxUnavailable: at least 0 expected"),
        (pdb("b", minAvailabel=1), "spec.minAvailabel: unknown field, is it minAvailable?"),
        (pdb("b", {"disruptionAllowed": 1}), "status.disruptionAllowed: unknown field"),
        (pdb("b", unhealthyPodEvictionPolicy="Never"), "spec.unhealthyPodEvictionPolicy: one of"),
        (pdb("b", selector={"matchLabel": {}}), "spec.selector.matchLabel: unknown field"),
    ],
)
def test_a_faulty_budget_is_named(budget: Any, fault: str) -> None:
    (found,) = faults(*NODES, budget)
    assert found.startswith(f"2.yaml: PodDisruptionBudget lab/b: {fault}")


def test_a_version_that_is_not_served_and_a_second_budget_are_refused() -> None:
    old = obj("policy/v1beta1", "PodDisruptionBudget", "b", {"selector": {}})
    assert faults(*NODES, old) == [
        "2.yaml: PodDisruptionBudget lab/b: apiVersion: PodDisruptionBudget v1beta1 is not known;"
        " known: v1 (v1beta1 is of Kubernetes 1.24)"
    ]
    (twice,) = faults(*NODES, pdb("b"), pdb("b"))
    assert twice.startswith("3.yaml: PodDisruptionBudget lab/b: there twice")
