"""The course of a solve in a library: what comes before it, its clocks, what is kept after it."""

import time
from collections.abc import Callable
from dataclasses import replace

from gangplan.models.arrays import Ints
from gangplan.models.milp import Milp
from gangplan.solvers.backends.asked import never_worse, without_entries, word_on_start
from gangplan.solvers.base import Limits, Outcome

LEAST = 1e-3
"""Seconds that a library is given when all are gone: some read 0 as "no limit"."""


class Clock:
    """The clocks of one solve: from the model in our process to the library that has it, and on."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._begin = self._handed = self._done = time.perf_counter()

    def handed_over(self) -> float:
        """Note that the library has the model; return the seconds that are left to it."""
        self._handed = self._done = time.perf_counter()
        return max(self._seconds - (self._handed - self._begin), LEAST)

    def done(self) -> None:
        """Note that the library has come back."""
        self._done = time.perf_counter()

    def on(self, outcome: Outcome) -> Outcome:
        """Return the outcome with its clocks."""
        return replace(
            outcome,
            handover_seconds=self._handed - self._begin,
            solve_seconds=self._done - self._handed,
            overshoot=max(0.0, self._done - self._begin - self._seconds),
        )


Ask = Callable[[Ints | None, str, Clock], Outcome]
"""Asks the library: the start, or None where it is no point; the word on it; the clocks to set."""


def run(milp: Milp, limits: Limits, start: Ints | None, ask: Ask) -> Outcome:
    """Solve: models without entries here, all others by ``ask``; no answer is below the start."""
    clock = Clock(limits.seconds)
    said = word_on_start(milp, start)
    empty = without_entries(milp, said)
    if empty is not None:
        return empty
    outcome = ask(start if said == "start used" else None, said, clock)
    return never_worse(milp, clock.on(outcome), start)
