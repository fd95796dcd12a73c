"""Jobs that behave well, and jobs that do not."""

import os
import signal
import time

from gangplan.models.errors import FormulationError
from gangplan.solvers.crew.desk import Desk


def add(desk: Desk, number: int) -> int:
    """Add to what is kept."""
    return int(desk.kept["base"]) + number


def count(desk: Desk) -> int:
    """Count how often it was called in this process."""
    desk.made["calls"] = desk.made.get("calls", 0) + 1
    return int(desk.made["calls"])


def pid(desk: Desk) -> int:
    """Return the number of the process."""
    return os.getpid()


def speak(desk: Desk, times: int) -> str:
    """Say numbers before the end."""
    for n in range(times):
        desk.say(n)
    return "end"


def sleep(desk: Desk, seconds: float) -> str:
    """Be busy, after a word."""
    desk.say("asleep")
    time.sleep(seconds)
    return "awake"


def crash(desk: Desk) -> None:
    """End the process."""
    os.kill(os.getpid(), signal.SIGSEGV)


def fail(desk: Desk) -> None:
    """Raise."""
    raise ValueError("no good")


def refuse(desk: Desk) -> None:
    """Raise what the project raises."""
    raise FormulationError("claims are none of mine")
