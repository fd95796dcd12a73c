"""From manifests to a plan: what is read of running work decides what falls."""

import pytest

from gangplan.models.instance import Instance
from gangplan.models.restrict import as_planned
from gangplan.models.verify.check import check
from gangplan.solvers.base import Limits
from gangplan.solvers.registry import get_planner
from tests.datasets.kubernetes.devices.claims import (
    Obj,
    by_name,
    claim,
    claiming,
    device_class,
    host,
    result,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import gang, instance, node, pod, pods
from tests.datasets.kubernetes.running.work import ALL, allows, nominated, pdb

URGENT: Obj = {"priority": 9}
NEVER: Obj = {"preemptionPolicy": "Never"}
GONE: Obj = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
PLANNERS = pytest.mark.parametrize("planner", ["greedy", "exact"])


def planned(built: Instance, planner: str) -> tuple[list[str], list[str]]:
    """Names of the pods that are placed, and of the units that fall, in a plan that is sound."""
    result = get_planner(planner).plan(built, Limits())
    assert check(as_planned(built, result.planner), result.plan) == ()
    placed = [built.names.pods[p] for p in (result.plan.node >= 0).nonzero()[0]]
    return placed, [built.names.units[v] for v in result.plan.evicted]


@PLANNERS
def test_a_device_is_taken_from_who_may_be_evicted(planner: str) -> None:
    card = [host("n1"), device_class(), slice_("s", "d0"), template()]
    held = claim(allocated=[result("d0")], on="n1")
    old = claiming("old", by_name(), on="n1")
    built = instance(*card, held, old, claiming("w", "t", spec=URGENT))
    assert planned(built, planner) == (["lab/w"], ["lab/old"])
    meek = instance(*card, held, old, claiming("w", "t", spec=URGENT | NEVER))
    assert planned(meek, planner) == ([], [])


@PLANNERS
def test_a_whole_group_falls_for_one_and_a_never_group_waits(planner: str) -> None:
    runs = [gang("g", 2, spec=ALL), *pods("g", 2, on="n1", gpus=4)]
    assert planned(instance(node("n1"), *runs, pod("w", spec=URGENT)), planner) == (
        ["lab/w"],
        ["lab/g"],
    )
    meek = instance(node("n1"), *runs, pod("w", spec=URGENT | NEVER))
    assert planned(meek, planner) == ([], [])


@PLANNERS
def test_room_on_its_way_is_for_whom_it_is(planner: str) -> None:
    built = instance(
        node("n1"),
        pod("gone", on="n1", gpus=4, **GONE),
        nominated(pod("high", gpus=8, spec=URGENT), "n1"),
        pod("low", gpus=1),
    )
    assert planned(built, planner) == ([], [])


@PLANNERS
def test_a_budget_turns_the_choice(planner: str) -> None:
    built = instance(
        node("n1", 1),
        node("n2", 1),
        pod("a", on="n1", labels={"app": "web"}),
        pod("b", on="n2"),
        pdb("guard", allows(0)),
        pod("w", spec=URGENT),
    )
    assert planned(built, planner) == (["lab/w"], ["lab/b"])
