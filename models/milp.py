"""Sparse standard form: what every formulation writes and every solver reads.

    minimise  cost' x + offset
    subject to  row_lower <= A x <= row_upper,   lower <= x <= upper,   x_j integer for j in J

Every column is bounded (no backend then reports "unbounded", and safe dual bounds exist), and all
data are integers that a float64 holds exactly (|a| <= 2**40 after scaling, see ``check_exact``).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from scipy import sparse

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.errors import FormulationError

INFINITY = float("inf")

BIGGEST = 2**40
"""Largest magnitude of a coefficient or finite right side."""


@dataclass(frozen=True, slots=True, eq=False)
class VarBlock:
    """A named block of integer columns.

    Attributes
    ----------
    name : ``x``, ``y``, ...
    cols : column numbers, any shape.
    """

    name: str
    cols: Ints


@dataclass(frozen=True, slots=True, eq=False)
class RowBlock:
    """A named block of rows in coordinate form; row numbers are local to the block.

    Attributes
    ----------
    name : ``family.rule``.
    row, col, coef : (nnz,) entries; duplicates are summed.
    lower, upper : (m,) sides; -inf / inf where open.
    about : (m, any) index numbers of each row (the indices its equation is stated for).
    """

    name: str
    row: Ints
    col: Ints
    coef: Ints
    lower: Floats
    upper: Floats
    about: Ints | None = None


@dataclass(slots=True)
class Columns:
    """Collects column blocks while a model is written; the only mutable part of a build."""

    lower: list[Ints] = field(default_factory=list)
    upper: list[Ints] = field(default_factory=list)
    blocks: dict[str, VarBlock] = field(default_factory=dict)
    count: int = 0

    def add(self, name: str, lower: npt.ArrayLike, upper: npt.ArrayLike) -> VarBlock:
        """Append a block of integer columns with the given bounds (same shape, finite)."""
        low = np.asarray(lower, dtype=np.int64)
        high = np.asarray(upper, dtype=np.int64)
        low, high = np.broadcast_arrays(low, high)
        if name in self.blocks:
            raise FormulationError(f"column block {name!r} written twice")
        if (low > high).any():
            raise FormulationError(f"column block {name!r}: a lower bound above its upper bound")
        cols = np.arange(self.count, self.count + low.size, dtype=np.int64).reshape(low.shape)
        self.lower.append(low.ravel())
        self.upper.append(high.ravel())
        self.count += low.size
        block = VarBlock(name, cols)
        self.blocks[name] = block
        return block


@dataclass(frozen=True, slots=True, eq=False)
class Milp:
    """A mixed-integer program in sparse standard form, always to be minimised.

    Attributes
    ----------
    cost, lower, upper : (n,) float64 with integral values.
    integer : (n,) bool.
    matrix : (m, n) CSR, integral values.
    row_lower, row_upper : (m,).
    offset : constant added to the objective, outside the solver.
    col_blocks, row_blocks : name -> first and last-plus-one number; in order.
    """

    cost: Floats
    lower: Floats
    upper: Floats
    integer: Flags
    matrix: sparse.csr_array
    row_lower: Floats
    row_upper: Floats
    offset: int = 0
    col_blocks: dict[str, tuple[int, int]] = field(default_factory=dict)
    row_blocks: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def n_cols(self) -> int:
        """Number of columns n."""
        return len(self.cost)

    @property
    def n_rows(self) -> int:
        """Number of rows m."""
        return len(self.row_lower)

    def with_cost(self, cost: npt.ArrayLike, offset: int = 0) -> "Milp":
        """Return the same rows under another objective."""
        return replace(self, cost=np.asarray(cost, dtype=np.float64), offset=offset)

    def with_rows(self, block: RowBlock) -> "Milp":
        """Return the model with one more row block."""
        extra = _matrix([block], self.n_cols)
        rows = dict(self.row_blocks)
        rows[block.name] = (self.n_rows, self.n_rows + len(block.lower))
        return replace(
            self,
            matrix=sparse.csr_array(sparse.vstack([self.matrix, extra], format="csr")),
            row_lower=np.concatenate([self.row_lower, block.lower]),
            row_upper=np.concatenate([self.row_upper, block.upper]),
            row_blocks=rows,
        )

    def relaxed(self) -> "Milp":
        """Return the linear relaxation."""
        return replace(self, integer=np.zeros(self.n_cols, dtype=np.bool_))

    def row_name(self, number: int) -> str:
        """``family.rule[i]`` of a row; for people only, never parsed."""
        for name, (start, end) in self.row_blocks.items():
            if start <= number < end:
                return f"{name}[{number - start}]"
        raise FormulationError(f"no row {number}")

    def violated_rows(self, x: Ints) -> Ints:
        """Rows that the integer point ``x`` (n,) breaks, in exact integer arithmetic."""
        activity = self.matrix.astype(np.int64) @ x
        return np.flatnonzero((activity < self.row_lower) | (activity > self.row_upper))

    def digest(self) -> str:
        """SHA-256 of the cost, columns, rows and offset; block names are for people and left out.

        Entries are taken row by row, columns ascending, without explicit zeros, so that equal
        models have equal digests on every machine.
        """
        matrix = sparse.csr_array(self.matrix, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        columns = (
            [self.n_rows, self.n_cols, self.offset],
            matrix.indptr,
            matrix.indices,
            self.integer,
        )
        reals = (matrix.data, self.cost, self.lower, self.upper, self.row_lower, self.row_upper)
        total = hashlib.sha256()
        for whole in columns:
            total.update(np.ascontiguousarray(whole, dtype="<i8").tobytes())
        for real in reals:
            # Adding 0.0 turns -0.0 into 0.0.
            total.update((np.ascontiguousarray(real, dtype="<f8") + 0.0).tobytes())
        return total.hexdigest()

    def objective(self, x: Ints) -> int:
        """Exact objective of the integer point ``x``, offset included."""
        used = np.flatnonzero(x)
        return self.offset + sum(int(self.cost[j]) * int(x[j]) for j in used)


def build(columns: Columns, rows: Sequence[RowBlock]) -> Milp:
    """Assemble blocks into one model with zero cost.

    Raises
    ------
    FormulationError : a number above BIGGEST, or a row block written twice.
    """
    starts: dict[str, tuple[int, int]] = {}
    at = 0
    for block in rows:
        if block.name in starts:
            raise FormulationError(f"row block {block.name!r} written twice")
        check_exact(block)
        starts[block.name] = (at, at + len(block.lower))
        at += len(block.lower)
    none = np.zeros(0)
    first = 0
    cols: dict[str, tuple[int, int]] = {}
    for name, var in columns.blocks.items():
        cols[name] = (first, first + var.cols.size)
        first += var.cols.size
    return Milp(
        cost=np.zeros(columns.count),
        lower=np.concatenate([none, *columns.lower]).astype(np.float64),
        upper=np.concatenate([none, *columns.upper]).astype(np.float64),
        integer=np.ones(columns.count, dtype=np.bool_),
        matrix=_matrix(rows, columns.count),
        row_lower=np.concatenate([none, *(b.lower for b in rows)]),
        row_upper=np.concatenate([none, *(b.upper for b in rows)]),
        col_blocks=cols,
        row_blocks=starts,
    )


def check_exact(block: RowBlock) -> None:
    """Refuse, by name, a block whose numbers a solver in floating point cannot hold exactly."""
    sides = np.concatenate([block.lower, block.upper])
    sides = sides[np.isfinite(sides)]
    for values in (block.coef, sides):
        if values.size and float(np.abs(values).max()) > BIGGEST:
            raise FormulationError(f"{block.name}: a number above 2^40 cannot be solved exactly")
    if (sides != np.round(sides)).any():
        raise FormulationError(f"{block.name}: a side that is not integral")


def row_block(
    name: str,
    row: npt.ArrayLike,
    col: npt.ArrayLike,
    coef: npt.ArrayLike,
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
    n_rows: int,
    about: Ints | None = None,
) -> RowBlock:
    """Make a RowBlock; scalars for ``coef``, ``lower`` and ``upper`` are spread."""
    r = np.asarray(row, dtype=np.int64).ravel()
    c = np.asarray(col, dtype=np.int64).ravel()
    v = np.broadcast_to(np.asarray(coef, dtype=np.int64), r.shape)
    low = np.broadcast_to(np.asarray(lower, dtype=np.float64), (n_rows,))
    high = np.broadcast_to(np.asarray(upper, dtype=np.float64), (n_rows,))
    return RowBlock(name, r, c, v, low, high, about)


def _matrix(rows: Sequence[RowBlock], n_cols: int) -> sparse.csr_array:
    at = np.cumsum([0, *(len(b.lower) for b in rows)])
    none = np.zeros(0, dtype=np.int64)
    row = np.concatenate([none, *(b.row + s for b, s in zip(rows, at, strict=False))])
    col = np.concatenate([none, *(b.col for b in rows)])
    coef = np.concatenate([none, *(b.coef for b in rows)]).astype(np.float64)
    shape = (int(at[-1]), n_cols)
    matrix = sparse.csr_array(sparse.coo_array((coef, (row, col)), shape=shape))
    matrix.sum_duplicates()
    return matrix
