"""The two seams: ``Solver`` (Milp -> Outcome) and ``Planner`` (Instance -> Result).

What only some solvers can do (``Doubtable``, ``Centred``, ``Prestarted``, ``Streams``) is a
protocol of its own, looked for where it is used.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

from gangplan.models.arrays import Floats, Ints
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.result import Result

MOST_SECONDS = 10_000_000
"""The longest limit, 115 days; timers of the system overflow far above it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a solve or a plan may cost.

    Attributes
    ----------
    seconds : wall-clock limit, > 0 and at most ``MOST_SECONDS``.
    gap : relative gap at which to stop, >= 0; 0 asks for a proof.
    threads : threads of one solver process, >= 1.
    seed : >= 0; makes a run repeatable up to the time limit.
    memory : bytes that a solver's process may come to use; None leaves it free. Kept by
        ``child.Watched``; a solver in this process cannot be held to it.
    """

    seconds: float = 60.0
    gap: float = 0.0
    threads: int = 1
    seed: int = 0
    memory: int | None = None

    def __post_init__(self) -> None:
        """Check ranges."""
        if not 0 < self.seconds < float("inf"):
            raise ValueError(f"seconds = {self.seconds}: a positive number expected")
        if self.seconds > MOST_SECONDS:
            raise ValueError(f"seconds = {self.seconds}: at most {MOST_SECONDS:,} expected")
        if not 0 <= self.gap < 1:
            raise ValueError(f"gap = {self.gap}: a number in [0, 1) expected")
        if self.threads < 1 or self.seed < 0:
            raise ValueError("threads >= 1 and seed >= 0 expected")
        if self.memory is not None and self.memory < 1:
            raise ValueError(f"memory = {self.memory}: a positive number of bytes expected")


class Stop(Enum):
    """Why a solver stopped.

    Attributes
    ----------
    OPTIMAL : the backend claims a proof within the gaps it was given.
    FEASIBLE : a limit was reached with a point in hand.
    NONE_FOUND : a limit was reached with nothing in hand.
    INFEASIBLE : the backend claims that no point exists; no certificate by itself.
    ERROR : anything else, an unknown status included.
    """

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    NONE_FOUND = "none found"
    INFEASIBLE = "infeasible"
    ERROR = "error"


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What a solver claims; nothing in it is checked.

    Attributes
    ----------
    stop : see Stop.
    x : (n,) the point, or None.
    objective : the backend's objective without the offset, or None.
    bound : the backend's own branch-and-bound (never LP) bound without offset, or None.
    row_dual : (m,) duals of a linear relaxation (lower bound direction: minimise), or None.
    limit : ``time``, ``memory``, ``interrupt`` or empty.
    message : the backend's status word; for ERROR, the reason.
    solve_seconds, handover_seconds : clocks of the solve itself, and from the model in our process
        to the solver that has it.
    overshoot : seconds past the limit; 0 where it was kept.
    peak_memory : bytes, the most that the largest process of the solve had in memory; None where
        nobody measured it (a solver in this process).
    """

    stop: Stop
    x: Floats | None = None
    objective: float | None = None
    bound: float | None = None
    row_dual: Floats | None = None
    limit: str = ""
    message: str = ""
    solve_seconds: float = 0.0
    handover_seconds: float = 0.0
    overshoot: float = 0.0
    peak_memory: int | None = None


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a solve, with what the solver had by then.

    Attributes
    ----------
    outcome : the best point so far, or none; its ``limit`` is ``interrupt``.
    """

    def __init__(self, outcome: Outcome) -> None:
        super().__init__("interrupted")
        self.outcome = outcome


class Solver(Protocol):
    """A backend: stateless, named, one verb."""

    @property
    def name(self) -> str:
        """Short name, as in ``--solver``."""
        ...

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        """Solve within the limits; a start point is checked by the caller.

        A model without integer columns is a linear program: ``row_dual`` is filled.

        Raises
        ------
        SolverError : the backend crashed or cannot be used.
        """
        ...


@runtime_checkable
class Doubtable(Protocol):
    """A solver that knows another way to solve."""

    def second(self) -> Solver | None:
        """Return the other way; None where there is none after all."""
        ...


@runtime_checkable
class Centred(Protocol):
    """A solver that can answer a linear program from the middle of its optimal face.

    Where many duals are optimal, those of a vertex say little about the columns that a good point
    needs; those of the middle do.
    """

    def centred(self) -> Solver | None:
        """Return the solver that does; None where there is none after all."""
        ...


@runtime_checkable
class Prestarted(Protocol):
    """A solver with a process to start ahead."""

    def prestart(self, threads: int = 1) -> None:
        """Start it, and do not wait."""
        ...


@runtime_checkable
class Relaxes(Protocol):
    """A solver that says whether it solves linear programs; one that says nothing does."""

    @property
    def relaxes(self) -> bool:
        """False where a model without integer columns is refused."""
        ...


def relaxes(solver: Solver) -> bool:
    """Tell whether linear relaxations may be asked of this solver."""
    return not isinstance(solver, Relaxes) or solver.relaxes


OnPoint = Callable[[Floats, float | None], None]
"""Called with an improving point (n,) and the bound at that time, or None."""


@runtime_checkable
class Streams(Protocol):
    """A solver that can hand over improving points."""

    def solve_streaming(
        self, milp: Milp, limits: Limits, *, start: Ints | None, on_point: OnPoint | None
    ) -> Outcome:
        """Solve, and call ``on_point`` with each improving point as it is found."""
        ...


Progress = Callable[[str, float], None]
"""Called with a word for the phase and seconds used so far; for a terminal."""


def silent(phase: str, seconds: float) -> None:
    """Report nothing."""


class Planner(Protocol):
    """Anything that turns an instance into a verified result."""

    @property
    def name(self) -> str:
        """Short name, as in ``--planner``."""
        ...

    def plan(self, instance: Instance, limits: Limits, progress: Progress = silent) -> Result:
        """Plan within the limits.

        Raises
        ------
        PlanError : the plan failed its own check, a bug in gangplan.
        """
        ...
