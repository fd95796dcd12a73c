"""Second opinions: the same model solved another way, for a claim that one search makes.

Another backend is the better witness. Where there is none, the same one is asked without presolve
(where wrong "optimal" and "infeasible" answers came from more than from anything else) and with
another seed. A solver from outside knows its own second way best and is asked for it first.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace

from gangplan.models.certificate import Claimant
from gangplan.models.errors import GangplanError
from gangplan.solvers.base import Doubtable, Limits, Solver

SEED_SHIFT = 7_919
"""Added to the seed of the second run."""

WITNESSES = ("scip", "cpsat", "cbc", "highs")
"""Our backends that can contradict one another, in the order in which they are asked: CBC's
preprocessing has called feasible models infeasible (coin-or/Cbc #734, #737, #740)."""

RELAY = "pyomo"
"""Hands the model to another backend, ``pyomo:ENGINE``, HiGHS where none is named."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to solve again.

    Attributes
    ----------
    solver : whom to ask.
    other : it is another backend than the one in doubt.
    """

    solver: Solver
    other: bool

    @property
    def how(self) -> str:
        """Name it in words."""
        return self.solver.name if self.other else f"{self.solver.name} (second way, other seed)"


def ways(solver: Solver) -> list[Way]:
    """List who can check ``solver``, best first; empty where nobody can."""
    from gangplan.solvers.registry import BACKENDS

    mine = own_way(solver)
    if solver.name in BACKENDS:
        return [*list(witnesses({solver.name}))[:1], *([] if mine is None else [mine])]
    return [mine] if mine is not None else list(witnesses({solver.name}))[:1]


def own_way(solver: Solver) -> Way | None:
    """Return the solver's own second way; None where it has none, or cannot say it."""
    try:
        other = solver.second() if isinstance(solver, Doubtable) else None
        return None if other is None else Way(other, other.name != solver.name)
    except Exception:  # a solver from outside raises anything
        return None


def second_try(solver: Solver) -> Way:
    """Return the way to ask a solver that gave a wrong answer: its own second one, if any."""
    return own_way(solver) or Way(solver, False)


def witnesses(claimants: Collection[str]) -> Iterator[Way]:
    """Give the available backends that did not make the claim, ours first."""
    from gangplan.solvers.registry import BACKENDS, available, get

    usable = [info.name for info in available() if info.available]
    names = [name for name in WITNESSES if name in usable]
    names += [name for name in usable if name not in BACKENDS]
    engines = {engine_of(name) for name in claimants}
    for name in names:
        if name not in engines:
            try:
                yield Way(get(name), True)
            except GangplanError:
                continue


def way_to_check(claimants: Collection[str], solver: Solver | None = None) -> Way | None:
    """Choose who looks at a claim again; None where nobody can.

    Parameters
    ----------
    claimants : names of those who made it.
    solver : who is wished for; a claimant is asked in its second way.
    """
    if solver is None:
        other = next(witnesses(claimants), None)
        if other is not None:
            return other
        solver = _first_of(claimants)
    if solver is None:
        return None
    if engine_of(solver.name) not in {engine_of(name) for name in claimants}:
        return Way(solver, True)
    return second_try(solver)


def engine_of(name: str) -> str:
    """Name the backend that does the work: that of a relay is the one behind it."""
    relay, _, engine = name.partition(":")
    if relay != RELAY:
        return name
    return engine.removeprefix("appsi_").removesuffix("_direct") or "highs"


def _first_of(names: Collection[str]) -> Solver | None:
    from gangplan.solvers.registry import available, get

    usable = {info.name for info in available() if info.available}
    return next((get(name) for name in names if name in usable), None)


def doubted(limits: Limits, seconds: float, times: int = 1) -> Limits:
    """Return the limits of another run: what time is left, and another seed."""
    return replace(limits, seconds=seconds, seed=(limits.seed + times * SEED_SHIFT) % 2**31)


def claimant(solver: Solver, limits: Limits) -> Claimant:
    """Name who searches, with version and options, for a certificate."""
    from gangplan.solvers.registry import available

    mine = solver.name.partition(":")[0]
    version = next((info.version for info in available() if info.name == mine), "")
    own = [*_options(solver), f"threads={limits.threads}", f"seed={limits.seed}"]
    return Claimant(solver.name, version, " ".join(own))


def _options(solver: object) -> list[str]:
    """Plain options of a solver; of the one inside, where it is wrapped."""
    if not is_dataclass(solver):
        return []
    found: list[str] = []
    for field in fields(solver):
        value = getattr(solver, field.name)
        if isinstance(value, bool | int | float | str) and field.name != "name":
            found.append(f"{field.name}={value}")
        elif field.name == "solver":
            found += _options(value)
    return found
