"""What a job in a crew's process sees: what is kept there, and a way to speak before the end."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gangplan.solvers.backends.child import Watched
from gangplan.solvers.base import Solver
from gangplan.solvers.registry import get


@dataclass(frozen=True, slots=True, eq=False)
class Desk:
    """One process of a crew, as its jobs know it.

    Attributes
    ----------
    kept : what the crew was made with, the same for every job (an instance, ...).
    made : what jobs of this process leave for later ones; gone when the process is.
    say : hands something over now; what was said is not lost when the job is killed.
    """

    kept: dict[str, Any]
    say: Callable[[object], None]
    made: dict[str, Any] = field(default_factory=dict)

    def solver(self, asked: str | Solver) -> Solver:
        """Return the solver of this name, to run in this very process.

        This process is watched already: another one around the solver would cost the hand-over.
        """
        found = get(asked) if isinstance(asked, str) else asked
        return found.solver if isinstance(found, Watched) else found
