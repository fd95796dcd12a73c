"""Free-format MPS: what every solver reads, exactly.

Rows with two different finite sides are ``L`` rows with a range; a row that is open on both sides
is a further ``N`` row. The constant of the objective stands in the right sides as -offset, as
HiGHS, CBC, SCIP and CPLEX read it. Every column has an upper bound written: readers do not agree on
that of an integer column without any.
"""

import os
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from scipy import sparse

from gangplan.files import whole_text
from gangplan.models.arrays import Ints
from gangplan.models.errors import FormulationError
from gangplan.models.milp import Milp
from gangplan.solvers.export.names import column_names, row_names
from gangplan.solvers.export.numbers import texts

OBJECTIVE = "cost"
"""Name of the objective row; no row has it, theirs end in a bracket or a number."""


def write_mps(milp: Milp, path: str | os.PathLike[str]) -> None:
    """Write the model as ``path``; rows are ``family.rule[i]``, columns ``block[i]``.

    Raises
    ------
    FormulationError : a row or column whose lower end is above its upper end.
    InputError : the path cannot be written, or the disk is full.
    """
    with whole_text(path, "ascii") as stream:
        for text in mps_text(milp, column_names(milp), row_names(milp)):
            stream.write(text)


def mps_text(milp: Milp, columns: list[str], rows: list[str]) -> Iterator[str]:
    """Give the file section by section, under any names (n,) and (m,): unique, without blanks.

    Raises
    ------
    FormulationError : a row or column whose lower end is above its upper end.
    """
    check_sides(milp)
    for section in (
        ["NAME gangplan", "ROWS", f" N {OBJECTIVE}"],
        [f" {kind} {row}" for kind, row in zip(_kinds(milp), rows, strict=True)],
        ["COLUMNS"],
        _columns(milp, columns, rows),
        ["RHS"],
        _sides(milp, rows),
        ["RANGES"],
        _ranges(milp, rows),
        ["BOUNDS"],
        _bounds(milp, columns),
        ["ENDATA"],
    ):
        text = "\n".join(section)
        if text:
            yield text + "\n"


def check_sides(milp: Milp) -> None:
    """Raise FormulationError for a lower side or bound above its upper one: no file can say it."""
    crossed = np.flatnonzero(milp.row_lower > milp.row_upper)
    if len(crossed):
        raise FormulationError(
            f"{milp.row_name(int(crossed[0]))}: the lower side is above the upper"
        )
    crossed = np.flatnonzero(milp.lower > milp.upper)
    if len(crossed):
        raise FormulationError(f"column {int(crossed[0])}: the lower bound is above the upper")


def _kinds(milp: Milp) -> list[str]:
    low, high = np.isfinite(milp.row_lower), np.isfinite(milp.row_upper)
    kinds = np.select([milp.row_lower == milp.row_upper, high, low], ["E", "L", "G"], "N")
    return [str(kind) for kind in kinds.tolist()]


def _columns(milp: Milp, columns: list[str], rows: list[str]) -> list[str]:
    """Write entries column by column, between markers where the columns are integer."""
    by_column = sparse.csc_array(milp.matrix)
    used = np.diff(by_column.indptr) > 0
    priced = np.flatnonzero((milp.cost != 0) | ~used)  # a column without an entry is declared too
    col = np.concatenate([priced, np.repeat(np.arange(milp.n_cols), np.diff(by_column.indptr))])
    row = np.concatenate([np.zeros(len(priced), np.int64), 1 + by_column.indices.astype(np.int64)])
    value = np.concatenate([milp.cost[priced], by_column.data])
    order = np.argsort(col, kind="stable")
    names = [OBJECTIVE, *rows]
    entries = [
        f" {columns[j]} {names[i]} {v}"
        for j, i, v in zip(
            col[order].tolist(), row[order].tolist(), texts(value[order]), strict=True
        )
    ]
    first = np.searchsorted(col[order], np.arange(milp.n_cols + 1))
    lines: list[str] = []
    for number, (start, end, whole) in enumerate(_runs(milp)):
        marks = (f" m{number} 'MARKER' 'INTORG'", f" m{number} 'MARKER' 'INTEND'")
        lines += marks[:1] if whole else ()
        lines += entries[int(first[start]) : int(first[end])]
        lines += marks[1:] if whole else ()
    return lines


def _runs(milp: Milp) -> Iterator[tuple[int, int, bool]]:
    """Cut the columns where integer ones and others meet: first, last + 1, integer."""
    if not milp.n_cols:
        return
    cuts: Ints = np.flatnonzero(np.diff(milp.integer.astype(np.int8))) + 1
    ends = [0, *cuts.tolist(), milp.n_cols]
    for start, end in pairwise(ends):
        yield start, end, bool(milp.integer[start])


def _sides(milp: Milp, rows: list[str]) -> Iterator[str]:
    if milp.offset:
        yield f" RHS {OBJECTIVE} {-milp.offset}"
    side = np.where(np.isfinite(milp.row_upper), milp.row_upper, milp.row_lower)
    used = np.flatnonzero(np.isfinite(side) & (side != 0))
    for i, text in zip(used.tolist(), texts(side[used]), strict=True):
        yield f" RHS {rows[i]} {text}"


def _ranges(milp: Milp, rows: list[str]) -> Iterator[str]:
    both = np.isfinite(milp.row_lower) & np.isfinite(milp.row_upper)
    used = np.flatnonzero(both & (milp.row_lower != milp.row_upper))
    spans = texts(milp.row_upper[used] - milp.row_lower[used])
    for i, text in zip(used.tolist(), spans, strict=True):
        yield f" RANGES {rows[i]} {text}"


def _bounds(milp: Milp, columns: list[str]) -> Iterator[str]:
    """Write each upper bound, behind the lower one where that is not the 0 of every reader."""
    finite_low, finite_high = np.isfinite(milp.lower), np.isfinite(milp.upper)
    low, high = (
        texts(np.where(finite_low, milp.lower, 0)),
        texts(np.where(finite_high, milp.upper, 0)),
    )
    fixed = (milp.lower == milp.upper).tolist()
    zero = ((milp.lower == 0) & (milp.upper > 0)).tolist()
    for j, name in enumerate(columns):
        if fixed[j]:
            yield f" FX BOUNDS {name} {low[j]}"
            continue
        if not zero[j]:
            yield f" LO BOUNDS {name} {low[j]}" if finite_low[j] else f" MI BOUNDS {name}"
        yield f" UP BOUNDS {name} {high[j]}" if finite_high[j] else f" PL BOUNDS {name}"
