"""Drawn instances: patterns and configurations have the optimum of counts, tier by tier.

Counts is compared with brute force elsewhere; as the reference it answers in milliseconds.
"""

import time
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from gangplan.models.arrays import Ints
from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Writing
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.tiers import Tier, values
from gangplan.solvers.asking import Asking
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Stop
from gangplan.solvers.claims import checked_plan, checked_point
from gangplan.solvers.generation import bound_by_generation, of_use, with_columns
from gangplan.solvers.held import priced, signed
from gangplan.solvers.planners.greedy import greedy_plan
from gangplan.solvers.registry import formulation
from tests.fuzz.contestants import PARTIAL
from tests.fuzz.draw import draw

LIMITS = Limits(seconds=20)
PARTS = range(8)
EACH = 40
"""Seeds of a part."""

ONCE_WRONG = (1028, 2325, 2935)
"""Seeds on which something was wrong once."""

FAR = 1 << 60


def solved(milp: Milp) -> Ints:
    found = Highs().solve(milp, LIMITS)
    assert found.stop is Stop.OPTIMAL
    assert found.x is not None
    return checked_point(milp, found.x)


def taken(kind: str, instance: Instance) -> Writing | None:
    try:
        return formulation(kind).write(instance)
    except FormulationError:
        return None


@cache
def drawn(part: int) -> list[tuple[int, Instance, tuple[Tier, ...]]]:
    fresh = range(70_000 + EACH * part, 70_000 + EACH * (part + 1))
    cases = [(seed, draw(seed)) for seed in (*fresh, *ONCE_WRONG[part : part + 1])]
    pairs = [(seed, case, case.instance()) for seed, case in cases]
    return [(seed, instance, case.tiers(instance)) for seed, case, instance in pairs]


def least(model: Writing, tiers: Sequence[Tier], i: int, held: Sequence[int]) -> int:
    """Optimum of tier i, as it is minimised, with those above held."""
    milp = priced(model, tiers, i, held)
    return milp.objective(solved(milp)) if milp.cost.any() else milp.offset


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("kind", PARTIAL)
def test_the_optimum_is_that_of_counts_and_any_point_is_a_plan(kind: str, part: int) -> None:
    for seed, instance, every in drawn(part):
        model = taken(kind, instance)
        if model is None:
            continue
        tiers = tuple(tier for tier in every if tier.kind not in model.kind.lacks)
        counts = formulation("counts").write(instance)
        held: list[int] = []
        for i, tier in enumerate(tiers):
            best = least(counts, tiers, i, held)
            assert least(model, tiers, i, held) == best, (seed, tier.name)
            held.append(signed(tier, best))
        random = np.random.default_rng(seed)
        some = random.random(model.milp.n_cols) < 0.5
        cost = np.where(some, random.integers(-5, 6, model.milp.n_cols), 0).astype(np.float64)
        checked_plan(model, solved(model.milp.with_cost(cost)))


@pytest.mark.parametrize("part", PARTS)
def test_priced_bounds_hold_and_the_columns_of_use_have_the_optimum(part: int) -> None:
    for seed, instance, every in drawn(part):
        try:
            model = formulation("patterns").unlisted(instance)
        except FormulationError:
            continue
        tiers = tuple(tier for tier in every if tier.kind not in model.kind.lacks)
        counts = formulation("counts").write(instance)
        plan = greedy_plan(instance, tiers, 0.0)
        held = values(instance, plan, tiers)
        for i, tier in enumerate(tiers):
            milp = priced(model, tiers, i, held[:i])
            if not milp.cost.any():
                continue
            best, have = least(counts, tiers, i, held[:i]), signed(tier, held[i])
            asking, until = Asking(Highs(), LIMITS), time.monotonic() + 20
            covering = model.frame.covering(plan) if i else None
            found = bound_by_generation(model.frame, milp, asking, until, FAR, covering)
            assert found is not None
            assert found.value <= best, (seed, tier.name)
            assert model.least(milp, found.multipliers) == found.value
            inner = with_columns(model, of_use(model, milp, found, plan, have))
            assert least(inner, tiers, i, held[:i]) == best, (seed, tier.name)
