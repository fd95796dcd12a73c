"""Any solver in a watched process of its own: what crashes, hangs or overshoots dies there."""

import pickle
import time
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.errors import SolverError
from gangplan.models.milp import Milp
from gangplan.solvers.backends import wire
from gangplan.solvers.backends.asked import never_worse
from gangplan.solvers.backends.workers import Worker, keep, take
from gangplan.solvers.base import (
    Centred,
    Doubtable,
    Interrupted,
    Limits,
    Outcome,
    Solver,
    Stop,
    relaxes,
)

GRACE = 0.5
"""Seconds past the limit before the kill; freeing the memory of a big solve takes its time too."""

KILLED = Outcome(Stop.NONE_FOUND, limit="time", message="killed at the limit")
"""Of a solver that had reported nothing."""


@dataclass(frozen=True, slots=True)
class Watched:
    """Runs ``solver`` in a child process and kills it at limit + grace.

    Attributes
    ----------
    solver : any picklable Solver whose module the child can import.
    grace : seconds past the limit before the kill.
    """

    solver: Solver
    grace: float = GRACE

    @property
    def name(self) -> str:
        """Return the name of the solver inside."""
        return self.solver.name

    @property
    def relaxes(self) -> bool:
        """Return what the solver inside says."""
        return relaxes(self.solver)

    def second(self) -> Solver | None:
        """Return the watched solver of a second opinion; None where the one inside has none."""
        other = self.solver.second() if isinstance(self.solver, Doubtable) else None
        return None if other is None else replace(self, solver=other)

    def centred(self) -> Solver | None:
        """Return the watched solver of centred duals; None where the one inside has none."""
        other = self.solver.centred() if isinstance(self.solver, Centred) else None
        return None if other is None else replace(self, solver=other)

    def prestart(self, threads: int = 1) -> None:
        """Start a worker ahead of the first solve; its imports then run beside the model build."""
        with suppress(SolverError):  # the solve says it
            keep(take(threads))

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        """Solve in the child; the clock runs from the hand-over to a worker that is ready.

        A child killed at the limit gives back the best point that it had streamed, or the start.

        Raises
        ------
        SolverError : the child crashed, ran out of memory or could not be started; the text ends
            with the last lines it wrote.
        Interrupted : Ctrl-C; it carries the same point, and the child is gone.
        """
        talk = _Talk(self.name, milp)
        worker = take(limits.threads)
        try:
            worker.wait_ready()
            begin = time.monotonic()
            job = _job(self.solver, milp, limits, start, begin)
            with worker.killed_at(begin + limits.seconds + self.grace):
                worker.send(job)
                outcome = talk.answer(worker)
        except KeyboardInterrupt as error:
            worker.kill()
            best = replace(talk.best, limit="interrupt", message="interrupted")
            raise Interrupted(never_worse(milp, best, start)) from error
        except BaseException:
            worker.kill()
            raise
        over = max(0.0, time.monotonic() - begin - limits.seconds)
        if worker.timed_out:
            outcome = replace(never_worse(milp, outcome, start), peak_memory=worker.peak)
        keep(worker)
        return replace(outcome, overshoot=over)


def _job(
    solver: Solver, milp: Milp, limits: Limits, start: Ints | None, begin: float
) -> wire.Packed:
    try:
        return wire.pack((solver, milp, limits, start, begin))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise SolverError(f"{solver.name} cannot be sent to a worker: {error}") from error


@dataclass(slots=True)
class _Talk:
    """What one solve has heard from its worker.

    Attributes
    ----------
    best : the last point that was streamed, as the outcome of a solve that went no further.
    """

    name: str
    milp: Milp
    best: Outcome = KILLED

    def answer(self, worker: Worker) -> Outcome:
        """Read messages up to the outcome; the last streamed point stands in after a kill."""
        while True:
            try:
                word, body = worker.receive()
            except SolverError as error:
                if worker.timed_out:
                    return self.best
                raise SolverError(f"{self.name}: {error}") from error
            if word == "point":
                x, bound = self._point(body)
                self.best = Outcome(
                    Stop.FEASIBLE,
                    x=x,
                    objective=float(self.milp.cost @ x),
                    bound=bound,
                    limit="time",
                    message="killed at the limit; the last point it had reported",
                )
            elif word == "failed":
                own = f"{self.name}: "  # said already by an error of the solver itself
                raise SolverError(own + str(body).removeprefix(own))
            elif word == "done" and isinstance(body, Outcome):
                return body
            else:
                raise SolverError(f"{self.name}: the worker said {word!r}")

    def _point(self, body: object) -> tuple[Floats, float | None]:
        match body:
            case (np.ndarray() as x, float() | None as bound):
                if x.shape == (self.milp.n_cols,) and x.dtype == np.float64:
                    return x, bound
        raise SolverError(f"{self.name}: streamed what is no point of {self.milp.n_cols} columns")
