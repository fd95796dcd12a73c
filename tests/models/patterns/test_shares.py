"""Parts of shared devices inside patterns: what one node holds, packed exactly."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.counts.kind import COUNTS
from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Formulation
from gangplan.models.instance import Instance
from gangplan.models.patterns.kind import PATTERNS
from gangplan.models.shapes import packing
from gangplan.models.shapes.packing import packed
from gangplan.models.shapes.shares import Sharing, named
from gangplan.models.tiers import value
from gangplan.solvers.base import Limits
from tests.models.carried import carried, optimum, there_and_back
from tests.models.patterns.test_random import written
from tests.strategies import Features, instances
from tests.tiny import make_instance

LIMITS = Limits(seconds=20)
ONLY_SHARES = Features(composites=False, slices=False, claims=False)


def pods(count: int, **asks: Any) -> dict[str, Any]:
    return {"wanted": count, "minimum": count} | asks


def first(instance: Instance) -> int:
    return optimum(written(instance), "groups")[0]


@given(
    st.lists(st.integers(0, 10), max_size=3),
    st.lists(st.integers(1, 10), max_size=5),
)
def test_packing_is_that_of_every_way(free: list[int], parts: list[int]) -> None:
    ways = product(range(len(free)), repeat=len(parts))
    there = any(
        all(
            sum(part for part, at in zip(parts, way, strict=True) if at == j) <= left
            for j, left in enumerate(free)
        )
        for way in ways
    )
    place = packed(free, parts)
    assert (place is not None) == there
    if place is not None:
        used = np.bincount(place, weights=parts, minlength=len(free)) if parts else np.zeros(0)
        assert all(u <= f for u, f in zip(used.tolist(), free, strict=False))


def test_a_packing_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "STEPS", 3)
    with pytest.raises(FormulationError, match="parts of shared devices"):
        packed([1000, 1000, 900], [400, 400, 400, 400, 400])


def test_parts_do_not_run_over_devices() -> None:
    node = {"cpu": 9, "shared": [600, 600]}
    assert first(make_instance([node], [pods(3, share=400)])) == 0
    assert first(make_instance([node], [pods(2, share=400)])) == 1
    assert first(make_instance([node], [pods(2, share=600)])) == 1


def test_whole_devices_are_empty_ones() -> None:
    node = {"shared": [1000, 1000, 900]}
    assert first(make_instance([node], [pods(1, whole=3)])) == 0
    both = [pods(1, whole=2), pods(3, share=300), pods(1, share=300)]
    assert first(make_instance([node], both)) == 2
    assert first(make_instance([node], [pods(1, whole=1), pods(4, share=450)])) == 2


def test_pods_that_ask_no_device_need_none() -> None:
    assert first(make_instance([{"cpu": 2}], [pods(2, request={"cpu": 1}), pods(1, share=1)])) == 1


def test_nodes_with_devices_of_equal_use_are_one_class() -> None:
    nodes = [{"shared": [700, 1000]}, {"shared": [1000, 650]}, {"shared": [1000, 1000]}]
    model = PATTERNS.write(make_instance(nodes, [pods(2, share=300), pods(1, whole=1)])).model
    assert [len(mine) for mine in model.classes.nodes] == [2, 1]


def test_shares_cannot_be_left_out() -> None:
    instance = make_instance([{"shared": [1000]}], [pods(1, share=500)])
    with pytest.raises(FormulationError, match="cannot leave out shares"):
        PATTERNS.write(instance, Formulation(shares=False))


@settings(max_examples=100)
@given(instances(ONLY_SHARES), st.sampled_from(["groups", "gpus", "age"]))
def test_patterns_with_shares_have_the_optimum_of_counts(
    instance: Instance, objective: str
) -> None:
    assert optimum(written(instance), objective) == optimum(COUNTS.write(instance), objective)


@settings(max_examples=60)
@given(instances(ONLY_SHARES), st.data())
def test_any_point_of_a_model_with_shares_names_devices(
    instance: Instance, data: st.DataObject
) -> None:
    model = written(instance)
    plan, again = there_and_back(model, model, data)
    for tier in carried(instance):
        assert value(instance, again, tier) == value(instance, plan, tier)


@settings(max_examples=60)
@given(instances(ONLY_SHARES), st.data())
def test_what_a_node_holds_is_closed_under_taking_pods_away(
    instance: Instance, data: st.DataObject
) -> None:
    roles = instance.roles
    free = data.draw(st.lists(st.sampled_from([1000, 700, 400]), max_size=4))
    some = Sharing(
        tuple(sorted(free, reverse=True)), tuple(roles.share.tolist()), tuple(roles.whole.tolist())
    )
    counts = data.draw(st.lists(st.integers(0, 3), min_size=len(roles), max_size=len(roles)))
    if some.holds(counts):
        for k in range(len(roles)):
            assert some.holds([n - (n > 0 and i == k) for i, n in enumerate(counts)])


def test_devices_are_named_for_every_pod() -> None:
    instance = make_instance(
        [{"shared": [400, 1000, 600]}], [pods(2, share=500), pods(1, share=400)]
    )
    pod, device = named(instance, np.zeros(3, dtype=np.int64))
    assert pod.tolist() == [0, 1, 2]
    assert device[2] == 0
