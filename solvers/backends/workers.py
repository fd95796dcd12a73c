"""Worker processes: started ahead, kept for the next solve, and never outliving their parent.

A worker is ``python -m gangplan.solvers.backends.worker``, neither a fork nor a spawn: it never
imports the parent's ``__main__``, so it works from a notebook, ``-c`` or a script without a guard.
Jobs and answers go over a socket pair (``wire``); the child's stdout and stderr go to a file whose
tail is told when it dies. A second pipe is the lifeline: when the parent is gone, the child ends.
Each worker keeps to one number of threads (HiGHS cannot change it within a process).
"""

import atexit
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gangplan.models.errors import SolverError
from gangplan.solvers.backends import memory, wire

START_SECONDS = 60.0
"""A worker that is not ready after this long is given up."""

SOLVES = "gangplan.solvers.backends.worker"
"""What a worker runs that solves models; a crew (``solvers.crew``) has a module of its own."""

SEEN = ("GANGPLAN_CBC", "CBCBOX_BUILD", "PATH", "TMPDIR")
"""Environment variables that change an answer or where it is written."""

LAST_WORDS = 0.5
"""Seconds that a child with a closed line has to end by itself: then its own end can be told."""

TAIL = 600
"""Characters of the child's output that an error quotes."""


class Worker:
    """One child process; in the hands of one thread at a time.

    Attributes
    ----------
    threads : number of threads its solvers use.
    module : what it runs.
    surroundings : what it was started with of SEEN.
    timed_out : it was killed for taking too long.
    peak : bytes, the most that it had in memory when it was killed for that, if known.
    """

    def __init__(self, threads: int, module: str = SOLVES) -> None:
        if not sys.executable:
            raise SolverError("no Python executable is known (sys.executable is empty)")
        self.threads = threads
        self.module = module
        self.surroundings = surroundings()
        self.timed_out = False
        self.peak: int | None = None
        self._ready = False
        self._log_start = 0
        try:
            self._log = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the child)
        except OSError as error:
            raise SolverError(f"no log file for a worker process: {error}") from error
        _all.add(self)
        self._line, theirs = socket.socketpair()
        lifeline, self._lifeline = os.pipe()
        try:
            self._process = subprocess.Popen(
                _command(module, theirs.fileno(), lifeline),
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                pass_fds=(theirs.fileno(), lifeline),
                env=_environment(),
                # A group of its own: Ctrl-C reaches the parent only, a kill reaches grandchildren.
                start_new_session=True,
            )
        except OSError as error:
            self._close()
            raise SolverError(f"no worker process could be started: {error}") from error
        finally:
            theirs.close()
            os.close(lifeline)

    @property
    def pid(self) -> int:
        """Process id; also the id of its process group."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """It still runs, and is not condemned."""
        return not self.timed_out and self._process.poll() is None

    @property
    def ready(self) -> bool:
        """It was heard to be ready."""
        return self._ready

    def fileno(self) -> int:
        """Return the file descriptor that can be read when it has something to say."""
        return self._line.fileno()

    def wait_ready(self) -> None:
        """Wait for the end of the child's imports.

        Raises
        ------
        SolverError : it died, or took longer than START_SECONDS.
        """
        if self._ready:
            return
        with self.killed_at(time.monotonic() + START_SECONDS):
            word, _ = self.receive()
        if word != "ready":
            raise SolverError(f"a worker process said {word!r} instead of ready")

    def send(self, job: wire.Packed) -> None:
        """Hand over a job; should the child be dead, ``receive`` tells why."""
        self._log_start = os.fstat(self._log.fileno()).st_size
        with suppress(BrokenPipeError, ConnectionResetError):
            wire.write(self._line, job)

    def receive(self) -> tuple[str, Any]:
        """Wait for the next message (word, body).

        Raises
        ------
        SolverError : the child died, and the text ends with the last lines it wrote; or it said
            what cannot be read.
        """
        try:
            word, body = wire.read(self._line)
        except (EOFError, OSError) as error:
            raise SolverError(self._obituary()) from error
        except Exception as error:  # whatever reading a pickle raises, or what is none
            said = f"{type(error).__name__}: {error}"
            raise SolverError(
                f"a message of the solver's process cannot be read: {said}"
            ) from error
        self._ready = self._ready or word == "ready"
        return str(word), body

    @contextmanager
    def killed_at(self, deadline: float) -> Iterator[None]:
        """Kill the child if the block outlasts ``time.monotonic() == deadline``.

        A read or write that waits for the child then ends.
        """

        def fire() -> None:
            self.timed_out = True
            self.peak = memory.peak_of_group(self.pid)
            self._kill_group()

        timer = threading.Timer(max(deadline - time.monotonic(), 0.0), fire)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()

    def condemn(self) -> None:
        """End the child without waiting for its end; ``kill`` is still to be called."""
        self.timed_out = True
        self._kill_group()

    def kill(self) -> None:
        """End the child and free what belongs to it; safe to call twice."""
        self._kill_group()
        self._process.wait()
        self._close()

    def disown(self) -> None:
        """Let go of the child without a word to it: in a fork, it is another process's."""
        self._close()
        self._process.returncode = 0

    def _kill_group(self) -> None:
        # The group outlives its leader where a solver started processes of its own.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _close(self) -> None:
        self._line.close()
        self._log.close()
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1

    def _obituary(self) -> str:
        if not self.timed_out:
            with suppress(subprocess.TimeoutExpired):  # the pipe ends before the process does
                self._process.wait(LAST_WORDS)
        self._kill_group()  # it may have closed the pipe and live on
        code = self._process.wait()
        how = f"ended with exit code {code}"
        if code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
            if -code == signal.SIGKILL:
                how += " (too slow)" if self.timed_out else " (out of memory?)"
        self._log.seek(self._log_start)
        text = self._log.read().decode(errors="replace").strip()
        return f"the solver's process {how}" + (f": {text[-TAIL:]}" if text else "")


def _command(module: str, line: int, lifeline: int) -> list[str]:
    # -P: the working directory must not shadow a package (the repository has a folder datasets/).
    return [sys.executable, "-P", "-m", module, str(line), str(lifeline)]


def surroundings() -> tuple[str | None, ...]:
    """Return the values of SEEN in this process."""
    return tuple(os.environ.get(name) for name in SEEN)


def _environment() -> dict[str, str]:
    """Return the parent's environment with its import path, whatever changed it."""
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    return {**os.environ, "PYTHONPATH": path}


_all: "weakref.WeakSet[Worker]" = weakref.WeakSet()
_idle: list[Worker] = []
_lock = threading.Lock()


def take(threads: int, module: str = SOLVES) -> Worker:
    """Return an idle worker with this number of threads that runs this module, or a new one."""
    while True:
        with _lock:
            fitting = (w for w in _idle if (w.threads, w.module) == (threads, module))
            found = next(fitting, None)
            if found is not None:
                _idle.remove(found)
        if found is None:
            return Worker(threads, module)
        # One from before a change would run a program that nobody names any more.
        if found.alive and found.surroundings == surroundings():
            return found
        found.kill()


def keep(worker: Worker) -> None:
    """Give a worker back for the next solve."""
    if not worker.alive:
        worker.kill()
        return
    with _lock:
        _idle.append(worker)


def close_workers() -> None:
    """End all idle workers; called at exit."""
    with _lock:
        workers, _idle[:] = list(_idle), []
    for worker in workers:
        worker.kill()


def _after_fork() -> None:
    """Leave the workers to the parent, busy ones too, and a lock that another thread held.

    A copy of a lifeline in the fork would keep workers alive after the parent's end.
    """
    global _lock
    _lock = threading.Lock()
    for worker in list(_all):
        worker.disown()
    _all.clear()
    _idle.clear()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(close_workers)
