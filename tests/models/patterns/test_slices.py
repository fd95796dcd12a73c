"""Slices inside patterns: sub-groups of k pods, each in one domain."""

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.counts.kind import COUNTS
from gangplan.models.formulation import Formulation
from gangplan.models.instance import Instance
from gangplan.models.patterns.kind import PATTERNS
from gangplan.models.tiers import values
from gangplan.solvers.base import Limits
from tests.models.carried import carried, optimum, there_and_back
from tests.models.patterns.test_random import written
from tests.strategies import Features, instances
from tests.tiny import make_instance

LIMITS = Limits(seconds=20)
SLICED = Features(
    composites=False, shares=False, claims=False, preferred=False, held=False, required=False
)
BOUND = Features(composites=False, shares=False, claims=False, preferred=False)


def racks(*free: int) -> list[dict[str, Any]]:
    return [{"gpu": gpu, "block": "b", "rack": f"r{n}"} for n, gpu in enumerate(free)]


def gang(wanted: int, minimum: int, *rules: tuple[object, ...], **more: Any) -> dict[str, Any]:
    group = {"wanted": wanted, "minimum": minimum, "request": {"gpu": 1}, "rules": list(rules)}
    return group | more


def found(instance: Instance) -> tuple[int, ...]:
    """Return admitted, its pods, and elastic."""
    return optimum(written(instance), "groups")


def test_slices_are_whole_in_every_domain() -> None:
    pairs = ("rack", "required", 2)
    assert found(make_instance(racks(3, 3), [gang(6, 2, pairs)])) == (1, 2, 2)
    assert found(make_instance(racks(3, 3), [gang(6, 5, pairs)])) == (0, 0, 0)
    assert found(make_instance(racks(3, 3), [gang(6, 2)])) == (1, 2, 4)


def test_equal_groups_share_the_slices_of_a_domain() -> None:
    pairs = ("rack", "required", 2)
    instance = make_instance(racks(2, 4, 7), [gang(4, 4, pairs)] * 4)
    assert len(PATTERNS.write(instance).model.types) == 1
    assert found(instance) == (3, 12, 0)


def test_running_members_are_part_of_a_slice() -> None:
    one = gang(4, 2, ("rack", "required", 2), running=[0])
    # The member in r0 has to be joined by a pod as soon as any pod is placed.
    assert found(make_instance(racks(1, 4), [one])) == (1, 1, 2)
    assert found(make_instance(racks(0, 4), [one])) == (0, 0, 0)


def test_two_sizes_of_slices_nest() -> None:
    rules = (("block", "required", 4), ("rack", "required", 2))
    assert found(make_instance(racks(3, 3), [gang(8, 1, *rules)])) == (1, 1, 3)
    assert found(make_instance(racks(2, 1), [gang(8, 1, *rules)])) == (0, 0, 0)


def test_a_slice_of_a_wider_level_is_that_of_the_one_domain() -> None:
    rules = (("rack", "required"), ("block", "required", 3))
    assert found(make_instance(racks(5, 2), [gang(6, 1, *rules)])) == (1, 1, 2)


def test_nodes_without_the_label_are_left_out() -> None:
    nodes: list[dict[str, Any]] = [{"gpu": 2, "rack": "r0"}, {"gpu": 9}]
    assert found(make_instance(nodes, [gang(8, 1, ("rack", "required", 2))])) == (1, 1, 1)


def test_roles_of_a_group_make_slices_together() -> None:
    roles = [
        {"request": {"gpu": 2}, "wanted": 2, "minimum": 1},
        {"request": {"gpu": 1}, "wanted": 4},
    ]
    one = {"minimum": 4, "roles": roles, "rules": [("rack", "required", 2)]}
    assert found(make_instance(racks(3, 2), [one])) == (1, 4, 0)
    assert found(make_instance(racks(3, 1), [one])) == (0, 0, 0)


def test_groups_without_a_minimum_place_whole_slices() -> None:
    one = gang(5, 0, ("rack", "required", 2), kind="basic")
    assert found(make_instance(racks(3, 1), [one])) == (2, 2, 0)


@settings(max_examples=120)
@given(
    st.one_of(instances(SLICED), instances(BOUND)),
    st.sampled_from(["groups", "gpus", "age"]),
    st.booleans(),
)
def test_patterns_with_slices_have_the_optimum_of_counts(
    instance: Instance, objective: str, elastic: bool
) -> None:
    formulation = Formulation(elastic=elastic)
    model = written(instance, formulation)
    assert optimum(model, objective) == optimum(COUNTS.write(instance, formulation), objective)


@settings(max_examples=100)
@given(st.one_of(instances(SLICED), instances(BOUND)), st.data())
def test_any_point_with_slices_decodes_and_any_plan_is_a_point(
    instance: Instance, data: st.DataObject
) -> None:
    model, tiers = written(instance), carried(instance)
    for by in (model, COUNTS.write(instance)):
        plan, again = there_and_back(model, by, data)
        assert values(instance, again, tiers) == values(instance, plan, tiers)


@settings(max_examples=40)
@given(instances(SLICED), st.randoms())
def test_the_numbering_of_nodes_does_not_matter(instance: Instance, random: Any) -> None:
    order = np.array(random.sample(range(len(instance.nodes)), len(instance.nodes)))
    nodes = instance.nodes
    moved = replace(
        instance,
        nodes=replace(
            nodes, free=nodes.free[order], node_class=nodes.node_class[order],
            intact=nodes.intact[order],
        ),
        topology=replace(instance.topology, domain=instance.topology.domain[:, order]),
    )  # fmt: skip
    assert optimum(written(moved), "groups") == optimum(written(instance), "groups")
