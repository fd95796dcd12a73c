"""CPLEX LP format, in the part of it that HiGHS and CBC both read.

Brackets mean squares there, so the index stands in parentheses: ``x(3)``, ``gang.minimum(0)``. A
row with two different finite sides is two rows, ``name.low`` and ``name.high``; each bound has a
line of its own (CBC refuses ``0 <= x <= 1``). A constant of the objective is a number at its end.
A row that is open on both sides says nothing and is left out, with a comment.
"""

import os
from collections.abc import Iterator

import numpy as np

from gangplan.files import whole_text
from gangplan.models.arrays import Floats, Ints
from gangplan.models.milp import Milp
from gangplan.solvers.export.mps import check_sides
from gangplan.solvers.export.names import column_names, row_names
from gangplan.solvers.export.numbers import texts

TERMS = 6
"""Terms a line: some readers cut a line at 510 characters."""


def write_lp(milp: Milp, path: str | os.PathLike[str]) -> None:
    """Write the model as ``path``.

    Raises
    ------
    FormulationError : a row or column whose lower end is above its upper end.
    InputError : the path cannot be written, or the disk is full.
    """
    check_sides(milp)
    columns = column_names(milp, "()")
    with whole_text(path, "ascii") as stream:
        for section in (
            ["\\ gangplan", "Minimize"],
            _objective(milp, columns),
            ["Subject To"],
            _rows(milp, columns),
            ["Bounds"],
            _bounds(milp, columns),
            _integers(milp, columns),
            ["End"],
        ):
            stream.write("".join(f"{line}\n" for line in section))


def _objective(milp: Milp, columns: list[str]) -> Iterator[str]:
    used = np.flatnonzero(milp.cost)
    terms = _terms(milp.cost[used], used, columns)
    if not terms and columns:
        terms = [f"+ 0 {columns[0]}"]
    if milp.offset:
        terms.append(f"{'-' if milp.offset < 0 else '+'} {abs(milp.offset)}")
    yield f" cost: {_wrapped(terms)}"


def _rows(milp: Milp, columns: list[str]) -> Iterator[str]:
    matrix = milp.matrix
    terms = _terms(matrix.data, matrix.indices.astype(np.int64), columns)
    start = matrix.indptr.tolist()
    has_low, has_high = np.isfinite(milp.row_lower).tolist(), np.isfinite(milp.row_upper).tolist()
    low = texts(np.where(np.isfinite(milp.row_lower), milp.row_lower, 0))
    high = texts(np.where(np.isfinite(milp.row_upper), milp.row_upper, 0))
    for i, name in enumerate(row_names(milp, "()")):
        mine = terms[start[i] : start[i + 1]]
        if not mine and columns:
            mine = [f"+ 0 {columns[0]}"]
        body = _wrapped(mine)
        if has_low[i] and has_high[i] and low[i] == high[i]:
            yield f" {name}: {body} = {low[i]}"
        elif has_low[i] and has_high[i]:
            yield f" {name}.low: {body} >= {low[i]}"
            yield f" {name}.high: {body} <= {high[i]}"
        elif has_low[i]:
            yield f" {name}: {body} >= {low[i]}"
        elif has_high[i]:
            yield f" {name}: {body} <= {high[i]}"
        else:
            yield f"\\ {name} is open on both sides"


def _terms(coefs: Floats, cols: Ints, columns: list[str]) -> list[str]:
    signs = np.where(coefs < 0, "-", "+").tolist()
    sizes = texts(np.abs(coefs))
    return [
        f"{sign} {columns[j]}" if size == "1" else f"{sign} {size} {columns[j]}"
        for sign, size, j in zip(signs, sizes, cols.tolist(), strict=True)
    ]


def _wrapped(terms: list[str]) -> str:
    if len(terms) <= TERMS:
        return " ".join(terms)
    return "\n  ".join(" ".join(terms[i : i + TERMS]) for i in range(0, len(terms), TERMS))


def _bounds(milp: Milp, columns: list[str]) -> Iterator[str]:
    finite_low, finite_high = np.isfinite(milp.lower), np.isfinite(milp.upper)
    low = texts(np.where(finite_low, milp.lower, 0))
    high = texts(np.where(finite_high, milp.upper, 0))
    fixed = (milp.lower == milp.upper).tolist()
    for j, name in enumerate(columns):
        if fixed[j]:
            yield f" {name} = {low[j]}"
            continue
        yield f" {name} >= {low[j]}" if finite_low[j] else f" {name} >= -inf"
        if finite_high[j]:
            yield f" {name} <= {high[j]}"


def _integers(milp: Milp, columns: list[str]) -> Iterator[str]:
    used = np.flatnonzero(milp.integer).tolist()
    if used:
        yield "General"
        yield from (f" {columns[j]}" for j in used)
