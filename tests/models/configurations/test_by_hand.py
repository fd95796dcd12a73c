"""Configurations on instances small enough to see through, and what they refuse."""

from typing import Any

import numpy as np
import pytest

from gangplan.models.configurations import filling, listing, sizes
from gangplan.models.configurations.kind import CONFIGURATIONS
from gangplan.models.errors import FormulationError, PlanError
from gangplan.models.formulation import Formulation
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.result import COUNTING, LP_DUAL, Result
from gangplan.models.verify.check import check
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import recheck
from gangplan.solvers.refute import CONFIRMED
from tests.tiny import make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running

LIMITS = Limits(seconds=20)
RACK = [("rack", "required")]


def solved(instance: Instance, objective: str = "groups") -> Result:
    result = Exact(solver=Highs(), kind="configurations", objective=objective).plan(
        instance, LIMITS
    )
    assert not any("no model" in warning for warning in result.warnings)
    carried = [t for t in result.tiers if t.name.startswith(("admitted", "elastic", "weighted"))]
    assert all(tier.proven for tier in carried)
    return result


def values(instance: Instance) -> dict[str, int]:
    """Solve by configurations; what is admitted and elastic has to be proven."""
    return {tier.name: tier.value for tier in solved(instance).tiers}


def pods(count: int, gpu: int = 4, **more: Any) -> dict[str, Any]:
    asked = {"wanted": count, "minimum": count, "request": {"gpu": gpu}, "rules": RACK}
    return asked | more


def racks(*nodes: int, gpu: int = 4) -> list[dict[str, Any]]:
    """Racks of so many equal nodes."""
    return [{"gpu": gpu, "rack": f"r{r}"} for r, count in enumerate(nodes) for _ in range(count)]


def test_equal_racks_are_one_class_and_groups_of_equal_size_one_size() -> None:
    groups = [pods(3), pods(3, priority=5), pods(2), pods(2), pods(4)]
    layout = CONFIGURATIONS.write(make_instance(racks(5, 5, 4), groups)).model.layout
    assert sorted(len(members) for members in layout.places.members) == [1, 2]
    assert sorted(layout.sizes.takes.sum(axis=1).tolist()) == [2, 3, 4]
    five = layout.configurations[0] @ layout.sizes.takes
    assert sorted(five.sum(axis=1).tolist()) == [4, 4, 5]


def test_racks_that_hold_the_same_are_equal_whatever_their_nodes() -> None:
    nodes = [{"gpu": 5, "rack": "a"}, {"gpu": 4, "rack": "a"}, {"gpu": 8, "rack": "b"}]
    nodes += [{"gpu": 3, "rack": "b"}]
    layout = CONFIGURATIONS.write(make_instance(nodes, [pods(2), pods(1)])).model.layout
    assert [len(members) for members in layout.places.members] == [2]


def test_groups_share_racks_as_they_best_can() -> None:
    groups = [pods(3), pods(3), pods(2), pods(2), pods(4)]
    assert values(make_instance(racks(5, 5), groups))["admitted(0)"] == 4
    assert values(make_instance(racks(4, 4), groups))["admitted(0)"] == 3


def test_nodes_of_a_rack_are_not_merged() -> None:
    nodes = [{"gpu": 3, "rack": "a"}] * 2
    assert values(make_instance(nodes, [pods(3, 2)]))["admitted(0)"] == 0
    assert values(make_instance(nodes, [pods(2, 2)]))["admitted(0)"] == 1


def test_shapes_that_meet_on_a_node_are_packed_exactly() -> None:
    nodes = [{"gpu": 8, "cpu": 8, "rack": "a"}] * 3
    one = {"wanted": 3, "request": {"gpu": 5, "cpu": 3}, "minimum": 3}
    two = {"wanted": 3, "request": {"gpu": 3, "cpu": 5}, "minimum": 3}
    group = {"minimum": 6, "roles": [one, two], "rules": RACK}
    assert values(make_instance(nodes, [group]))["admitted(0)"] == 1
    assert values(make_instance(nodes, [group, pods(1, 1)]))["admitted(0)"] == 1


def test_elastic_pods_take_what_is_left() -> None:
    group = pods(4, minimum=2)
    found = values(make_instance(racks(7), [group, group]))
    assert (found["admitted(0)"], found["elastic(0)"]) == (2, 3)


def test_a_pod_alone_goes_outside_of_the_racks() -> None:
    nodes = [*racks(3), {"gpu": 4}]
    alone = pods(1, rules=[])
    groups = [pods(3), alone, {"kind": "bare", "request": {"gpu": 4}}]
    assert values(make_instance(nodes, groups))["admitted(0)"] == 2


def test_running_members_fix_the_rack() -> None:
    nodes = [{"gpu": 0, "rack": "a"}, {"gpu": 2, "rack": "a"}, {"gpu": 8, "rack": "b"}]
    gang = pods(4, 1, running=[0], minimum=3)
    found = values(make_instance(nodes, [gang]))
    assert (found["admitted(0)"], found["elastic(0)"]) == (1, 0)


def test_two_levels_with_the_same_nodes_are_one() -> None:
    nodes = [{"gpu": 4, "rack": "a", "block": "b"}] * 3
    groups = [pods(2), pods(1, rules=[("block", "required"), ("rack", "required")])]
    assert values(make_instance(nodes, groups))["admitted(0)"] == 2


GANG = pods(1)
ONE = racks(1)


@pytest.mark.parametrize(
    ("instance", "words"),
    [
        (make_instance(ONE, [GANG | {"parent": 0}], [{}]), "composite"),
        (make_instance(racks(2), [pods(2, 1, rules=[("rack", "required", 2)])]), "slices"),
        (
            make_instance(
                [{"gpu": 1, "shared": [1000], "rack": "a"}], [{"kind": "bare", "share": 500}]
            ),
            "shared devices",
        ),
        (
            with_devices(
                make_instance([{"cpu": 1}], [{"request": {"cpu": 1}}]),
                [{"node": 0, "gpu": True}],
                [{"requests": [("g", "gpu")]}],
                {0: [0]},
            ),
            "claims",
        ),
        (with_running(make_instance(ONE, [GANG]), [{"node": 0, "request": {"gpu": 1}}]), "evicted"),
        (
            with_running(
                make_instance(ONE, [GANG]),
                [],
                reserved=[{"node": 0, "priority": 9, "request": {"gpu": 1}}],
            ),
            "kept",
        ),
        (make_instance(racks(2, 2), [pods(2), pods(3, rules=[])]), "overlap"),
        (
            make_instance(
                racks(2, 2), [pods(3, rules=[]), {"kind": "basic", "running": [0], "rules": RACK}]
            ),
            "overlap",
        ),
    ],
)
def test_what_configurations_lack_is_refused_by_name(instance: Instance, words: str) -> None:
    with pytest.raises(FormulationError, match=words):
        CONFIGURATIONS.write(instance)
    result = Exact(solver=Highs(), kind="configurations").plan(instance, LIMITS)
    carried = [t for t in result.tiers if not t.name.startswith(CONFIGURATIONS.lacks)]
    if not all(tier.proven for tier in carried):
        assert any("no model could be written" in warning for warning in result.warnings)
    assert {tier.proof for tier in carried} <= {COUNTING}


@pytest.mark.parametrize("family", ["assign", "capacity", "gang", "topology"])
def test_a_restriction_cannot_be_left_out(family: str) -> None:
    with pytest.raises(FormulationError, match=f"cannot leave out {family}"):
        CONFIGURATIONS.write(make_instance(ONE, [GANG]), Formulation(**{family: False}))


def test_without_elastic_pods_no_group_gets_one() -> None:
    instance = make_instance(racks(4), [pods(4, minimum=2)])
    model = CONFIGURATIONS.write(instance, Formulation(elastic=False))
    assert model.model.layout.sizes.takes.tolist() == [[2]]
    assert sorted(CONFIGURATIONS.write(instance).model.layout.sizes.takes[:, 0].tolist()) == [
        2,
        3,
        4,
    ]


@pytest.mark.parametrize(
    ("module", "limit", "words"),
    [
        (listing, "MOST", "more configurations than can be listed"),
        (listing, "STEPS", "more configurations than can be listed"),
        (sizes, "MOST", "more sizes of elastic groups than can be listed"),
        (filling, "STEPS", "more ways to fill a domain than can be listed"),
    ],
)
def test_more_than_can_be_listed_is_refused(
    module: Any, limit: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, limit, 2)
    nodes = racks(3, gpu=8)
    groups = [pods(2, 3), pods(3, 5), pods(4, 1, minimum=2), pods(3, 4), pods(3, 2)]
    with pytest.raises(FormulationError, match=words):
        CONFIGURATIONS.write(make_instance(nodes, groups))


def test_a_tier_that_is_not_carried_is_solved_by_counts() -> None:
    nodes = [node | {"row": f"w{n}"} for n, node in enumerate(racks(2))]
    instance = make_instance(nodes, [pods(2, rules=[*RACK, ("row", "preferred")])])
    result = solved(instance)
    assert [(t.value, t.bound) for t in result.tiers if t.name == "preferred"] == [(1, 1)]
    about = {one.tier: one.formulation for one in result.certificates}
    assert about["preferred"] == "counts"


def test_what_configurations_prove_is_confirmed_again() -> None:
    instance = make_instance(racks(5, 5, 7), [pods(3), pods(3), pods(4), pods(4), pods(6)])
    result = solved(instance, "gpus")
    assert result.tiers[0].proof == LP_DUAL
    assert {one.verdict for one in recheck(instance, result, Highs(), LIMITS)} == {CONFIRMED}


def test_the_order_of_groups_and_nodes_does_not_matter() -> None:
    nodes, groups = racks(5, 4, 3), [pods(3), pods(2, minimum=1), pods(4), pods(2), pods(3)]
    straight = values(make_instance(nodes, groups))
    assert straight == values(make_instance(nodes[::-1], groups[::-1]))
    shuffled = [nodes[i] for i in np.random.default_rng(1).permutation(len(nodes))]
    assert straight == values(make_instance(shuffled, groups))


def test_a_plan_that_tears_a_group_apart_is_no_point() -> None:
    instance = make_instance(racks(2, 2), [pods(2)])
    model = CONFIGURATIONS.write(instance)
    none = np.zeros(0, dtype=np.int64)
    torn = Plan(np.array([0, 2]), none, none)
    assert check(instance, torn)
    with pytest.raises(PlanError, match="no form"):
        model.encode(torn)
    assert not model.encode(empty_plan(instance)).any()
