"""What every backend is asked: is the start a point, when is the gap closed, is there a row."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.bound import step
from gangplan.models.milp import Milp
from gangplan.solvers.base import Outcome, Stop


def word_on_start(milp: Milp, start: Ints | None) -> str:
    """Say ``start used`` for a point of the model, else why not; empty without a start.

    Backends take broken starts without a word, drop them, or spend their time on mending them.
    """
    if start is None:
        return ""
    if start.shape != (milp.n_cols,):
        return f"start not used: {start.shape} is no point of {milp.n_cols} columns"
    if (start < milp.lower).any() or (start > milp.upper).any():
        return "start not used: it breaks a bound"
    broken = milp.violated_rows(start)
    if len(broken):
        return f"start not used: it breaks {milp.row_name(int(broken[0]))}"
    return "start used"


def absolute_gap(milp: Milp) -> float:
    """Return just below one step of the objective: a bound this near is a proof.

    ``claims.safe_bound`` takes 1e-6 of a bound off again, so that much more must be closed.
    """
    reach = float(np.abs(milp.cost) @ np.maximum(np.abs(milp.lower), np.abs(milp.upper)))
    return max(step(milp.cost) - 1e-3 - 2e-6 * reach, 0.0)


def without_entries(milp: Milp, said: str = "") -> Outcome | None:
    """Answer a model whose rows have no entries, which some libraries refuse; else None.

    Every column then goes to its cheaper end, and every row has to allow zero.
    """
    if milp.matrix.nnz:
        return None
    if (milp.row_lower > 0).any() or (milp.row_upper < 0).any():
        return Outcome(Stop.INFEASIBLE, message=joined("no entries", said))
    x = np.where(milp.cost < 0, milp.upper, milp.lower)
    worth = float(milp.cost @ x)
    is_lp = not milp.integer.any()
    return Outcome(
        Stop.OPTIMAL,
        x=x,
        objective=worth,
        bound=None if is_lp else worth,
        row_dual=np.zeros(milp.n_rows) if is_lp else None,
        message=joined("no entries", said),
    )


def without_columns(milp: Milp, said: str = "") -> Outcome | None:
    """Answer a model without columns; None where it has any."""
    return None if milp.n_cols else without_entries(milp, said)


def joined(word: str, said: str) -> str:
    """Join a status word and what was said of the start."""
    return f"{word}; {said}" if said else word


def read_status(
    table: Mapping[str, tuple[Stop, str]], word: str, has_point: bool
) -> tuple[Stop, str]:
    """Translate a library's status word; unknown words are ERROR, and so is a proof of no point.

    Parameters
    ----------
    table : word -> (stop, limit); FEASIBLE turns into NONE_FOUND without a point.
    """
    stop, limit = table.get(word, (Stop.ERROR, ""))
    if has_point:
        return stop, limit
    if stop is Stop.OPTIMAL:
        return Stop.ERROR, ""
    return (Stop.NONE_FOUND, limit) if stop is Stop.FEASIBLE else (stop, limit)


def never_worse(milp: Milp, outcome: Outcome, start: Ints | None) -> Outcome:
    """Return the outcome, with the start in place of no point or a worse one at a limit.

    ``start`` is what the backend was given; one that is no point of the model never stands in.
    """
    at_limit = outcome.stop in (Stop.FEASIBLE, Stop.NONE_FOUND)
    if start is None or not at_limit or word_on_start(milp, start) != "start used":
        return outcome
    x = start.astype(np.float64)
    worth = float(milp.cost @ x)
    if outcome.objective is not None and outcome.objective <= worth:
        return outcome
    message = f"{outcome.message}; nothing better than the start"
    return replace(outcome, stop=Stop.FEASIBLE, x=x, objective=worth, message=message)


def is_another_point(milp: Milp, outcome: Outcome) -> bool:
    """Tell whether the point is not the one whose objective is claimed."""
    if outcome.x is None or outcome.objective is None:
        return False
    off = abs(float(milp.cost @ outcome.x) - outcome.objective)
    return off > 1e-6 * max(1.0, abs(outcome.objective))
