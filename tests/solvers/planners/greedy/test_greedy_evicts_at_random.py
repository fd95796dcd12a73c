"""Whatever runs, whatever waits: greedy evictions keep every rule, and never beat brute force."""

from time import perf_counter

from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.gone import without_units
from gangplan.models.instance import Instance
from gangplan.models.restrict import PDB, restricted
from gangplan.models.tiers import better, tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.planners.greedy import greedy_plan
from gangplan.solvers.planners.greedy.attempt import run
from gangplan.solvers.planners.greedy.book import book_of
from gangplan.solvers.planners.greedy.orders import units_of
from gangplan.solvers.planners.greedy.style import Style
from tests import brute_preemption
from tests.solvers.planners.styles import STYLES
from tests.strategies_preemption import preempting, preempting_claims

SMALL = st.one_of(preempting(), preempting(), preempting_claims())
LARGE = preempting(max_nodes=10, max_pods=24, effort=10**12)


def kept(instance: Instance, style: Style, moved: float = 0.0) -> None:
    """Run once; a victim that could come back is what ``reprieved`` is for."""
    book, tiers = book_of(instance), tiers_of(instance)
    until = perf_counter() + moved
    plan, _ = run(book, units_of(book, tiers), style, repack=(True, until), tiers=tiers)
    found = [v.sentence for v in check(instance, plan) if "could come back" not in v.sentence]
    assert found == []


@settings(max_examples=150)
@given(SMALL, STYLES, st.sampled_from(PDB))
def test_a_run_with_evictions_keeps_every_rule(instance: Instance, style: Style, pdb: str) -> None:
    kept(restricted(instance, pdb=pdb), style)


@settings(max_examples=40)
@given(LARGE, STYLES)
def test_a_run_with_more_evictions_keeps_every_rule(instance: Instance, style: Style) -> None:
    kept(instance, style)


@settings(max_examples=40)
@given(SMALL, STYLES)
def test_gangs_that_are_moved_keep_every_rule(instance: Instance, style: Style) -> None:
    kept(instance, style, moved=0.02)


@settings(max_examples=30)
@given(SMALL)
def test_a_plan_is_between_brute_force_and_the_plan_without_evictions(instance: Instance) -> None:
    tiers = tiers_of(instance)
    plan = greedy_plan(instance, tiers, 60.0)
    assert [v.sentence for v in check(instance, plan)] == []
    found = values(instance, plan, tiers)
    assert not better(tiers, found, brute_preemption.best(instance, tiers))
    calm = greedy_plan(without_units(instance), tiers, 60.0)
    assert not better(tiers, values(instance, calm, tiers), found)
