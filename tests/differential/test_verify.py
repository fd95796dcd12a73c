"""The verifier and brute force's own rules give the same verdict, on random plans, both ways."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.instance import Instance
from gangplan.models.verify import check
from tests import brute
from tests.strategies import anything, plans


def roomy(instance: Instance) -> Instance:
    """Return the instance with room for everything, so that the other rules decide."""
    free = np.full_like(instance.nodes.free, 10**6)
    shared = replace(instance.shared, free=np.full_like(instance.shared.free, 1000))
    return replace(instance, nodes=replace(instance.nodes, free=free), shared=shared)


def same_verdict(data: st.DataObject) -> None:
    instance = data.draw(anything())
    plan = data.draw(plans(instance))
    for case in (instance, roomy(instance)):
        found = check(case, plan)
        assert brute.allowed(case, plan) == (not found), [v.sentence for v in found]


@settings(max_examples=500)
@given(st.data())
def test_verify_and_brute_force_accept_the_same_plans(data: st.DataObject) -> None:
    same_verdict(data)


@pytest.mark.slow
@settings(max_examples=20_000, derandomize=False)
@given(st.data())
def test_verify_and_brute_force_accept_the_same_plans_long(data: st.DataObject) -> None:
    same_verdict(data)
