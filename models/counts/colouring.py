"""Edge colouring: n pods share what an option gives them all together.

A bipartite multigraph whose degrees are at most n has a proper colouring of its edges with n
colours (König 1916); a colour is a pod.
"""

from collections.abc import Sequence


def coloured(edges: Sequence[tuple[int, int]], n: int) -> list[int]:
    """Give each edge (left, right) a colour 0..n-1, no two alike at one end.

    No left or right end may have more than n edges. Time: edges times the length of an alternating
    path, which is at most the number of ends.
    """
    at: dict[tuple[int, int], list[int]] = {}
    colour: list[int] = []
    for number, (left, right) in enumerate(edges):
        a = at.setdefault((0, left), [-1] * n)
        b = at.setdefault((1, right), [-1] * n)
        here, there = a.index(-1), b.index(-1)
        if b[here] >= 0:
            _swap(edges, at, colour, b[here], (1, right), here, there)
        a[here] = b[here] = number
        colour.append(here)
    return colour


def _swap(
    edges: Sequence[tuple[int, int]],
    at: dict[tuple[int, int], list[int]],
    colour: list[int],
    edge: int,
    end: tuple[int, int],
    here: int,
    there: int,
) -> None:
    """Exchange two colours along the path that starts at ``end`` with ``edge`` of colour ``here``.

    The path never reaches the new edge's left end: it comes to that side by edges of ``here``
    only, and none of them is there.
    """
    path = []
    wanted = here
    while edge >= 0:
        path.append(edge)
        side, _ = end
        end = (1 - side, edges[edge][1 - side])
        wanted = there if wanted == here else here
        edge = at[end][wanted]
    for edge in path:
        for side in (0, 1):
            ends = at[side, edges[edge][side]]
            if ends[colour[edge]] == edge:
                ends[colour[edge]] = -1
    for edge in path:
        colour[edge] = there if colour[edge] == here else here
        for side in (0, 1):
            at[side, edges[edge][side]][colour[edge]] = edge
