"""``returning`` against every subset of what fell, on random small clusters."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.gone import after
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import tiers_of
from gangplan.solvers.planners.greedy import greedy_plan
from tests.brute_victims import every_set, lawful
from tests.models.verify.returned import judge, sound
from tests.placing import place
from tests.strategies_preemption import evicting_plans, preempting, preempting_claims
from tests.tiny import make_instance
from tests.tiny_running import with_running


@st.composite
def cases(draw: st.DrawFn, claims: bool) -> tuple[Instance, Plan]:
    """Draw units that may fall, and what greedy places after them; or any plan."""
    instance = draw(preempting_claims() if claims else preempting())
    sets = [units for units in every_set(instance) if units and lawful(instance, units)]
    if not sets or draw(st.integers(0, 3)) == 3:
        return instance, draw(evicting_plans(instance))
    evicted = np.array(sorted(draw(st.sampled_from(sets))), dtype=np.int64)
    less = after(instance, evicted)
    return instance, replace(greedy_plan(less, tiers_of(less, "groups")), evicted=evicted)


@settings(deadline=None, max_examples=40)
@given(cases(claims=False))
def test_what_could_come_back_is_what_some_subset_says(case: tuple[Instance, Plan]) -> None:
    if sound(*case):
        judge(*case)


@settings(deadline=None, max_examples=30)
@given(cases(claims=True))
def test_what_could_come_back_with_devices_is_too(case: tuple[Instance, Plan]) -> None:
    if sound(*case):
        judge(*case)


def taken_whole(draws: np.random.Generator) -> tuple[Instance, Plan]:
    """A gang, or a tree of gangs, all of which falls for single pods that need a part of it."""
    n = int(draws.integers(1, 4))
    nodes: list[dict[str, Any]] = [
        {"gpu": int(draws.integers(0, 2)), "cpu": 0, "rack": f"r{i % 2}"} for i in range(n)
    ]
    children = int(draws.choice([1, 1, 2, 3]))
    groups: list[dict[str, Any]] = []
    pods: list[dict[str, Any]] = []
    floors = []
    for g in range(children):
        k = int(draws.choice([1, 1, 2])) if children == 1 else 1
        where = draws.integers(0, n, size=int(draws.integers(1, 8 if children == 1 else 4)))
        least = int(draws.integers(1, len(where) + 1))
        group: dict[str, Any] = {"minimum": least, "running": where.tolist(), "roles": []}
        if k > 1:
            group["rules"] = [("rack", "required", k)]
        if children > 1:
            group["parent"] = 0
        mine = list(range(len(pods), len(pods) + len(where)))
        if draws.integers(0, 2) and len(mine) > 1:
            role = mine[: int(draws.integers(1, len(mine)))]
            floors.append((g, int(draws.integers(1, len(role) + 1)), role))
        whole = {"unit": g} if draws.integers(0, 4) == 0 else {}
        for at in where.tolist():
            asks = {"gpu": int(draws.integers(1, 4)), "cpu": int(draws.integers(0, 3))}
            pods.append({"node": at, "request": asks, "group": g, **whole})
        groups.append(group)
    composites = [{"minimum": int(draws.integers(1, children + 1))}] if children > 1 else []
    free = np.zeros((n, 2), dtype=np.int64)
    for pod in pods:
        free[pod["node"]] += pod["request"]["gpu"], pod["request"]["cpu"]
    nodes_of_new = draws.integers(0, n, size=int(draws.integers(1, 4))).tolist()
    for i, at in enumerate(nodes_of_new):
        most = free[at] + [nodes[at]["gpu"], 0]
        asks = {
            "gpu": int(draws.integers(0, most[0] + 1)),
            "cpu": int(draws.integers(0, most[1] + 1)),
        }
        free[at] -= asks["gpu"], asks["cpu"]
        groups.append(
            {"kind": "bare", "priority": 5 * int(i == 0 or draws.integers(0, 3)), "request": asks}
        )
    instance = with_running(make_instance(nodes, groups, composites), pods, floors=floors)
    evicted = np.arange(len(instance.running), dtype=np.int64)
    return instance, replace(place(instance, nodes_of_new), evicted=evicted)


@pytest.mark.parametrize("seed", range(4))
def test_the_smallest_part_of_what_was_taken_whole_is_found(seed: int) -> None:
    draws = np.random.default_rng(seed)
    sizes: list[int] = []
    for _ in range(40):
        instance, plan = taken_whole(draws)
        assert sound(instance, plan)
        sizes += judge(instance, plan)
    assert {1, 2, 3} <= set(sizes)
