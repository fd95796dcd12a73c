"""Solvers that crash, hang or fill memory, to be run in a child process."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from gangplan.models.arrays import Ints
from gangplan.models.milp import Milp
from gangplan.solvers.base import Limits, OnPoint, Outcome, Stop


class CannotBeRead:
    """Raises where it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return divmod, (1, 0)


@dataclass(frozen=True)
class Fails:
    """Does what ``how`` says instead of solving."""

    how: str
    name: str = "fails"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        print("working on", milp.n_cols, "columns", file=sys.stderr, flush=True)
        if self.how == "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.how == "exit":
            os._exit(7)
        if self.how == "memory":
            raise MemoryError
        if self.how == "bug":
            raise ZeroDivisionError("no wonder")
        if self.how == "sys.exit":
            sys.exit("no licence")
        if self.how == "panic":
            raise BaseException("attempt to add")
        if self.how == "unreadable":
            return Outcome(Stop.NONE_FOUND, message=CannotBeRead())  # type: ignore[arg-type]
        if self.how == "closes the line":
            os.closerange(3, 100)
        if self.how == "hang":
            time.sleep(300)
        if self.how == "hang holding the interpreter":
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
            time.sleep(300)
        if self.how == "print":
            print("noise on stdout", flush=True)
        return Outcome(Stop.NONE_FOUND, message=str(os.getpid()))


@dataclass(frozen=True)
class StreamsThenHangs:
    """Reports one point, then never comes back."""

    point: tuple[float | str, ...]
    name: str = "streams then hangs"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        return self.solve_streaming(milp, limits, start=start, on_point=None)

    def solve_streaming(
        self, milp: Milp, limits: Limits, *, start: Ints | None, on_point: OnPoint | None
    ) -> Outcome:
        import numpy as np

        if on_point is not None:
            on_point(np.array(self.point), -20.0)
        time.sleep(300)
        return Outcome(Stop.NONE_FOUND)


@dataclass(frozen=True)
class FillsMemory:
    """Writes to so many bytes, block by block, and lets them go."""

    size: int
    name: str = "fills memory"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        block = 2**24
        held = [bytearray(b"x" * min(block, self.size - at)) for at in range(0, self.size, block)]
        held.clear()
        return Outcome(Stop.NONE_FOUND, message=str(os.getpid()))


@dataclass(frozen=True)
class RunsAProgram:
    """Runs Python code as a program of its own, and waits for it; its id goes to a file."""

    code: str
    told: str = os.devnull
    name: str = "runs a program"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        with subprocess.Popen([sys.executable, "-c", self.code]) as program:
            Path(self.told).write_text(str(program.pid))
            program.wait()
        return Outcome(Stop.NONE_FOUND)


@dataclass(frozen=True)
class HoldsTheInterpreter:
    """Waits in C without letting go of the interpreter: no other thread of the child runs."""

    told: str
    name: str = "holds the interpreter"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        Path(self.told).write_text(str(os.getpid()))
        ctypes.PyDLL(None).sleep(100)
        return Outcome(Stop.NONE_FOUND)


@dataclass(frozen=True)
class TellsItsLimit:
    """Says how many seconds it was given."""

    name: str = "tells its limit"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        return Outcome(Stop.NONE_FOUND, message=str(limits.seconds))


@dataclass(frozen=True)
class TellsItsLimitAndStreams(TellsItsLimit):
    """The same, and could hand over points."""

    def solve_streaming(
        self, milp: Milp, limits: Limits, *, start: Ints | None, on_point: OnPoint | None
    ) -> Outcome:
        return self.solve(milp, limits, start=start)
