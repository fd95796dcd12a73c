"""Preemption: brute force over victim sets, the formulations, the planners and the verifier."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify import check
from gangplan.models.verify.violation import Violation
from tests import brute_preemption
from tests.strategies_preemption import evicting_plans, preempting, preempting_claims

CASES = st.one_of(preempting(), preempting(), preempting_claims())


def roomy(instance: Instance) -> Instance:
    """Return the instance with room for everything, so that the other rules decide."""
    free = np.full_like(instance.nodes.free, 10**6)
    return replace(instance, nodes=replace(instance.nodes, free=free))


def broken(instance: Instance, plan: Plan) -> list[Violation]:
    """Violations of rules 1-8: which victim is needless is not brute force's to say."""
    return [v for v in check(instance, plan) if "could come back" not in v.sentence]


def same_verdict(data: st.DataObject) -> None:
    instance = data.draw(CASES)
    plan = data.draw(evicting_plans(instance))
    for case in (instance, roomy(instance)):
        found = broken(case, plan)
        assert brute_preemption.allowed(case, plan) == (not found), [v.sentence for v in found]


@settings(max_examples=400)
@given(st.data())
def test_verify_and_brute_force_accept_the_same_evictions(data: st.DataObject) -> None:
    same_verdict(data)


@pytest.mark.slow
@settings(max_examples=20_000, derandomize=False)
@given(st.data())
def test_verify_and_brute_force_accept_the_same_evictions_long(data: st.DataObject) -> None:
    same_verdict(data)
