"""What one claim may take of a node: every way, as amounts of what is left there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.options.cells import Cells
from gangplan.models.options.ways import Way
from gangplan.models.shapes.stock import Piece, Traits

MOST_TAKINGS = 5_000
"""Ways of one part of a claim on one node; more are refused by name."""


@dataclass(frozen=True, slots=True)
class Taking:
    """Devices for one claim.

    Attributes
    ----------
    amounts : (number of what is left, amount), ascending; nothing that is 0.
    given : (choice b, cell at the site, devices).
    rank : ranks of its choices together.
    """

    amounts: tuple[tuple[int, int], ...]
    given: tuple[tuple[int, int, int], ...]
    rank: int


def takings_of(
    instance: Instance,
    cells: Cells,
    traits: Traits,
    pieces: Sequence[Piece],
    site: Sequence[int],
    ways: Sequence[Way],
) -> tuple[Taking, ...]:
    """List what a claim may take by its ways; of equal amounts the one of the lowest rank.

    Parameters
    ----------
    site : cells that the entries of the ways number.

    Raises
    ------
    FormulationError : more than MOST_TAKINGS.
    """
    where = _numbers(pieces)
    left = [n for piece in pieces for n in piece.left]
    admin, rank = instance.claims.choice_admin, instance.claims.rank
    best: dict[tuple[tuple[int, int], ...], Taking] = {}
    tried = 0
    for way in ways:
        worth = sum(int(rank[b]) for b, _ in way.choices)
        for counts in _counts(way):
            tried += 1
            if tried > MOST_TAKINGS:
                raise FormulationError(
                    f"a claim with more than {MOST_TAKINGS:,} ways on one node; counts can"
                )
            amounts: dict[int, int] = {}
            given = []
            for (at, e, _), n in zip(way.entries, counts, strict=True):
                b, cell = way.choices[at][0], site[e]
                if not n:
                    continue
                given.append((b, e, n))
                if admin[b]:
                    continue
                for what, each in _each(cells, traits, where, cell, b):
                    amounts[what] = amounts.get(what, 0) + each * n
            if any(n > left[what] for what, n in amounts.items()):
                continue
            key = tuple(sorted(amounts.items()))
            if key not in best or best[key].rank > worth:
                best[key] = Taking(key, tuple(given), worth)
    return tuple(sorted(best.values(), key=lambda one: one.rank))


def _numbers(pieces: Sequence[Piece]) -> dict[tuple[str, int], int]:
    """Place of each cell, counter and pot among what is left."""
    where: dict[tuple[str, int], int] = {}
    for piece in pieces:
        for kind, mine in (("cell", piece.cells), ("counter", piece.counters), ("pot", piece.pots)):
            for number in mine:
                where[kind, number] = len(where)
    return where


def _each(
    cells: Cells, traits: Traits, where: dict[tuple[str, int], int], cell: int, choice: int
) -> Iterator[tuple[int, int]]:
    """Yield what one device of a cell takes that serves the choice."""
    if not cells.multi[cell]:
        yield where["cell", cell], 1
    for c, amount in traits.draws.get(cell, ()):
        yield where["counter", c], amount
    for m in traits.pots.get(cell, ()):
        for b, amount in traits.uses.get(m, ()):
            if b == choice:
                yield where["pot", m], amount


def _counts(way: Way) -> Iterator[list[int]]:
    """Devices of each entry: as many as each choice takes, within the caps of one claim."""
    open_of = [
        [y for y, (at, _, fixed) in enumerate(way.entries) if at == place and not fixed]
        for place in range(len(way.choices))
    ]
    counts = [fixed for _, _, fixed in way.entries]
    room = [cap.bound for cap in way.caps]
    caps: dict[int, list[tuple[int, int]]] = {}
    for c, cap in enumerate(way.caps):
        for y, weight in zip(cap.entries, cap.weights, strict=True):
            caps.setdefault(y, []).append((c, weight))
    flat = [(place, i) for place, mine in enumerate(open_of) for i in range(len(mine))]

    def fill(at: int, missing: int) -> Iterator[list[int]]:
        if at == len(flat):
            yield counts
            return
        place, i = flat[at]
        y = open_of[place][i]
        last = i == len(open_of[place]) - 1
        most = min([missing, *(room[c] // weight for c, weight in caps.get(y, ()))])
        for n in range(most, -1 if not last else missing - 1, -1):
            counts[y] = n
            for c, weight in caps.get(y, ()):
                room[c] -= n * weight
            after = missing - n
            if last and at + 1 < len(flat):
                after = way.choices[flat[at + 1][0]][1]
            yield from fill(at + 1, after)
            for c, weight in caps.get(y, ()):
                room[c] += n * weight
        counts[y] = 0

    yield from fill(0, way.choices[flat[0][0]][1] if flat else 0)
