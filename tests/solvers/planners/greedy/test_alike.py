"""Specs that ask the same share what is known, and each pod gets the choices of its own claim."""

import numpy as np

from gangplan.datasets.generate import generate
from gangplan.models.tiers import tiers_of
from gangplan.models.verify.check import check
from gangplan.solvers.planners.greedy import greedy_plan
from gangplan.solvers.planners.greedy.allocator.alike import Alike
from gangplan.solvers.planners.greedy.allocator.asked import asked_of
from gangplan.solvers.planners.greedy.allocator.dealer import kinds_of
from tests.tiny import make_instance
from tests.tiny_devices import Row, with_devices

POD = {"wanted": 1, "request": {"cpu": 1}}


def test_equal_requests_under_other_names_are_alike_and_others_are_not() -> None:
    specs: list[Row] = [
        {"requests": [("a", "gpu")]},
        {"requests": [("b", "gpu")]},
        {"requests": [("c", {"word": "gpu", "count": 2})]},
        {"requests": [("d", "nic")]},
        {"requests": [("e", {"word": "gpu", "barred": [1]})]},
    ]
    devices = [{"node": n, word: True} for n in (0, 1) for word in ("gpu", "gpu", "nic")]
    base = make_instance([{"cpu": 9}] * 2, [POD])
    instance = with_devices(base, devices, specs, {0: list(range(5))})
    _, kinds = kinds_of(instance)
    alike = Alike(kinds, asked_of(instance.claims))
    free: frozenset[int] = frozenset()
    assert [alike.first(s, free) for s in range(5)] == [0, 0, 2, 3, 0]
    assert alike.names(0, 1) == {0: 1}
    barred = frozenset({4})
    assert [alike.first(s, barred) for s in range(5)] == [0, 0, 2, 3, 4]


def test_every_pod_of_a_partitioned_cluster_has_choices_of_its_own_claim() -> None:
    instance = generate("mig", nodes=4, seed=3)
    plan = greedy_plan(instance, tiers_of(instance, "gpus"), 1e-9)
    assert check(instance, plan) == ()
    given, claims = plan.allocations, instance.claims
    assert len(given) > 20
    own = claims.own_spec[given.claim]
    assert np.array_equal(claims.choice_spec[given.choice], own)
    assert (claims.rank[given.choice] > 0).any()
