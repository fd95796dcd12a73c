"""What a place holds, and its configurations, beside looking at every possibility."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.arrays import Ints
from gangplan.models.configurations.filling import Steps, fill, undominated
from gangplan.models.configurations.kind import CONFIGURATIONS
from gangplan.models.configurations.sizes import Sizes
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from tests.models.configurations.meeting import meeting

ROWS = st.lists(st.tuples(*[st.integers(0, 3)] * 2), min_size=1, max_size=3)


@settings(max_examples=100)
@given(st.lists(st.tuples(ROWS, st.integers(1, 2)), min_size=1, max_size=3), st.data())
def test_a_place_holds_the_sums_of_patterns_and_packs_them(
    kinds: list[tuple[list[tuple[int, int]], int]], data: st.DataObject
) -> None:
    most = np.array([data.draw(st.integers(0, 8)), data.draw(st.integers(0, 8))])
    patterns = [(np.array(rows), nodes) for rows, nodes in kinds]
    filling = fill(patterns, most, Steps())
    each = [rows for rows, nodes in patterns for _ in range(nodes)]
    sums = [np.sum(choice, axis=0) for choice in product(*each)]
    for pods in product(range(int(most[0]) + 1), range(int(most[1]) + 1)):
        wanted = np.array(pods)
        fits = any((total >= wanted).all() for total in sums)
        assert fits == bool((filling.holds >= wanted).all(axis=1).any())
        if not fits:
            with pytest.raises(PlanError):
                filling.pack(wanted)
            continue
        taken = filling.pack(wanted)
        assert np.sum([wanted * 0, *taken], axis=0).tolist() == list(pods)
        for mine, rows in zip(taken, each, strict=False):
            assert any((row >= mine).all() for row in rows)


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=12))
def test_undominated_rows_are_those_that_no_other_covers(rows: list[tuple[int, ...]]) -> None:
    table = np.array(rows)
    kept = {tuple(row) for row in undominated(table, Steps()).tolist()}
    distinct = {tuple(row) for row in rows}
    covered = {a for a in distinct for b in distinct - {a} if (np.array(a) <= b).all()}
    assert kept == distinct - covered


def everything(instance: Instance) -> list[set[tuple[int, ...]]]:
    """List the configurations of each class by looking at every multiset."""
    layout = CONFIGURATIONS.write(instance).model.layout
    sizes, found = layout.sizes, []
    for holds, mine in zip(layout.places.holds, layout.places.sizes, strict=True):
        ranges = [range(int(sizes.most[z]) + 1 if z in mine else 1) for z in range(len(sizes))]

        def fits(rooms: Ints, holds: Ints = holds) -> bool:
            return bool((holds >= rooms @ sizes.takes).all(axis=1).any())

        possible = {q for q in product(*ranges) if fits(np.array(q))}
        found.append({q for q in possible if any(q) and not _next(q, layout.sizes) & possible})
    return found


def _next(q: tuple[int, ...], sizes: Sizes) -> set[tuple[int, ...]]:
    """Return the multisets with one room more, or with a room one pod larger."""
    more = set()
    for z in range(len(q)):
        more.add((*q[:z], q[z] + 1, *q[z + 1 :]))
        for to, _ in sizes.larger[z]:
            if q[z]:
                grown = list(q)
                grown[z], grown[to] = grown[z] - 1, grown[to] + 1
                more.add(tuple(grown))
    return more


@settings(max_examples=60)
@given(meeting(most_nodes=5, most_pods=7))
def test_the_configurations_are_the_maximal_multisets(instance: Instance) -> None:
    layout = CONFIGURATIONS.write(instance).model.layout
    listed = [{tuple(row) for row in table.tolist()} for table in layout.configurations]
    assert listed == everything(instance)
    assert [len(rows) for rows in listed] == [len(table) for table in layout.configurations]
