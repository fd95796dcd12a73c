"""One seed: brute force once, and everybody whose turn it is against it."""

from dataclasses import dataclass

from gangplan.models.instance import Instance
from gangplan.solvers.planners.greedy import greedy_plan
from tests import brute, brute_preemption
from tests.fuzz.case import Case
from tests.fuzz.contestants import Contestant, contestants
from tests.fuzz.draw import draw
from tests.fuzz.judge import Disagreement, against_the_clock, judge, planner, without_solver

PLANNER = 4
"""One seed in how many goes through the planner ``exact`` too."""

CLOCK = 11
"""The same for ``anytime``, which begins processes of its own."""


@dataclass(frozen=True)
class Cell:
    """What came of a seed: tiers proven and tiers there are by contestant, and what is wrong."""

    seed: int
    tiers: dict[str, tuple[int, int]]
    wrong: tuple[Disagreement, ...]


def cell(seed: int, names: tuple[str, ...]) -> Cell:
    """Run a seed over the backends ``names``."""
    return compare(draw(seed), contestants(seed, names))


def best_of(case: Case, instance: Instance) -> tuple[int, ...]:
    """Return brute force's values of the tiers."""
    tiers = case.tiers(instance)
    return brute_preemption.best(instance, tiers) if case.pods else brute.best(instance, tiers)


def compare(case: Case, against: list[Contestant]) -> Cell:
    """Compare everybody with brute force on a case."""
    instance = case.instance()
    tiers_of_case = case.tiers(instance)
    best = best_of(case, instance)
    greedy = greedy_plan(instance, tiers_of_case)
    wrong = without_solver(case, instance, best, greedy)
    # Every other seed begins with the greedy plan: a start must not change the answer.
    start = greedy if case.seed % 2 == 0 and not wrong else None
    tiers = {}
    for who in against:
        if not who.takes(instance):
            continue
        verdict = judge(case, instance, best, who, start)
        tiers[who.name] = (verdict.proven, verdict.tiers)
        wrong += verdict.wrong
        if case.seed % PLANNER == 0 and not verdict.wrong:
            verdict = planner(case, instance, best, who)
            tiers[f"exact/{who.name}"] = (verdict.proven, verdict.tiers)
            wrong += verdict.wrong
    if case.seed % CLOCK == 0 and "highs" in [who.solver.name for who in against]:
        verdict = against_the_clock(case, instance, best)
        tiers["anytime"] = (verdict.proven, verdict.tiers)
        wrong += verdict.wrong
    return Cell(case.seed, tiers, tuple(wrong))
