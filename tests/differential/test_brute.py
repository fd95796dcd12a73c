"""Brute force against trying every single plan, on instances that are smaller still."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import OBJECTIVES, better, tiers_of, values
from gangplan.models.verify import check
from tests import brute
from tests.strategies import instances, weights_for
from tests.tiny import make_instance


def every_plan(instance: Instance) -> Iterator[Plan]:
    """Every node for every pod, with every choice of devices."""
    devices = np.arange(len(instance.shared))
    asked = np.where(instance.roles.share > 0, 1, instance.roles.whole)[instance.pod_role]
    for nodes in product(range(-1, len(instance.nodes)), repeat=instance.n_pods):
        choices = [
            list(product(devices[instance.shared.node == n], repeat=int(w) if n >= 0 else 0))
            for n, w in zip(nodes, asked, strict=True)
        ]
        for held in product(*choices):
            pod = [p for p, mine in enumerate(held) for _ in mine]
            yield Plan(
                np.array(nodes, dtype=np.int64),
                np.array(pod, dtype=np.int64),
                np.array([j for mine in held for j in mine], dtype=np.int64),
            )


def compare(instance: Instance, objective: str, weights: dict[int, int]) -> None:
    assume((len(instance.nodes) + 1) ** instance.n_pods <= 200)
    tiers = tiers_of(instance, objective, weights)
    found = None
    for plan in every_plan(instance):
        if not check(instance, plan):
            vector = values(instance, plan, tiers)
            found = vector if found is None or better(tiers, vector, found) else found
    assert brute.best(instance, tiers) == found


@settings(max_examples=40)
@given(st.data())
def test_brute_force_is_the_best_of_all_plans(data: st.DataObject) -> None:
    instance = data.draw(instances(max_nodes=3, max_pods=4))
    objective = data.draw(st.sampled_from(OBJECTIVES))
    compare(instance, objective, data.draw(weights_for(instance)))


@pytest.mark.slow
@settings(max_examples=5000, derandomize=False)
@given(st.data())
def test_brute_force_is_the_best_of_all_plans_long(data: st.DataObject) -> None:
    instance = data.draw(instances(max_nodes=3, max_pods=4))
    objective = data.draw(st.sampled_from(OBJECTIVES))
    compare(instance, objective, data.draw(weights_for(instance)))


def test_a_gang_that_fits_alone_is_feasible_and_one_node_too_few_is_not() -> None:
    nodes = [{"gpu": 2}, {"gpu": 2}]
    two = {"wanted": 2, "minimum": 2, "request": {"gpu": 2}}
    three = {"roles": [{"wanted": 3, "request": {"gpu": 2}}], "minimum": 3}
    instance = make_instance(nodes, [{"roles": [two], "minimum": 2}, three])
    assert brute.feasible(instance, 0)
    assert not brute.feasible(instance, 1)
