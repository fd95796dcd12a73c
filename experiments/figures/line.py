"""One line of the benchmark's table."""

from dataclasses import dataclass

SEED = 1

THREADS = 1
"""Threads of a solver or a planner; the greedy planner has one."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table.

    Attributes
    ----------
    figure : what was run.
    seconds : wall clock of it, building and checking apart.
    value, bound : of the first tier; bound is None where nothing is proven.
    note : sizes, or what the seconds hold.
    """

    figure: str
    seconds: float
    value: int | None = None
    bound: int | None = None
    note: str = ""

    @property
    def gap(self) -> float | None:
        """Part by which the bound is above the value."""
        if self.value is None or self.bound is None:
            return None
        return abs(self.bound - self.value) / max(1, abs(self.value))
