"""Supply: the devices that one node reaches, up to the names of devices, counters and values.

Devices that share a counter or a value are one *part* of the node (a GPU with its partitions, a
PCIe root with what hangs on it). Parts are numbered so that parts that differ in names alone have
equal keys, and so have nodes: what is decided about one is decided about all like it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Key = tuple[int, ...]
"""Numbers of the parts of a node, sorted."""

_Row = tuple[
    int, bool, bool, tuple[tuple[int, int], ...], tuple[int, ...], tuple[tuple[int, int], ...]
]

Written = tuple[tuple[_Row, ...], tuple[int, ...]]
"""Devices of a part, with counters and values by first appearance; what its counters have left."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A device as a node sees it now.

    Attributes
    ----------
    number : device i.
    kind : equal for devices that fit, and are asked by, the same choices, and use equal amounts.
    free : a choice without adminAccess may take it; always so where ``multi``.
    draws : (counter, amount); none where its draws are charged already.
    pots : what is left of each.
    values : (attribute, value).
    """

    number: int
    kind: int
    free: bool
    multi: bool
    draws: tuple[tuple[int, int], ...] = ()
    pots: tuple[int, ...] = ()
    values: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Supply:
    """Numbered devices d of a node, part after part.

    Attributes
    ----------
    kind, free, multi, draws, pots, values : as in `Thing`, one an entry d; values are bits, by
        attribute.
    left : what is left of each counter.
    parts : (first d, end d, number) of each part; those with equal numbers are equal.
    """

    kind: tuple[int, ...]
    free: tuple[bool, ...]
    multi: tuple[bool, ...]
    draws: tuple[tuple[tuple[int, int], ...], ...]
    pots: tuple[tuple[int, ...], ...]
    values: tuple[dict[int, int], ...]
    left: tuple[int, ...]
    parts: tuple[tuple[int, int, int], ...]

    def __len__(self) -> int:
        """Return the number of devices."""
        return len(self.kind)


class Parts:
    """Numbers of parts; the costly half is done once for every part as it stands in a list."""

    def __init__(self) -> None:
        self._raw: dict[Written, tuple[int, tuple[int, ...]]] = {}
        self._number: dict[Written, int] = {}
        self._written: list[Written] = []

    def key(self, things: Sequence[Thing], left: Mapping[int, int]) -> tuple[Key, list[int]]:
        """Return the parts of a node, sorted, and its devices i in the order of its supply."""
        found = []
        for part in _split(things):
            raw = _write(part, left)
            known = self._raw.get(raw)
            if known is None:
                order = tuple(_ordered(part, left))
                known = self._numbered(_write([part[i] for i in order], left)), order
                self._raw[raw] = known
            found.append((known[0], [part[i].number for i in known[1]]))
        found.sort()
        return tuple(number for number, _ in found), [i for _, mine in found for i in mine]

    def _numbered(self, written: "Written") -> int:
        number = self._number.setdefault(written, len(self._written))
        if number == len(self._written):
            self._written.append(written)
        return number

    def size(self, part: int) -> int:
        """Return the number of devices of a part."""
        return len(self._written[part][0])

    def supply(self, key: Key) -> Supply:
        """Write out the supply that the parts of a node mean."""
        rows: list[_Row] = []
        values: list[dict[int, int]] = []
        draws: list[tuple[tuple[int, int], ...]] = []
        left: list[int] = []
        parts: list[tuple[int, int, int]] = []
        n_values: dict[int, int] = {}
        for part in key:
            things, counters = self._written[part]
            parts.append((len(rows), len(rows) + len(things), part))
            base = dict(n_values)
            for thing in things:
                rows.append(thing)
                draws.append(tuple((len(left) + c, amount) for c, amount in thing[3]))
                bits: dict[int, int] = {}
                for attribute, value in thing[5]:
                    at = base.get(attribute, 0) + value
                    bits[attribute] = bits.get(attribute, 0) | 1 << at
                    n_values[attribute] = max(n_values.get(attribute, 0), at + 1)
                values.append(bits)
            left += counters
        return Supply(
            tuple(row[0] for row in rows),
            tuple(row[1] for row in rows),
            tuple(row[2] for row in rows),
            tuple(draws),
            tuple(row[4] for row in rows),
            tuple(values),
            tuple(left),
            tuple(parts),
        )


def _split(things: Sequence[Thing]) -> list[list[Thing]]:
    """Cut into parts: devices with a counter or a value in common stay together."""
    leader = list(range(len(things)))

    def root(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    seen: dict[tuple[int, ...], int] = {}
    for i, thing in enumerate(things):
        marks: Iterable[tuple[int, ...]] = (*((c,) for c, _ in thing.draws), *thing.values)
        for mark in marks:
            leader[root(i)] = root(seen.setdefault(mark, i))
    parts: dict[int, list[Thing]] = {}
    for i, thing in enumerate(things):
        parts.setdefault(root(i), []).append(thing)
    return list(parts.values())


def _write(part: Sequence[Thing], left: Mapping[int, int]) -> Written:
    """Write a part down, counters and values by their first appearance."""
    counter: dict[int, int] = {}
    value: dict[int, dict[int, int]] = {}
    things = []
    for thing in part:
        draws = tuple((counter.setdefault(c, len(counter)), n) for c, n in thing.draws)
        values = []
        for attribute, v in thing.values:
            known = value.setdefault(attribute, {})
            values.append((attribute, known.setdefault(v, len(known))))
        things.append((thing.kind, thing.free, thing.multi, draws, thing.pots, tuple(values)))
    return tuple(things), tuple(left[c] for c in counter)


def _ordered(part: Sequence[Thing], left: Mapping[int, int]) -> list[int]:
    """Sort devices by what tells them apart, one round of refinement; then by number.

    Ties that are broken by number may give equal parts two keys, which costs a search, no more.
    """
    alone = [
        (t.kind, t.free, t.multi, tuple(sorted(n for _, n in t.draws)), t.pots, len(t.values))
        for t in part
    ]
    around: dict[tuple[int, ...], list[object]] = {}
    for t, mine in zip(part, alone, strict=True):
        for c, amount in t.draws:
            around.setdefault((c,), []).append((left[c], amount, mine))
        for mark in t.values:
            around.setdefault(mark, []).append((mark[0], 0, mine))
    for neighbours in around.values():
        neighbours.sort(key=repr)
    colour = [
        repr(
            (mine, sorted(repr(around[mark]) for mark in (*((c,) for c, _ in t.draws), *t.values)))
        )
        for t, mine in zip(part, alone, strict=True)
    ]
    return sorted(range(len(part)), key=lambda i: (colour[i], part[i].number))
