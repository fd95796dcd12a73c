"""The child's side of ``child.Watched``; its arguments are two file descriptors, pipe and lifeline.

Says ``("ready", None)``, then answers each pickled job (solver, milp, limits, start, begin) with
any number of ``("point", (x, bound))`` and one ``("done", Outcome)`` or ``("failed", text)``.
"""

import faulthandler
import os
import pickle
import signal
import sys
import threading
import time
from dataclasses import replace
from importlib import import_module
from multiprocessing.connection import Connection

from gangplan.models.arrays import Floats, Ints
from gangplan.models.errors import SolverError
from gangplan.models.milp import Milp
from gangplan.solvers.base import Limits, Outcome, Solver, Streams

PRELOAD = ("scipy.sparse", "highspy")
"""Imported before the first job; what is missing is told when a solver needs it."""

LAST_RESORT = 600.0
"""Seconds past the limit after which the child ends by itself, whatever it does."""


def main(pipe: int, lifeline: int) -> None:
    """Serve jobs until the parent closes the pipe."""
    threading.Thread(target=_die_with_parent, args=(lifeline,), daemon=True).start()
    connection = Connection(pipe)
    for name in PRELOAD:
        try:
            import_module(name)
        except ImportError as error:
            print(error, file=sys.stderr)
    connection.send(("ready", None))
    while True:
        try:
            job = connection.recv_bytes()
        except EOFError:
            return
        _serve(connection, job)


def _die_with_parent(lifeline: int) -> None:
    """Wait for the end of the parent (nobody ever writes), then end this process group."""
    os.read(lifeline, 1)
    os.killpg(0, signal.SIGKILL)


def _serve(connection: Connection, job: bytes) -> None:
    try:
        solver, milp, limits, start, begin = pickle.loads(job)
        # A C thread: it ends a solve that holds the interpreter lock after the parent is gone.
        faulthandler.dump_traceback_later(limits.seconds + LAST_RESORT, exit=True)
        seconds = max(limits.seconds - (time.monotonic() - begin), 1e-3)
        outcome = _solve(connection, solver, milp, replace(limits, seconds=seconds), start)
    except SolverError as error:
        connection.send(("failed", str(error)))
    except MemoryError:
        connection.send(("failed", "out of memory"))
    except Exception as error:
        connection.send(("failed", f"{type(error).__name__}: {error}"))
    else:
        connection.send(("done", outcome))
    finally:
        faulthandler.cancel_dump_traceback_later()


def _solve(
    connection: Connection, solver: Solver, milp: Milp, limits: Limits, start: Ints | None
) -> Outcome:
    def on_point(x: Floats, bound: float | None) -> None:
        connection.send(("point", (x, bound)))

    if isinstance(solver, Streams):
        return solver.solve_streaming(milp, limits, start=start, on_point=on_point)
    return solver.solve(milp, limits, start=start)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
