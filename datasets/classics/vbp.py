"""Vector bin packing (Vectorpack; Mommessin et al., Computers & Operations Research 2024)."""

import tarfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gangplan.datasets.classics.numbers import Numbers, numbers_of
from gangplan.datasets.traces.folder import Public
from gangplan.models.arrays import Ints
from gangplan.models.errors import Fault, InputError
from gangplan.models.milp import Columns, Milp, build, row_block

PUBLIC = Public(
    "vector-bin-packing/vbp_subset.tar.gz", "Vectorpack/experiments_vector_paper", "data"
)
"""An archive of ``BENCHMARK/NAME.vbp`` files; names repeat across benchmarks."""

MOST = 2**24
"""Bytes of the largest file read from an archive; a small archive may unpack to anything."""


@dataclass(frozen=True, slots=True, eq=False)
class Packing:
    """Kinds of items t in 0..T-1, dimensions i in 0..I-1.

    Attributes
    ----------
    capacity : (I,) of every bin.
    size : (T, I), never above the capacity.
    demand : (T,) copies of each kind.
    """

    capacity: Ints
    size: Ints
    demand: Ints


def read(path: Path) -> Packing:
    """Read the dimensions, the capacities, and each kind's sizes and demand.

    Raises
    ------
    InputError : the file and line of what is wrong.
    """
    return _packing(numbers_of(path))


def read_member(archive: Path, name: str) -> Packing:
    """Read a file of an archive in .tar.gz.

    Raises
    ------
    InputError : no such archive or file in it, or as ``read``.
    """
    try:
        with tarfile.open(archive, "r:gz") as files:
            member = files.extractfile(name)
            text = b"" if member is None else member.read(MOST + 1)
        if len(text) > MOST:
            raise InputError([Fault(str(archive), name, "", f"more than {MOST:,} bytes")])
        return _packing(Numbers(text.decode("ascii"), f"{archive}:{name}"))
    except (OSError, EOFError, zlib.error, tarfile.TarError, KeyError, ValueError) as error:
        # Torn or damaged archives end in any of these; ValueError has the text that is no ASCII.
        message = f"cannot be read: {error.args[0] if error.args else error}"
        raise InputError([Fault(str(archive), name, "", message)]) from None


def _packing(numbers: Numbers) -> Packing:
    dimensions = numbers.whole("the number of dimensions", 1, 1000)
    capacity = numbers.wholes(dimensions, "a capacity", 1)
    kinds = numbers.whole("the number of kinds of items", 1, 100_000)
    size, demand = [], []
    for _ in range(kinds):
        size.append([numbers.whole("a size", 0, most) for most in capacity])
        demand.append(numbers.whole("a demand", 1, 100_000))
    numbers.end()
    return Packing(*(np.array(column, dtype=np.int64) for column in (capacity, size, demand)))


def first_fit(packing: Packing) -> int:
    """Return the bins that first fit uses, largest items first: an upper bound."""
    large = (packing.size / packing.capacity).sum(axis=1)
    left: list[Ints] = []
    for t in np.argsort(-large, kind="stable").tolist():
        for _ in range(int(packing.demand[t])):
            room = next((b for b in left if (packing.size[t] <= b).all()), None)
            if room is None:
                room = packing.capacity.copy()
                left.append(room)
            room -= packing.size[t]
    return len(left)


def to_milp(packing: Packing) -> Milp:
    """Write the assignment model over as many bins as first fit uses.

    ::

        min sum_b y_b,   sum_b x_tb = d_t,   sum_t s_ti x_tb <= c_i y_b,   y_b >= y_b+1

    Item t (in order) is looked for in bins 0 .. t alone where each kind has one copy: of equal
    bins, the one with the smallest item number comes first.
    """
    bins = first_fit(packing)
    kinds, dimensions = packing.size.shape
    columns = Columns()
    usable = np.ones((kinds, bins), dtype=np.int64)
    if (packing.demand == 1).all():
        usable = np.tri(kinds, bins, dtype=np.int64)
    x = columns.add("x", 0, usable * packing.demand[:, None]).cols
    y = columns.add("y", np.zeros(bins), 1).cols
    t, i, b = np.nonzero(np.broadcast_to(packing.size[:, :, None], (kinds, dimensions, bins)))
    row = i * bins + b
    i_all, b_all = (axis.ravel() for axis in np.indices((dimensions, bins)))
    room = row_block(
        "capacity.bin",
        np.concatenate([row, i_all * bins + b_all]),
        np.concatenate([x[t, b], y[b_all]]),
        np.concatenate([packing.size[t, i], -packing.capacity[i_all]]),
        -np.inf,
        0,
        dimensions * bins,
    )
    kind = np.broadcast_to(np.arange(kinds)[:, None], x.shape)
    once = row_block("assign.demand", kind, x, 1, packing.demand, packing.demand, kinds)
    step = np.arange(bins - 1)
    order = row_block(
        "order.bins",
        np.concatenate([step, step]),
        np.concatenate([y[:-1], y[1:]]),
        np.repeat([1, -1], bins - 1),
        0,
        np.inf,
        bins - 1,
    )
    cost = np.zeros(columns.count)
    cost[y] = 1
    return build(columns, [once, room, order]).with_cost(cost)
