"""Gangs that get room together: who gets in, by counts, and who falls for all of them at once."""

import pytest

from gangplan.datasets.generate import generate
from gangplan.models.tiers import tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.planners.greedy import greedy_plan
from gangplan.solvers.planners.greedy.attempt import run
from gangplan.solvers.planners.greedy.book import book_of
from gangplan.solvers.planners.greedy.orders import units_of
from gangplan.solvers.planners.greedy.roster import Contest, settled
from gangplan.solvers.planners.greedy.style import Style
from tests.tiny import make_instance
from tests.tiny_running import with_running

EIGHT = {"gpu": 8}


def contest(sizes: list[int], rooms: list[int]) -> Contest:
    """One shape of pods; each gang pays 1, then its pods; no slot is free."""
    loads = [(size,) for size in sizes]
    return Contest([(1, n) for n in sizes], loads, [(n,) for n in rooms], [(0,)] * len(rooms))


def test_as_many_gangs_as_can_be_get_in_and_of_those_the_larger_ones() -> None:
    sizes = [4, 4, 3, 3, 2]
    homes = settled(contest(sizes, [5, 6]))
    inside = [n for n, home in zip(sizes, homes, strict=True) if home >= 0]
    # 4 in the one cell, 3 and 3 in the other; no four of them fit.
    assert (len(inside), sum(inside)) == (3, 10)


def test_no_cell_holds_more_than_it_has_of_any_shape() -> None:
    # Whole nodes and halves of them: a pod of the first shape takes two of the second.
    loads = [(2, 4), (2, 4), (1, 2), (0, 3), (0, 3), (0, 1)]
    most = [(2, 5), (2, 6)]
    homes = settled(Contest([(1,)] * 6, loads, most, [(), ()]))
    for cell, room in enumerate(most):
        inside = [load for load, home in zip(loads, homes, strict=True) if home == cell]
        assert all(
            sum(column) <= r for column, r in zip(zip(*inside, strict=True), room, strict=True)
        )
    assert sum(home >= 0 for home in homes) == 4


def test_of_equal_rosters_the_one_that_costs_fewer_victims_stays() -> None:
    costly = Contest([(1,)], [(2,)], [(4,), (4,)], [(0,), (2,)])
    assert settled(costly) == [1]


def test_the_same_contest_has_the_same_answer() -> None:
    one = contest([2, 4, 6, 2, 4, 8, 3, 5], [9, 8, 7])
    assert settled(one) == settled(one)


def test_gangs_enter_together_where_one_after_the_other_would_strand_the_last() -> None:
    # Racks of 3 and 4 nodes; the gangs of 4 and 3 fit, unless 3 goes to the rack of 4.
    nodes = [{"gpu": 0, "rack": "a"}] * 4 + [{"gpu": 0, "rack": "b"}] * 3
    old = [{"minimum": 1, "running": [n], "roles": []} for n in range(len(nodes))]
    new = [
        {
            "priority": 9,
            "minimum": n,
            "wanted": n,
            "request": EIGHT,
            "rules": [("rack", "required")],
        }
        for n in (3, 4)
    ]
    pods = [{"node": n, "request": EIGHT, "group": n} for n in range(len(nodes))]
    instance = with_running(make_instance(nodes, [*old, *new]), pods)
    tiers, book = tiers_of(instance), book_of(instance)
    style = Style("light", "strand", together=1)
    plan, failed = run(book, units_of(book, tiers), style, tiers=tiers)
    assert [v.sentence for v in check(instance, plan)] == []
    assert failed == []
    assert len(plan.evicted) == 7


@pytest.mark.parametrize(("seed", "first"), [(3, (18, 100)), (6, (23, 130)), (9, (15, 102))])
def test_as_many_urgent_gangs_get_in_as_is_possible(seed: int, first: tuple[int, int]) -> None:
    instance = generate("victims", nodes=128, seed=seed)
    tiers = tiers_of(instance)
    # The first two tiers of the optimum; time for a few attempts.
    assert values(instance, greedy_plan(instance, tiers, 1.0), tiers)[:2] == first
