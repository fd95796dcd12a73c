"""Column generation: valid in every round, the relaxation's bound at the end, certified."""

import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.datasets.io import read_result, write_plan
from gangplan.models.arrays import Ints
from gangplan.models.bound import step
from gangplan.models.errors import InputError, SolverError
from gangplan.models.instance import Instance
from gangplan.models.patterns.kind import PATTERNS
from gangplan.models.patterns.priced import Frame
from gangplan.models.plan import empty_plan
from gangplan.models.result import LP_DUAL, Result
from gangplan.models.tiers import tiers_of, values
from gangplan.solvers import writer
from gangplan.solvers.asking import Asking
from gangplan.solvers.backends.fixed import NOTHING, FixedSolver
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Solver
from gangplan.solvers.generation import Generated, bound_by_generation, of_use, with_columns
from gangplan.solvers.held import priced, signed
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.planners.greedy import Greedy, greedy_plan
from gangplan.solvers.recheck import CONFIRMED, REFUTED, recheck
from tests.mixed import mixed
from tests.tiny import make_instance

LIMITS = Limits(seconds=20)
SEEDS = st.integers(0, 10_000)
FAR = 1 << 60


def generated(
    instance: Instance, i: int = 0, solver: Solver | None = None, warnings: list[str] | None = None
) -> Generated | None:
    """Bound tier i of the patterns model, the tiers above held to those of greedy."""
    tiers = tiers_of(instance, "gpus")
    plan = greedy_plan(instance, tiers)
    model = PATTERNS.unlisted(instance)
    milp = priced(model, tiers, i, values(instance, plan, tiers)[:i])
    asking = Asking(solver or Highs(), LIMITS, [] if warnings is None else warnings)
    held = model.frame.covering(plan)
    return bound_by_generation(model.frame, milp, asking, time.monotonic() + 20, FAR, held)


@settings(max_examples=25)
@given(SEEDS, st.sampled_from([0, 1, 2]))
def test_it_ends_at_the_bound_of_the_relaxation(seed: int, i: int) -> None:
    instance = mixed(seed)
    tiers = tiers_of(instance, "gpus")
    held = values(instance, greedy_plan(instance, tiers), tiers)[:i]
    whole = priced(PATTERNS.write(instance), tiers, i, held)
    relaxed = Highs().solve(whole.relaxed(), LIMITS)
    found = generated(instance, i)
    assert found is not None
    assert relaxed.objective is not None
    assert found.closed
    unit = step(whole.cost)
    low, high = (-(-(relaxed.objective + e) // unit) * unit for e in (-1e-3, 1e-3))
    assert low <= found.value - whole.offset <= high


def test_where_no_node_can_hold_anything_nothing_is_the_bound() -> None:
    roles = [{"wanted": 2, "request": {"gpu": 1}}]
    found = generated(make_instance([{"gpu": 0}], [{"kind": "gang", "roles": roles, "minimum": 2}]))
    assert found is None or found.value == 0


@settings(max_examples=15)
@given(SEEDS)
def test_every_round_has_a_valid_bound(seed: int) -> None:
    instance = mixed(seed)
    tiers = tiers_of(instance, "gpus")
    best = Highs().solve(priced(PATTERNS.write(instance), tiers, 0, ()), LIMITS)
    assert best.objective is not None
    found: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        proof = Frame.proof

        def told(self: Frame, *of: object) -> object:
            bound, y = proof(self, *of)  # type: ignore[arg-type]  # passed on as it came
            found.append(bound)
            return bound, y

        patch.setattr(Frame, "proof", told)
        assert generated(instance) is not None
    assert found
    assert max(found) <= round(best.objective)


@settings(max_examples=15)
@given(SEEDS)
def test_the_columns_of_use_have_the_optimum(seed: int) -> None:
    instance = mixed(seed)
    tiers = tiers_of(instance, "gpus")
    plan = greedy_plan(instance, tiers)
    cost = signed(tiers[0], values(instance, plan, tiers)[0])
    model, whole = PATTERNS.unlisted(instance), PATTERNS.write(instance)
    milp = priced(model, tiers, 0, ())
    listed = with_columns(model, of_use(model, milp, generated(instance), plan, cost))
    assert not len(listed.milp.violated_rows(listed.encode(plan)))
    some, all_of = (Highs().solve(priced(m, tiers, 0, ()), LIMITS) for m in (listed, whole))
    assert some.objective == pytest.approx(all_of.objective)
    everything = with_columns(model, of_use(model, milp, None, plan, cost))
    assert everything.milp.digest() == whole.milp.digest()


def test_better_bounds_are_told_as_they_come() -> None:
    instance = mixed(3)
    model = PATTERNS.unlisted(instance)
    milp = priced(model, tiers_of(instance, "gpus"), 0, ())
    heard: list[int] = []

    def told(bound: int, multipliers: Ints) -> None:
        assert model.least(milp, multipliers) == bound
        heard.append(bound)

    asking, until = Asking(Highs(), LIMITS), time.monotonic() + 20
    found = bound_by_generation(model.frame, milp, asking, until, FAR, told=told)
    assert found is not None
    assert heard == sorted(set(heard))
    assert heard[-1] == found.value


def test_a_bound_that_meets_the_goal_is_enough() -> None:
    instance = mixed(3)
    model = PATTERNS.unlisted(instance)
    milp = priced(model, tiers_of(instance, "gpus"), 0, ())
    asking, until = Asking(Highs(), LIMITS), time.monotonic() + 20
    found = bound_by_generation(model.frame, milp, asking, until, -FAR)
    assert found is not None
    assert (found.rounds, found.closed) == (1, False)


def test_the_order_of_nodes_does_not_matter() -> None:
    for seed in range(4):
        one, other = generated(mixed(seed)), generated(mixed(seed, order=seed))
        assert one is not None
        assert other is not None
        assert one.value == other.value


def test_a_solver_without_duals_gives_no_bound() -> None:
    warnings: list[str] = []
    assert generated(mixed(1), solver=FixedSolver(NOTHING)) is None
    failing = FixedSolver(NOTHING, SolverError("out of order"))
    assert generated(mixed(1), solver=failing, warnings=warnings) is None
    assert any("out of order" in warning for warning in warnings)


def planned(instance: Instance, kind: str = "patterns") -> Result:
    return Exact(solver=Highs(), kind=kind, objective="gpus").plan(instance, LIMITS)


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Price columns however few they are."""
    monkeypatch.setattr(writer, "PRICE_CELLS", 0)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("seed", range(6))
def test_a_plan_with_priced_columns_proves_what_one_with_all_does(seed: int) -> None:
    instance = mixed(seed)
    result, other = planned(instance), planned(instance, "counts")
    carried = [t for t in result.tiers if t.name not in ("preferred", "fragmentation")]
    for tier, of_counts in zip(carried, other.tiers, strict=False):
        assert tier.proven
        assert of_counts.proven
        assert tier.value == of_counts.value
    assert {one.verdict for one in recheck(instance, result, Highs(), LIMITS)} == {CONFIRMED}


@pytest.fixture
def by_duals(always: None) -> tuple[Instance, Result]:
    """Return an instance and a result whose first tier rests on priced columns."""
    for seed in range(40):
        instance = mixed(seed)
        result = planned(instance)
        if result.tiers[0].proof == LP_DUAL:
            assert result.certificates[0].priced
            return instance, result
    raise AssertionError("no instance of 40 has its first tier proven by duals")


def verdict(instance: Instance, result: Result, **change: object) -> str:
    """Re-check the first tier after a change of its certificate."""
    first = replace(result.certificates[0], **change)  # type: ignore[arg-type]  # any field
    changed = replace(result, certificates=(first, *result.certificates[1:]))
    return recheck(instance, changed, Highs(), LIMITS)[0].verdict


def test_forged_multipliers_are_refuted(by_duals: tuple[Instance, Result]) -> None:
    instance, result = by_duals
    one = result.certificates[0]
    assert verdict(instance, result) == CONFIRMED
    assert verdict(instance, result, rows=(), multipliers=()) == REFUTED
    tenth = tuple(y // 10 for y in one.multipliers)
    assert verdict(instance, result, multipliers=tenth) == REFUTED
    assert verdict(instance, result, rows=one.rows[:-1]) == REFUTED
    assert verdict(instance, result, priced=False) == REFUTED
    assert verdict(instance, result, formulation="counts") == REFUTED
    assert verdict(instance, result, digest="0" * 64) == REFUTED
    # What is said of patterns.class is not read: it is priced again.
    free = (0, *one.rows), (-(2**40), *one.multipliers)
    assert verdict(instance, result, rows=free[0], multipliers=free[1]) == CONFIRMED


def test_without_prices_no_bound_below_all_that_is_asked_is_confirmed(
    by_duals: tuple[Instance, Result],
) -> None:
    """The frame alone, without any pattern, has room for nothing: that is no bound."""
    instance, result = by_duals
    report = replace(result.tiers[0], value=0, bound=0, proven=True)
    forged = replace(result, plan=empty_plan(instance), tiers=(report, *result.tiers[1:]))
    assert verdict(instance, forged, bound=0) == REFUTED
    assert verdict(instance, forged, bound=0, rows=(), multipliers=()) == REFUTED


def test_certificates_say_in_the_plan_file_that_columns_are_priced(
    by_duals: tuple[Instance, Result], tmp_path: Path
) -> None:
    instance, result = by_duals
    path = tmp_path / "plan.json"
    write_plan(instance, result, str(path))
    text = path.read_text()
    assert read_result(str(path), instance).certificates == result.certificates
    path.write_text(text.replace('"priced": true', '"priced": 1'))
    with pytest.raises(InputError, match="priced"):
        read_result(str(path), instance)
    greedy = Greedy(objective="gpus").plan(instance, LIMITS)
    write_plan(instance, greedy, str(path))
    assert "priced" not in path.read_text()
