"""Second opinions: the same model solved another way, for a claim that one search makes.

Wrong "optimal" and wrong "infeasible" answers of a backend came from presolve more than from
anything else, so the other way is the same backend without presolve and with another seed, or, for
a backend that has no other way, any other backend that is available.
"""

from dataclasses import replace

from gangplan.models.arrays import Ints
from gangplan.models.milp import Milp
from gangplan.solvers.base import Doubtable, Limits, Outcome, Solver

SEED_SHIFT = 7_919
"""Added to the seed of the second run."""


def second_solver(solver: Solver) -> Solver | None:
    """Return who can check ``solver``; None where nobody can."""
    if isinstance(solver, Doubtable):
        return solver.second()
    from gangplan.solvers.registry import available, get

    others = (info.name for info in available() if info.available and info.name != solver.name)
    name = next(others, None)
    return None if name is None else get(name)


def ask_again(solver: Solver, milp: Milp, limits: Limits, start: Ints | None) -> Outcome | None:
    """Solve once more the other way; None where there is nobody to ask.

    Raises
    ------
    SolverError : the second solver failed.
    """
    other = second_solver(solver)
    if other is None:
        return None
    return other.solve(milp, replace(limits, seed=limits.seed + SEED_SHIFT), start=start)
