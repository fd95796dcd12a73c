"""Asking a solver: its time, Ctrl-C, whatever it raises, and an answer that has the right types.

What the answer is worth is for ``search`` to judge.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Real

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.errors import PlanError, SolverError
from gangplan.models.folding import Folded
from gangplan.models.milp import Milp
from gangplan.solvers.base import Interrupted, Limits, Outcome, Solver, Stop
from gangplan.solvers.claims import checked_point
from gangplan.solvers.second import Way, doubted

LEAST_SECONDS = 0.005
"""No solver is started for less."""

FAILURES = 2
"""After so many failures a solver is not asked again."""

Fold = Callable[[Milp], Folded | None]
"""A smaller model with the same bound, if there is one (``Writing.fold``)."""

LONGEST = 1_000
"""Characters of a solver's own words that are kept."""


@dataclass(slots=True)
class Asking:
    """One solver, and others that are asked about what it says.

    Attributes
    ----------
    warnings, seconds : what happened, for the user; phases ``bound``, ``search`` and
        ``again`` (an answer that was wrong, asked for once more).
    interrupted : Ctrl-C ended a solve; what that had found is taken, and nothing more is asked.
    fold : how models get smaller before they are searched.
    crash : why the last ``first`` failed; empty where it did not.
    """

    solver: Solver
    limits: Limits
    warnings: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    fold: Fold | None = None
    interrupted: bool = False
    crash: str = ""
    _failures: int = 0

    def open(self, until: float) -> bool:
        """Tell whether a solver may still be asked, and has time to answer."""
        return not self.interrupted and until - time.monotonic() >= LEAST_SECONDS

    def first(
        self, milp: Milp, until: float, phase: str, start: Ints | None = None
    ) -> Outcome | None:
        """Solve until then; None where there is no time, or the solver failed (too often).

        A failure is only written down (``crash``): whoever asks decides whether to ask again.
        """
        self.crash = ""
        if not self.open(until) or self._failures >= FAILURES:
            return None
        limits = replace(self.limits, seconds=until - time.monotonic())
        begin = time.monotonic()
        try:
            outcome = asked(self.solver, milp, limits, start, self.fold)
        except KeyboardInterrupt as stop:
            self.interrupted = True
            if not isinstance(stop, Interrupted):
                return None
            outcome = stop.outcome
        except (SystemExit, GeneratorExit):
            raise  # an order to this process, not an answer
        except BaseException as error:  # panics of other languages are no Exception
            self._failures += 1
            self.crash = f"the solver failed, its last plan and bounds are kept: {said(error)}"
            return None
        finally:
            self._clock(phase, begin)
        if outcome.overshoot > 1:
            self.warn(f"{self.solver.name} ran {outcome.overshoot:.1f} s past its limit")
        if "start not used" in outcome.message:
            self.warn(f"{self.solver.name}: {outcome.message}")
        return outcome

    def mended(self) -> None:
        """Another way gave what the crash of ``first`` withheld: it counts as no failure."""
        if self.crash:
            self._failures -= 1

    def other(
        self,
        way: Way,
        milp: Milp,
        seconds: float,
        start: Ints | None,
        what: str,
        phase: str = "search",
    ) -> Outcome | None:
        """Solve another way, with another seed; None where it failed, and no ``what``."""
        begin = time.monotonic()
        try:
            return asked(way.solver, milp, doubted(self.limits, seconds), start, self.fold)
        except KeyboardInterrupt:
            self.interrupted = True
            return None
        except (SystemExit, GeneratorExit):
            raise
        except BaseException as error:
            self.warn(f"no {what} by {way.how}: {said(error)}")
            return None
        finally:
            self._clock(phase, begin)

    def warn(self, text: str) -> None:
        """Tell the user, in one line and without what would move a terminal's cursor."""
        line = " ".join(text.split())
        self.warnings.append("".join(c if c.isprintable() else "?" for c in line))

    def _clock(self, phase: str, begin: float) -> None:
        self.seconds[phase] = self.seconds.get(phase, 0.0) + time.monotonic() - begin


def asked(
    solver: Solver,
    milp: Milp,
    limits: Limits,
    start: Ints | None = None,
    fold: Fold | None = None,
) -> Outcome:
    """Solve, and return an answer of which every field has its type.

    Where a search can be folded, the folded model is solved; where its point cannot be spread over
    the columns again, the model itself after that, in the time that is left.

    Raises
    ------
    SolverError : it is no Outcome, or one that cannot be read; else whatever the solver raises.
    """
    smaller = fold(milp) if fold is not None and milp.integer.any() else None
    try:
        if smaller is None:
            return _typed(solver.solve(milp, limits, start=start), solver.name)
        begin = time.monotonic()
        first = None if start is None else smaller.gathered(start)
        answer = _typed(solver.solve(smaller.milp, limits, start=first), solver.name)
        outcome = _spread(milp, smaller, answer)
        left = limits.seconds - (time.monotonic() - begin)
        if outcome.x is not None or answer.x is None or left < LEAST_SECONDS:
            return outcome
        return asked(solver, milp, replace(limits, seconds=left), start)
    except Interrupted as stop:
        outcome = _typed(stop.outcome, solver.name)
        if smaller is not None and outcome.x is not None:
            outcome = _spread(milp, smaller, outcome)
        raise Interrupted(outcome) from stop


def _spread(milp: Milp, smaller: Folded, outcome: Outcome) -> Outcome:
    """Return the answer with the point of the model; without one where it breaks a row."""
    if outcome.x is None:
        return outcome
    try:
        folded = checked_point(smaller.milp, outcome.x)
    except PlanError as error:
        said_of = f"gave a point that failed its check: {error}"
        return replace(outcome, stop=Stop.ERROR, message=said_of)
    try:
        point = checked_point(milp, smaller.spread(folded).astype(np.float64))
    except PlanError:
        return replace(outcome, stop=Stop.NONE_FOUND, x=None, objective=None)
    return replace(outcome, x=point.astype(np.float64))


def said(error: BaseException) -> str:
    """Return the text of a SolverError; of anything else its type too."""
    return str(error) if isinstance(error, SolverError) else f"{type(error).__name__}: {error}"


def _typed(answer: object, name: str) -> Outcome:
    if not isinstance(answer, Outcome) or not isinstance(answer.stop, Stop):
        raise SolverError(f"{name}: answered {answer!r:.60}, which is no outcome")
    try:
        return replace(
            answer,
            x=_vector(answer.x),
            row_dual=_vector(answer.row_dual),
            objective=None if answer.objective is None else _number(answer.objective),
            bound=None if answer.bound is None else _number(answer.bound),
            overshoot=_number(answer.overshoot),
            limit=str(answer.limit),
            message=str(answer.message)[:LONGEST],
        )
    except (TypeError, ValueError, ArithmeticError) as error:
        raise SolverError(f"{name}: an outcome that cannot be read: {error}") from error


def _vector(values: object) -> Floats | None:
    if values is None:
        return None
    array = np.asarray(values)
    if array.dtype.kind not in "iufb":
        raise TypeError(f"a vector of {array.dtype}")
    return array.astype(np.float64)


def _number(value: object) -> float:
    if not isinstance(value, Real):
        raise TypeError(f"{value!r:.60} is no number")
    return float(value)
