"""What CBC wrote, read: the first line of its solution file whole, and the bound in its log."""

import re
from dataclasses import dataclass
from typing import TextIO

import numpy as np

from gangplan.models.arrays import Floats
from gangplan.models.errors import SolverError
from gangplan.solvers.base import Stop

STATUS: dict[str, tuple[Stop, str]] = {
    "Optimal": (Stop.OPTIMAL, ""),
    "Optimal (within gap tolerance)": (Stop.OPTIMAL, ""),
    "Infeasible": (Stop.INFEASIBLE, ""),
    "Integer infeasible": (Stop.INFEASIBLE, ""),
    "Unbounded": (Stop.ERROR, ""),
    "Stopped on time": (Stop.FEASIBLE, "time"),
    "Stopped on iterations": (Stop.FEASIBLE, "iterations"),
    "Stopped on nodes": (Stop.FEASIBLE, "nodes"),
    "Stopped on solutions": (Stop.FEASIBLE, "solutions"),
    "Stopped on ctrl-c": (Stop.FEASIBLE, "interrupt"),
    "Stopped on difficulties": (Stop.ERROR, ""),
    "Status unknown": (Stop.ERROR, ""),
}
"""What stands before `` - objective value`` -> (stop, limit); anything else is an ERROR. Our models
are bounded, so "unbounded" is an error of the backend."""

NO_POINT = (
    " (no integer solution - continuous used)",
    " (LP relaxation not completed - no integer solution)",
)
"""Said behind a status where the values that follow are those of a relaxation: never a point."""

PROVED_EARLY = "infeasibility proved"
"""In the log of 2.935 where tightening bounds settles a linear program: its status is "unknown"."""

PRINTED = 5e-6
"""Relative error of a number that the log prints with six digits."""

_FIRST = re.compile(r"(?P<word>.*?)(?: - objective value +(?P<value>\S+))?")
_BOUND = re.compile(r"^Lower bound: +(\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """A solution file.

    Attributes
    ----------
    stop, limit : the status; FEASIBLE only with a point.
    word : the status as it was written.
    objective : as it was written, or None.
    x : (n,) what was written, or None where it is no point.
    row_dual : (m,) multipliers, zero where none was written.
    flagged : values that CBC itself marks as outside their bounds.
    """

    stop: Stop
    limit: str
    word: str
    objective: float | None
    x: Floats | None
    row_dual: Floats
    flagged: int


def read_status(line: str) -> tuple[Stop, str, str, float | None]:
    """Translate the first line of a solution file: stop, limit, word, objective."""
    found = _FIRST.fullmatch(line.strip())
    word = line.strip() if found is None else found["word"]
    value = None if found is None else found["value"]
    for ending in NO_POINT:
        if word.endswith(ending):
            stop, limit = STATUS.get(word.removesuffix(ending), (Stop.ERROR, ""))
            # A relaxation is not even an answer where CBC says that it has finished.
            return (Stop.NONE_FOUND if stop is Stop.FEASIBLE else Stop.ERROR), limit, word, None
    stop, limit = STATUS.get(word, (Stop.ERROR, ""))
    try:
        return stop, limit, word, None if value is None else float(value)
    except ValueError:
        return Stop.ERROR, limit, line.strip(), None


def read_answer(stream: TextIO, n_cols: int, n_rows: int) -> Answer | None:
    """Read a solution file whose columns are ``x0``, ``x1``, ... and rows ``r0``, ...

    Returns
    -------
    None where nothing was written.

    Raises
    ------
    SolverError : a line that is not ``number name value multiplier``.
    """
    first = stream.readline()
    if not first.strip():
        return None
    stop, limit, word, objective = read_status(first)
    body = stream.read()
    flagged = body.count("**")
    tokens = body.replace("**", "  ").split()
    names, values, duals = tokens[1::4], tokens[2::4], tokens[3::4]
    x, row_dual = np.zeros(n_cols), np.zeros(n_rows)
    try:
        for name, value, dual in zip(names, values, duals, strict=True):
            if name[0] == "x":
                x[int(name[1:])] = float(value)
            elif name[0] == "r":
                row_dual[int(name[1:])] = float(dual)
            else:
                raise ValueError(name)
    except (ValueError, IndexError) as error:
        raise SolverError(f"cbc: a solution file that cannot be read: {error}") from error
    has_point = stop in (Stop.OPTIMAL, Stop.FEASIBLE) and bool(np.isfinite(x).all())
    if stop in (Stop.OPTIMAL, Stop.FEASIBLE) and not has_point:
        raise SolverError(f"cbc: {word}, with a value that is no number")
    return Answer(
        stop,
        limit,
        word,
        objective if has_point else None,
        x if has_point else None,
        row_dual,
        flagged,
    )


def read_bound(log: str) -> float | None:
    """Return the last lower bound that the log states, loosened by what printing cut off.

    Six digits (2.935) or three decimals (2.10) never carry a number past an integer below 1e6;
    above it the first are written with an exponent.
    """
    found = _BOUND.findall(log)
    if not found:
        return None
    try:
        bound = float(found[-1])
    except ValueError:
        return None
    if not np.isfinite(bound) or abs(bound) > 1e30:
        return None
    return bound - PRINTED * abs(bound) if "e" in found[-1] else bound
