"""A solver that bounds well and hangs in its first search, to be killed from outside."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from gangplan.models.arrays import Ints
from gangplan.models.milp import Milp
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Outcome, Stop


@dataclass(frozen=True)
class HangsInSearch:
    """HiGHS for relaxations; a search writes its process's id to a file and waits."""

    told: str
    name: str = "hangs"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        if not milp.integer.any():
            return Highs().solve(milp, limits, start=start)
        ready = Path(self.told + ".new")
        ready.write_text(str(os.getpid()))
        ready.rename(self.told)
        time.sleep(300)
        return Outcome(Stop.NONE_FOUND)
