"""A program that is run to its end, to a deadline, or to the end of this process."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO

PR_SET_PDEATHSIG = 1
"""prctl(2): the signal that a process gets when the one that started it ends."""


def run_leashed(
    command: Sequence[str],
    log: IO[str],
    *,
    pass_fds: Sequence[int],
    interrupt_at: float,
    kill_at: float,
) -> tuple[int, bool]:
    """Run a program; ask it to stop (SIGINT) at one time, and kill it at a later one.

    It stays in this process's group, which ``workers.Worker`` kills as a whole, and on Linux dies
    with this process however that ends.

    Parameters
    ----------
    log : file that receives what it prints.
    interrupt_at, kill_at : of ``time.monotonic()``.

    Returns
    -------
    exit code (negative: the signal that ended it), and whether it was asked to stop.

    Raises
    ------
    OSError : it cannot be started.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        pass_fds=tuple(pass_fds),
        preexec_fn=_dies_with(os.getpid()),
    )
    try:
        try:
            return process.wait(max(interrupt_at - time.monotonic(), 0.0)), False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return process.wait(max(kill_at - time.monotonic(), 0.0)), True
        process.kill()
        return process.wait(), True
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _dies_with(parent: int) -> Callable[[], None] | None:
    """Return what the child does before the program starts; the library is loaded before."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)

    def tie() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before the line above
            os._exit(1)

    return tie
