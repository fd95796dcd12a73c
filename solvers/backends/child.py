"""Any solver in a watched process of its own: what crashes, hangs or overshoots dies there."""

import pickle
import time
from dataclasses import dataclass, replace

from gangplan.models.arrays import Ints
from gangplan.models.errors import SolverError
from gangplan.models.milp import Milp
from gangplan.solvers.backends.workers import Worker, keep, take
from gangplan.solvers.base import Doubtable, Limits, Outcome, Solver, Stop, relaxes


@dataclass(frozen=True, slots=True)
class Watched:
    """Runs ``solver`` in a child process and kills it at limit + grace.

    Attributes
    ----------
    solver : any picklable Solver whose module the child can import.
    grace : seconds past the limit before the kill.
    """

    solver: Solver
    grace: float = 2.0

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

    def prestart(self, threads: int = 1) -> None:
        """Start a worker ahead of the first solve; its imports then run beside the model build."""
        keep(take(threads))

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        """Solve in the child; the clock runs from the hand-over to a worker that is ready.

        A child killed at the limit gives back the best point it had streamed.

        Raises
        ------
        SolverError : the child crashed, ran out of memory or could not be started; the text ends
            with the last lines it wrote.
        """
        worker = take(limits.threads)
        try:
            worker.wait_ready()
            begin = time.monotonic()
            job = _job(self.solver, milp, limits, start, begin)
            with worker.killed_at(begin + limits.seconds + self.grace):
                worker.send(job)
                outcome = _answer(worker, self.name, milp)
        except BaseException:
            worker.kill()
            raise
        over = max(0.0, time.monotonic() - begin - limits.seconds)
        keep(worker)
        return replace(outcome, overshoot=over)


def _job(solver: Solver, milp: Milp, limits: Limits, start: Ints | None, begin: float) -> bytes:
    try:
        return pickle.dumps((solver, milp, limits, start, begin), pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise SolverError(f"{solver.name} cannot be sent to a worker: {error}") from error


def _answer(worker: Worker, name: str, milp: Milp) -> Outcome:
    """Read messages up to the outcome; the last streamed point stands in after a kill."""
    best = Outcome(Stop.NONE_FOUND, limit="time", message="killed at the limit")
    while True:
        try:
            word, body = worker.receive()
        except SolverError as error:
            if worker.timed_out:
                return best
            raise SolverError(f"{name}: {error}") from error
        if word == "point":
            x, bound = body
            best = Outcome(
                Stop.FEASIBLE,
                x=x,
                objective=float(milp.cost @ x),
                bound=bound,
                limit="time",
                message="killed at the limit; the last point it had reported",
            )
        elif word == "failed":
            raise SolverError(f"{name}: {body}")
        elif word == "done" and isinstance(body, Outcome):
            return body
        else:
            raise SolverError(f"{name}: the worker said {word!r}")
