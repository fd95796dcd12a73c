"""Patterns that are priced: their worth is exact, and what that proves holds for all of them."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gangplan.models.bound import SCALE_BITS, dual_bound, evaluate
from gangplan.models.errors import FormulationError
from gangplan.models.formulation import WHOLE
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.patterns.kind import PATTERNS
from gangplan.models.patterns.priced import Frame, frame_of, union, worths
from gangplan.models.patterns.tied import clusters, tied
from gangplan.models.tiers import Tier, tiers_of
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.held import priced
from tests.mixed import mixed
from tests.strategies import instances
from tests.tiny import make_instance
from tests.tiny_running import with_running

SEEDS = st.integers(0, 10_000)
LIMITS = Limits(seconds=20)


def framed(seed: int) -> tuple[Frame, Milp, Milp, Tier]:
    """Return a frame, it and the model with all patterns under one cost, and the tier."""
    instance = mixed(seed)
    tier = tiers_of(instance, "gpus")[0]
    unlisted, whole = PATTERNS.unlisted(instance), PATTERNS.write(instance)
    return unlisted.frame, priced(unlisted, [tier], 0, ()), priced(whole, [tier], 0, ()), tier


def multipliers(frame: Frame, milp: Milp, seed: int, most: int) -> np.ndarray:
    """Draw legal ones: as many units as ``most``, with the signs that the open sides leave."""
    random = np.random.default_rng(seed)
    y = random.integers(-most, most, milp.n_rows, endpoint=True)
    y[(y > 0) & ~np.isfinite(milp.row_lower)] *= -1
    y[(y < 0) & ~np.isfinite(milp.row_upper)] *= -1
    y[random.random(milp.n_rows) < 0.3] = 0
    return y


def least(milp: Milp) -> int:
    """Return the optimum."""
    outcome = Highs().solve(milp, LIMITS)
    assert outcome.x is not None
    return milp.objective(np.rint(outcome.x).astype(np.int64))


@settings(max_examples=30)
@given(SEEDS)
def test_rows_do_not_depend_on_the_patterns_that_are_columns(seed: int) -> None:
    frame, milp, whole, _ = framed(seed)
    assert (milp.row_upper == whole.row_upper).all()
    assert milp.row_blocks == whole.row_blocks
    n = whole.n_cols - milp.n_cols
    assert not abs(whole.matrix[:, n:] - milp.matrix).max()
    assert (
        frame.listed(frame.everything()).milp.digest()
        == PATTERNS.write(frame.model.instance).milp.digest()
    )
    assert PATTERNS.unlisted(mixed(seed)).milp.digest() == frame.model.milp.digest()


@settings(max_examples=30)
@given(SEEDS, st.sampled_from([3, 2**20, 2**40]))
def test_a_class_gets_the_worth_of_its_best_pattern_exactly(seed: int, most: int) -> None:
    frame, milp, _, _ = framed(seed)
    y = frame.settled(multipliers(frame, milp, seed, most))
    for c, patterns in enumerate(frame.classes.patterns):
        v, best = int(frame.classes.vertex[c]), 0
        for pattern in patterns.tolist():
            rows = frame.row[v].tolist()
            worth = sum(-int(y[r]) * p for r, p in zip(rows, pattern, strict=True) if r >= 0)
            best = max(best, worth)
        assert -int(y[c]) == best


def test_sums_above_float_are_exact() -> None:
    patterns = np.array([[2**13, 1], [2**13, 0]])
    found = worths(patterns, np.array([[2**40, 1]]))
    assert found.tolist() == [[2**53 + 1, 2**53]]


@settings(max_examples=30)
@given(SEEDS, st.sampled_from([2**18, 2**22]))
def test_what_multipliers_prove_they_prove_of_the_model_with_all_patterns(
    seed: int, most: int
) -> None:
    frame, milp, whole, _ = framed(seed)
    y = multipliers(frame, milp, seed, most)
    assert frame.evaluate(milp, y) == evaluate(whole, frame.settled(y))
    assert frame.evaluate(milp, y) <= least(whole)
    duals = y / 2.0**SCALE_BITS
    bound, proof = frame.proof(milp, duals)
    assert frame.evaluate(milp, proof) == bound <= least(whole)


@settings(max_examples=40)
@given(instances(), st.integers(0, 100))
def test_no_family_gives_pattern_columns_what_pricing_does_not_see(
    instance: Instance, seed: int
) -> None:
    try:
        unlisted, written = PATTERNS.unlisted(instance), PATTERNS.write(instance)
    except FormulationError:
        assume(False)
        raise
    tiers = [tier for tier in tiers_of(instance) if tier.kind not in PATTERNS.lacks]
    for tier in tiers:
        milp, whole = priced(unlisted, [tier], 0, ()), priced(written, [tier], 0, ())
        y = multipliers(unlisted.frame, milp, seed, 2**20)
        assert unlisted.least(milp, y) == evaluate(whole, unlisted.frame.settled(y))


@settings(max_examples=20)
@given(SEEDS, st.integers(0, 20))
def test_every_better_point_uses_patterns_within(seed: int, away: int) -> None:
    frame, milp, whole, _ = framed(seed)
    outcome = Highs().solve(whole.relaxed(), LIMITS)
    assert outcome.row_dual is not None
    _, y = frame.proof(milp, outcome.row_dual)
    optimum = least(whole)
    chosen = frame.within(milp, y, optimum + 1 + away)
    some = PATTERNS.tier_cost(frame.listed(chosen), tiers_of(frame.model.instance, "gpus")[0])
    assert least(frame.listed(chosen).milp.with_cost(*some)) == optimum
    fewer = union(frame.within(milp, y, optimum), frame.within(milp, y, optimum + 1))
    assert all(set(a) <= set(b) for a, b in zip(fewer, chosen, strict=True))


@settings(max_examples=20)
@given(SEEDS, st.sampled_from([1, 2, 100]))
def test_tied_with_all_patterns_the_master_is_a_relaxation(seed: int, most: int) -> None:
    frame, milp, whole, _ = framed(seed)
    master = tied(frame, milp, clusters(frame, most))
    master.add(frame.everything())
    outcome = Highs().solve(master.master(), LIMITS)
    assert outcome.row_dual is not None
    assert outcome.objective is not None
    exact = Highs().solve(whole.relaxed(), LIMITS)
    assert exact.objective is not None
    assert exact.row_dual is not None
    assert outcome.objective <= exact.objective + 1e-6
    bound, _ = frame.proof(milp, master.duals(outcome.row_dual))
    assert outcome.objective - 1e-3 <= bound <= least(whole)
    if most == 100:
        assert outcome.objective == pytest.approx(exact.objective)
        assert bound == dual_bound(whole, exact.row_dual)[0]


def test_nodes_with_units_that_can_fall_are_not_priced() -> None:
    instance = with_running(
        make_instance([{"gpu": 1}], [{"request": {"gpu": 2}, "priority": 5}]),
        [{"node": 0, "request": {"gpu": 1}}],
    )
    with pytest.raises(FormulationError, match="not priced"):
        frame_of(instance, WHOLE)
