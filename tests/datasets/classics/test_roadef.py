"""Machine reassignment: tiny problems against brute force, public ones against published values."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from gangplan.datasets.classics.roadef.cost import cost, lower_bound
from gangplan.datasets.classics.roadef.milp import encode, to_milp
from gangplan.datasets.classics.roadef.problem import Machines, Problem, public, read
from gangplan.datasets.traces.folder import require
from tests.datasets.classics.known import needs, proves

DATA = Path(__file__).parents[2] / "data" / "classics"

PUBLISHED = {
    "a1_1": (49_528_750, 44_306_390),
    "a1_2": (1_061_649_570, 777_530_730),
    "a1_3": (583_662_270, 583_005_700),
    "a1_4": (632_499_600, 242_387_530),
    "a1_5": (782_189_690, 727_578_290),
}
"""Cost of the first assignment, and the lower bound of team J12 (gturri/roadef2012)."""


def sample() -> Problem:
    return read(DATA / "roadef_model.txt", DATA / "roadef_assignment.txt")


def tiny(seed: int) -> Problem:
    """Three machines, five processes of three services; the first assignment keeps the rules."""
    rng = np.random.default_rng(seed)
    while True:
        place = rng.integers(0, 3, 5)
        problem = Problem(
            transient=rng.random(2) < 0.5,
            load_weight=rng.integers(0, 4, 2),
            machines=Machines(
                neighbourhood=np.array([0, 0, 1]),
                location=rng.permutation([0, 1, 1]),
                capacity=rng.integers(5, 10, (3, 2)),
                safety=rng.integers(0, 6, (3, 2)),
                move=rng.integers(0, 4, (3, 3)) * (1 - np.eye(3, dtype=np.int64)),
            ),
            spread=rng.integers(0, 3, 3),
            depends=np.array([[0, 1], [2, 0]])[: rng.integers(0, 3)],
            service=np.array([0, 0, 1, 1, 2]),
            need=rng.integers(0, 5, (5, 2)),
            process_move=rng.integers(0, 5, 5),
            balance=np.array([[0, 1, 2, 3]])[: rng.integers(0, 2)],
            weights=(1, int(rng.integers(0, 9)), 2),
            start=place,
        )
        if allowed(problem, place):
            return problem


def allowed(problem: Problem, place: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> bool:
    """Read the rules of the challenge again, in plain loops."""
    machines = problem.machines
    for m in range(len(machines.location)):
        for r, transient in enumerate(problem.transient):
            on = [p for p, at in enumerate(place) if at == m]
            if transient:
                on += [p for p, at in enumerate(problem.start) if at == m and place[p] != m]
            if sum(problem.need[p, r] for p in on) > machines.capacity[m, r]:
                return False
    for s, spread in enumerate(problem.spread):
        mine = place[problem.service == s].tolist()
        if len(set(mine)) < len(mine) or len({machines.location[m] for m in mine}) < spread:
            return False
    area = machines.neighbourhood
    return all(
        any(area[place[q]] == area[place[p]] for q in np.flatnonzero(problem.service == other))
        for service, other in problem.depends
        for p in np.flatnonzero(problem.service == service)
    )


def test_the_sample_is_read_and_priced() -> None:
    problem = sample()
    assert problem.spread.tolist() == [2, 0]
    assert problem.depends.tolist() == [[1, 0]]
    assert problem.start.tolist() == [0, 1, 0, 2]
    # Use: m0 (5, 4), m1 (2, 2), m2 (1, 1). Over safety: m0 by 1 of resource 0: 10.
    # Free: (3, 5), (6, 7), (5, 5); 2 x free0 - free1 = 1, 5, 5: 11 x weight 7.
    assert cost(problem, problem.start) == 10 + 77
    # Service 1 in neighbourhood 1 finds no process of service 0.
    assert not allowed(problem, problem.start)
    # In all: needs (8, 7) of safety (13, 16); free (14, 17): 2 x 14 - 17 = 11.
    assert lower_bound(problem) == 77


@pytest.mark.parametrize("seed", range(25))
def test_the_model_equals_brute_force(seed: int) -> None:
    problem = tiny(seed)
    milp = to_milp(problem)
    costs = []
    for places in product(range(3), repeat=5):
        place = np.array(places)
        point = encode(problem, place)
        kept = not len(milp.violated_rows(point)) and bool((point <= milp.upper).all())
        assert kept == allowed(problem, place), places
        if kept:
            assert milp.objective(point) == cost(problem, place)
            assert cost(problem, place) >= lower_bound(problem)
            costs.append(cost(problem, place))
    proves("highs", milp, min(costs))


@pytest.mark.public_data
@pytest.mark.parametrize("name", PUBLISHED)
def test_first_costs_and_lower_bounds_are_the_published_ones(name: str) -> None:
    needs(*public(name))
    problem = read(*map(require, public(name)))
    assert (cost(problem, problem.start), lower_bound(problem)) == PUBLISHED[name]
    milp = to_milp(problem)
    point = encode(problem, problem.start)
    assert not len(milp.violated_rows(point))
    assert milp.objective(point) == PUBLISHED[name][0]


@pytest.mark.public_data
def test_the_optimum_of_a1_1_is_proven() -> None:
    needs(*public("a1_1"))
    problem = read(*map(require, public("a1_1")))
    # Known from the tests of OptaPlanner and Timefold, as the score of a stored solution.
    proves("highs", to_milp(problem), 44_306_501)
