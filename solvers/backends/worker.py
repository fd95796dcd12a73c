"""The child's side of ``child.Watched``; its arguments are two file descriptors, line and lifeline.

Says ``("ready", None)``, then answers each job (solver, milp, limits, start, begin) with any number
of ``("point", (x, bound))`` and one ``("done", Outcome)`` or ``("failed", text)``.
"""

import faulthandler
import fcntl
import os
import signal
import socket
import sys
import threading
import time
from dataclasses import replace
from importlib import import_module

from gangplan.models.arrays import Floats, Ints
from gangplan.models.errors import SolverError
from gangplan.models.milp import Milp
from gangplan.solvers.backends import memory, wire
from gangplan.solvers.base import Limits, Outcome, Solver, Streams

PRELOAD = ("scipy.sparse", "highspy")
"""Imported before the first job; what is missing is told when a solver needs it."""

LAST_RESORT = 600.0
"""Seconds past the limit after which the child ends by itself, whatever it does."""

EARLY = 1.0
"""Seconds before its limit that a solver is told to stop; a tenth of the limit where that is less.

A solver looks at the clock now and then only, and what it has is lost when it is killed.
"""

EARLY_STREAMING = 0.5
"""The same for a search that hands over its points as it goes."""


def main(line_number: int, lifeline: int) -> None:
    """Serve jobs until the parent closes the line."""
    line = line_of(line_number, lifeline)
    _say(line, "ready", None)
    while True:
        try:
            job = wire.read(line)
        except EOFError:
            return
        except Exception as error:
            _say(line, "failed", f"the job cannot be read: {type(error).__name__}: {error}")
            continue
        _serve(line, *job)


def line_of(line_number: int, lifeline: int) -> socket.socket:
    """Begin as a child: end with the parent, import what jobs need, and return the line to it."""
    for number in (line_number, lifeline):
        os.set_inheritable(number, False)  # a program that a job runs must not hold them open
    die_with_parent(lifeline)
    line = socket.socket(fileno=line_number)
    for name in PRELOAD:
        try:
            import_module(name)
        except ImportError as error:
            print(error, file=sys.stderr)
    return line


def die_with_parent(lifeline: int) -> None:
    """End this process group, programs that a solver runs included, when the parent is gone.

    The kernel sees to it (nobody ever writes, so the only event is the end of the parent), also
    while a solver holds the interpreter lock; ``PR_SET_PDEATHSIG`` would fire when the parent's
    thread ends. The thread is for a parent that is gone already, and for other systems.
    """
    if sys.platform == "linux":
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)
    threading.Thread(target=_wait_for_the_end, args=(lifeline,), daemon=True).start()


def _wait_for_the_end(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.killpg(0, signal.SIGKILL)


def _say(line: socket.socket, word: str, body: object) -> None:
    wire.write(line, wire.pack((word, body)))


def _serve(
    line: socket.socket,
    solver: Solver,
    milp: Milp,
    limits: Limits,
    start: Ints | None,
    begin: float,
) -> None:
    # A C thread: it ends a solve that holds the interpreter lock after the parent is gone.
    faulthandler.dump_traceback_later(limits.seconds + LAST_RESORT, exit=True)
    meter = memory.Meter()
    try:
        with memory.limited(limits.memory):
            waited = time.monotonic() - begin
            seconds = max(limits.seconds - waited - _early(solver, milp, limits.seconds), 1e-3)
            outcome = _solve(line, solver, milp, replace(limits, seconds=seconds), start)
        answer = wire.pack(
            (
                "done",
                replace(
                    outcome,
                    handover_seconds=outcome.handover_seconds + waited,
                    peak_memory=meter.peak(),
                ),
            )
        )
    except SolverError as error:
        answer = wire.pack(("failed", str(error)))
    except MemoryError:
        most = limits.memory
        limit = "" if most is None else f" (limit {most // memory.MIB} MiB)"
        answer = wire.pack(("failed", f"out of memory{limit}"))
    except BaseException as error:  # sys.exit in a library, panics of other languages too
        answer = wire.pack(("failed", f"{type(error).__name__}: {error}"))
    finally:
        faulthandler.cancel_dump_traceback_later()
    wire.write(line, answer)


def _early(solver: Solver, milp: Milp, seconds: float) -> float:
    """Return how long before the limit the solver is told to stop."""
    streams = isinstance(solver, Streams) and bool(milp.integer.any())
    return min(EARLY_STREAMING if streams else EARLY, seconds / 10)


def _solve(
    line: socket.socket, solver: Solver, milp: Milp, limits: Limits, start: Ints | None
) -> Outcome:
    def on_point(x: Floats, bound: float | None) -> None:
        _say(line, "point", (x, bound))

    if isinstance(solver, Streams):
        return solver.solve_streaming(milp, limits, start=start, on_point=on_point)
    return solver.solve(milp, limits, start=start)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
