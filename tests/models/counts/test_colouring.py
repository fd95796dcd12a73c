"""Edges of a bipartite multigraph get as many colours as an end has edges."""

from hypothesis import given
from hypothesis import strategies as st

from gangplan.models.counts.colouring import coloured


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=40))
def test_no_two_edges_of_one_end_have_one_colour(edges: list[tuple[int, int]]) -> None:
    ends = [(side, edge[side]) for edge in edges for side in (0, 1)]
    n = max((ends.count(end) for end in ends), default=1)
    colours = coloured(edges, n)
    assert all(0 <= colour < n for colour in colours)
    for side in (0, 1):
        used = [(edge[side], colour) for edge, colour in zip(edges, colours, strict=True)]
        assert len(set(used)) == len(used)


def test_a_path_of_two_colours_is_turned() -> None:
    # Greedy alone would need a third colour for the last edge.
    assert sorted(set(coloured([(0, 0), (1, 1), (1, 0), (0, 1)], 2))) == [0, 1]
    assert len(set(coloured([(0, 0), (1, 1), (0, 1)], 2))) == 2
