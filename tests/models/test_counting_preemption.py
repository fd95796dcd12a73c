"""Counting where somebody could make room: no bound is beaten by a plan with evictions."""

from dataclasses import replace

from hypothesis import given, settings

from gangplan.models.counting import bounds, cannot_be_placed, ceilings
from gangplan.models.instance import Instance
from gangplan.models.tiers import tiers_of
from gangplan.solvers.held import signed
from tests import brute, brute_preemption
from tests.brute_victims import every_set, lawful
from tests.strategies_preemption import preempting, preempting_claims
from tests.tiny import make_instance
from tests.tiny_running import with_running


def full(*, never: bool = False, priority: int = 5) -> Instance:
    """One node of 8, 6 of them held by a pod of priority 0; a gang waits for two pods of 4."""
    instance = make_instance(
        nodes=[{"gpu": 2}],
        groups=[
            {"name": "new", "priority": priority, "minimum": 2, "wanted": 2, "request": {"gpu": 4}}
        ],
    )
    old = [{"node": 0, "request": {"gpu": 6}}]
    return with_running(instance, old, never=[0] if never else [])


def test_room_of_units_that_can_fall_is_counted() -> None:
    assert cannot_be_placed(full(), 0) is None
    assert ceilings(full(), tiers_of(full()))[0] == 1


def test_a_group_that_evicts_nobody_is_shown_what_is_free_now() -> None:
    for instance in (full(never=True), full(priority=0)):
        short = cannot_be_placed(instance, 0)
        assert short is not None
        assert (short.need, short.have, short.resource) == (2, 0, "gpu")


def test_room_that_others_make_is_no_room_for_a_group_of_never() -> None:
    instance = make_instance(
        nodes=[{"gpu": 0}],
        groups=[
            {"priority": 5, "request": {"gpu": 4}},
            {"priority": 9, "request": {"gpu": 4}},
            {"priority": 0, "request": {"gpu": 4}},
        ],
    )
    instance = with_running(instance, [{"node": 0, "request": {"gpu": 8}}], never=[1])
    assert [cannot_be_placed(instance, g) is None for g in range(3)] == [True, False, True]
    names = [tier.name for tier in tiers_of(instance)]
    by_name = dict(zip(names, ceilings(instance, tiers_of(instance)), strict=True))
    assert (by_name["admitted(9)"], by_name["admitted(5)"], by_name["admitted(0)"]) == (0, 1, 1)


def test_what_is_lost_is_at_least_nothing() -> None:
    instance = full()
    tiers = tiers_of(instance)
    assert {
        tier.name: bound
        for tier, bound in zip(tiers, bounds(instance, tiers), strict=True)
        if tier.kind == "lost"
    } == {"lost-gpus(0)": 0, "lost-pods(0)": 0}


def never_beaten(instance: Instance) -> None:
    """Compare each bound with the best plan for that tier alone, over all that may fall."""
    left = {
        less.digest(): less
        for units in every_set(instance)
        if lawful(instance, units)
        for freed in brute_preemption.every_freed(instance, units)
        for less in (brute_preemption.after(instance, units, freed),)
    }
    tiers = [tier for tier in tiers_of(instance) if tier.kind != "lost"]
    for tier, bound in zip(tiers, bounds(instance, tiers), strict=True):
        best = min(signed(tier, brute.best(less, [tier])[0]) for less in left.values())
        assert signed(tier, bound) <= best, tier.name


@settings(max_examples=25)
@given(instance=preempting(max_nodes=3, max_pods=4, effort=300))
def test_no_plan_is_better_than_counting_allows(instance: Instance) -> None:
    never_beaten(instance)


@settings(max_examples=10)
@given(instance=preempting_claims(max_nodes=2, max_pods=3, effort=100))
def test_no_plan_with_devices_is_better_than_counting_allows(instance: Instance) -> None:
    never_beaten(instance)


@settings(max_examples=25)
@given(instance=preempting(max_nodes=3, max_pods=4, effort=300))
def test_what_cannot_be_placed_is_in_no_plan(instance: Instance) -> None:
    """What is ruled out may be left out: nothing that is admitted changes."""
    out = [g for g in range(len(instance.groups)) if cannot_be_placed(instance, g) is not None]
    if out:
        assert admitted(instance) == admitted(without(instance, out))


def admitted(instance: Instance) -> dict[str, int]:
    """Return what is admitted of each priority, beside what is lost for it."""
    tiers = [
        tier
        for tier in tiers_of(instance)
        if tier.kind == "lost" or tier.name.startswith("admitted(")
    ]
    best = brute_preemption.best(instance, tiers)
    return {t.name: v for t, v in zip(tiers, best, strict=True) if t.kind == "admitted"}


def without(instance: Instance, out: list[int]) -> Instance:
    """Hold the groups."""
    held = instance.groups.held.copy()
    held[out] = True
    names = tuple(why or "out" if g in out else why for g, why in enumerate(instance.names.held))
    return replace(
        instance,
        groups=replace(instance.groups, held=held),
        names=replace(instance.names, held=names),
    )
