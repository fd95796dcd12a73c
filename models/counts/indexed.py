"""Column blocks that know what they stand for, and fast numbering of the rows of a block."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.milp import Columns, RowBlock, VarBlock


@dataclass(frozen=True, slots=True, eq=False)
class Indexed:
    """A block of columns with the index each of them is stated for.

    Attributes
    ----------
    block : the columns, one dimension.
    index : (n, i) index numbers of each column (a node; a rule and a domain; ...), sorted.
    """

    block: VarBlock
    index: Ints

    @property
    def cols(self) -> Ints:
        """(n,) column numbers."""
        return self.block.cols

    def __len__(self) -> int:
        """Return the number of columns."""
        return int(self.block.cols.size)

    def spread(self, size: int) -> Ints:
        """(size,) column of each index number of a block with one index; -1 where it has none."""
        found = np.full(size, -1, dtype=np.int64)
        found[self.index[:, 0]] = self.cols
        return found

    def find(self, first: Ints, second: Ints) -> Ints:
        """Columns of index pairs of a block with two indices; -1 where there is none."""
        if not len(self):
            return np.full(len(first), -1, dtype=np.int64)
        stride = int(max(self.index[:, 1].max(), second.max(initial=0))) + 1
        have = self.index[:, 0] * stride + self.index[:, 1]
        want = first * stride + second
        at = np.minimum(np.searchsorted(have, want), len(have) - 1)
        return np.where(have[at] == want, self.cols[at], -1)


def indexed(columns: Columns, name: str, index: Ints, upper: Ints | int) -> Indexed:
    """Append a block of columns 0..upper, one for each row of ``index`` (n, i)."""
    bound = np.broadcast_to(np.asarray(upper, dtype=np.int64), (len(index),))
    return Indexed(columns.add(name, np.zeros(len(index), dtype=np.int64), bound), index)


def nothing(name: str, width: int) -> Indexed:
    """Return an empty block: its family is off."""
    none = np.zeros(0, dtype=np.int64)
    return Indexed(VarBlock(name, none), none.reshape(0, width))


def numbered(key: Ints, size: int) -> tuple[Ints, Ints]:
    """Give each distinct key in 0..size-1 a number, as ``np.unique(return_inverse=True)`` does.

    A table of flags replaces the sort while ``size`` is within reach of the number of keys.

    Returns
    -------
    distinct : (m,) the keys that occur, ascending.
    number : (len(key),) position of each key in ``distinct``.
    """
    if size > 16 * len(key) + 2**20:
        distinct, number = np.unique(key, return_inverse=True)
        return distinct, number.astype(np.int64)
    seen = np.zeros(size, dtype=np.bool_)
    seen[key] = True
    distinct = np.flatnonzero(seen)
    place = np.zeros(size, dtype=np.int64)
    place[distinct] = np.arange(len(distinct))
    return distinct, place[key]


def stacked(name: str, blocks: Sequence[RowBlock]) -> RowBlock:
    """Join row blocks of one rule (one a level) into the block ``name``."""
    start = np.cumsum([0, *(len(block.lower) for block in blocks)])
    none = np.zeros(0, dtype=np.int64)
    about = [block.about for block in blocks if block.about is not None]
    return RowBlock(
        name,
        np.concatenate([none, *(b.row + s for b, s in zip(blocks, start, strict=False))]),
        np.concatenate([none, *(b.col for b in blocks)]),
        np.concatenate([none, *(b.coef for b in blocks)]),
        np.concatenate([np.zeros(0), *(b.lower for b in blocks)]),
        np.concatenate([np.zeros(0), *(b.upper for b in blocks)]),
        np.concatenate(about) if about else None,
    )


def joined(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Positions (i, j) with left[i] == right[j]."""
    order = np.argsort(right, kind="stable")
    start, end = (np.searchsorted(right[order], left, side=side) for side in ("left", "right"))
    count = end - start
    i = np.repeat(np.arange(len(left)), count)
    j = np.arange(int(count.sum())) - (np.cumsum(count) - count)[i] + start[i]
    return i, order[j]
