"""Gangs that are alike, folded: the same optimum, and points that spread over the gangs again."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.datasets.generate import generate
from gangplan.models.counts.kind import COUNTS
from gangplan.models.instance import Instance
from gangplan.models.tiers import tiers_of, values
from gangplan.solvers.claims import checked_plan, checked_point
from gangplan.solvers.held import no_worse, priced
from gangplan.solvers.planners.greedy import greedy_plan
from tests.models.solve import optimum
from tests.tiny import make_instance
from tests.tiny_running import with_running

Row = dict[str, Any]

RACKED: Row = {"priority": 9, "rules": [("rack", "required")]}


def racks(groups: list[Row], running: int = 8, each: int = 2) -> Instance:
    """Racks of two nodes with 4 GPUs; pods with 2 GPUs on them, of priorities 0, 1, 2, 0, ..."""
    nodes = [
        {"gpu": 4 - each * sum(i % 8 == n for i in range(running)), "rack": f"r{n // 2}"}
        for n in range(8)
    ]
    pods = [
        {"node": i % 8, "request": {"gpu": each}, "priority": i % 3, "minutes": 10 * i}
        for i in range(running)
    ]
    return with_running(make_instance(nodes, groups), pods)


def gang(pods: int, gpus: int, more: int = 0, **other: Any) -> Row:
    return RACKED | {"wanted": pods + more, "minimum": pods, "request": {"gpu": gpus}} | other


def agrees(instance: Instance) -> int:
    """Optimise tier after tier, folded and not; return how many tiers were folded."""
    tiers = tiers_of(instance)
    model, count = COUNTS.write(instance), 0
    held: list[int] = []
    start = model.encode(greedy_plan(instance, tiers))
    for i in range(len(tiers)):
        milp = priced(model, tiers, i, held)
        best = round(float(milp.cost @ optimum(milp))) + milp.offset
        held.append(-best if tiers[i].maximise else best)
        smaller = model.fold(milp)
        if smaller is None:
            continue
        count += 1
        found = checked_point(smaller.milp, optimum(smaller.milp))
        point = checked_point(milp, smaller.spread(found).astype(np.float64))
        assert smaller.milp.objective(found) == milp.objective(point) == best
        plan = checked_plan(model, point)
        assert no_worse(tiers[:i], values(instance, plan, tiers), held)
        if not len(milp.violated_rows(start)):
            gathered = smaller.gathered(start)
            assert not len(smaller.milp.violated_rows(gathered))
            assert smaller.milp.objective(gathered) == milp.objective(start)
    return count


def folds(instance: Instance) -> bool:
    model = COUNTS.write(instance)
    return model.fold(model.milp) is not None


@given(
    st.lists(
        st.builds(gang, st.integers(1, 3), st.sampled_from((2, 4)), st.integers(0, 1)),
        min_size=2,
        max_size=5,
    ),
    st.integers(1, 12),
)
@settings(max_examples=8, deadline=None)
def test_folded_models_have_the_same_optimum_in_every_tier(groups: list[Row], running: int) -> None:
    agrees(racks(groups, running))


def test_gangs_of_one_size_are_told_apart_by_nothing() -> None:
    instance = racks([gang(2, 4), gang(2, 4), gang(1, 4), gang(2, 2, 1)])
    model = COUNTS.write(instance)
    smaller = model.fold(model.milp)
    assert smaller is not None
    u = model.model.u
    first, second, third = (smaller.number[u.cols[u.index[:, 0] == t]] for t in range(3))
    assert first.tolist() == second.tolist()
    assert not set(first.tolist()) & set(third.tolist())
    x, role = model.model.x.cols, model.model.pairs.role
    on_nodes = [set(smaller.number[x[role == k]].tolist()) for k in range(4)]
    assert on_nodes[0] == on_nodes[1] == on_nodes[2]
    assert not on_nodes[0] & on_nodes[3]
    assert agrees(instance) == len(tiers_of(instance))


def test_the_generator_of_full_clusters_folds_to_a_third() -> None:
    instance = generate("victims", nodes=64, seed=1)
    model = COUNTS.write(instance)
    smaller = model.fold(model.milp)
    assert smaller is not None
    assert smaller.milp.n_cols * 3 < model.milp.n_cols + 3 * len(model.model.serving.ev)


@pytest.mark.parametrize(
    "other",
    [
        {"priority": 8},
        {"request": {"gpu": 2}},
        {"eligible": [True, True, True, True, True, True, True, False]},
        {"rules": [("rack", "required"), ("rack", "preferred")]},
        {"running": [0]},
        {"rules": []},
    ],
)
def test_gangs_that_differ_are_not_folded(other: Row) -> None:
    assert folds(racks([gang(2, 4), gang(2, 4)]))
    assert not folds(racks([gang(2, 4), gang(2, 4) | other]))


def test_gangs_of_several_roles_are_not_folded() -> None:
    roles = [{"wanted": 1, "request": {"gpu": 4}}, {"wanted": 1, "request": {"gpu": 2}}]
    assert not folds(racks([RACKED | {"minimum": 2, "roles": roles}] * 2))


def test_a_gang_that_room_is_kept_for_is_none_of_many() -> None:
    groups = [gang(2, 4), gang(2, 4)]
    pods = [{"node": n, "request": {"gpu": 2}, "priority": 0} for n in range(2)]
    kept = [{"node": 1, "priority": 9, "group": 1, "request": {"gpu": 1}}]
    plain = make_instance([{"gpu": 2, "rack": "r0"}] * 2 + [{"gpu": 4, "rack": "r1"}] * 2, groups)
    assert folds(with_running(plain, pods))
    assert not folds(with_running(plain, pods, reserved=kept))


def test_a_gang_that_evicts_nobody_is_not_alike_one_that_does() -> None:
    instance = racks([gang(2, 4), gang(2, 4)])
    never = replace(instance, running=replace(instance.running, never=np.array([1])))
    assert not folds(never)


def test_a_cluster_where_nobody_can_fall_is_not_folded() -> None:
    nodes = [{"gpu": 4, "rack": f"r{n // 2}"} for n in range(4)]
    assert not folds(make_instance(nodes, [gang(2, 4), gang(2, 4)]))


def test_a_tier_that_tells_gangs_apart_is_not_folded() -> None:
    model = COUNTS.write(racks([gang(2, 4), gang(2, 4)]))
    cost = np.zeros(model.milp.n_cols)
    cost[model.model.y.cols[0]] = 1
    assert model.fold(model.milp.with_cost(cost)) is None
