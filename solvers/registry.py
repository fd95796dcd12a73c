"""Solvers and planners by name: our own and those registered from outside, imported on use.

Another package adds one without a fork, through an entry point in the group ``gangplan.solvers``
(an object that returns a ``Solver`` when called without arguments) or ``gangplan.planners`` (one
that returns a ``Planner`` when called with ``objective`` and ``weights``, and with ``solver``,
``kind``, ``second_opinion``, ``preemption``, ``pdb`` and ``previous`` where they are asked for).
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.util import find_spec
from inspect import Parameter, signature
from typing import Any, cast

from gangplan.models.errors import GangplanError, SolverError
from gangplan.models.formulation import Kind
from gangplan.solvers.base import Planner, Solver

SOLVERS = "gangplan.solvers"
"""Entry-point group of solvers."""

PLANNERS = "gangplan.planners"
"""Entry-point group of planners."""


@dataclass(frozen=True, slots=True)
class SolverInfo:
    """One line of ``gangplan solvers``.

    Attributes
    ----------
    name : as in ``--solver``.
    version, licence : of the library behind it; empty when unknown.
    available : can it be used here?
    reason : why not; empty when it can.
    """

    name: str
    version: str
    licence: str
    available: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A backend of our own: where it is, the library it needs, and the extra that installs it.

    A backend that is a program names the module that finds it, by ``version()``.
    """

    module: str
    factory: str
    library: str
    licence: str
    extra: str = ""
    program: str = ""


BACKENDS = {
    "highs": BuiltIn("gangplan.solvers.backends.highs", "Highs", "highspy", "MIT"),
    "pyomo": BuiltIn(
        "gangplan.solvers.backends.pyomo", "PyomoSolver", "pyomo", "BSD-3-Clause", "pyomo"
    ),
    "cbc": BuiltIn(
        "gangplan.solvers.backends.cbc",
        "Cbc",
        "cbcbox",
        "EPL-2.0",
        "cbc",
        program="gangplan.solvers.backends.cbc_binary",
    ),
    "cpsat": BuiltIn("gangplan.solvers.backends.cpsat", "CpSat", "ortools", "Apache-2.0", "cpsat"),
    "scip": BuiltIn("gangplan.solvers.backends.scip", "Scip", "pyscipopt", "Apache-2.0", "scip"),
}
"""Our backends; each runs in a watched process."""

OUR_PLANNERS = {
    "auto": ("gangplan.solvers.planners.auto", "Auto"),
    "anytime": ("gangplan.solvers.planners.anytime.planner", "Anytime"),
    "exact": ("gangplan.solvers.planners.exact", "Exact"),
    "greedy": ("gangplan.solvers.planners.greedy", "Greedy"),
}
"""Our planners: module and class."""


FORMULATIONS = {
    "counts": ("gangplan.models.counts.kind", "COUNTS"),
    "assignment": ("gangplan.models.assignment.kind", "ASSIGNMENT"),
    "patterns": ("gangplan.models.patterns.kind", "PATTERNS"),
    "configurations": ("gangplan.models.configurations.kind", "CONFIGURATIONS"),
}
"""Our formulations: module and Kind."""


def formulations() -> tuple[str, ...]:
    """Names of all formulations."""
    return tuple(FORMULATIONS)


def formulation(name: str) -> Kind:
    """Return the formulation of this name.

    Raises
    ------
    GangplanError : no formulation of this name; the message lists the names.
    """
    if name not in FORMULATIONS:
        raise GangplanError(f"no formulation {name!r}: one of {', '.join(FORMULATIONS)}")
    return cast(Kind, _load(*FORMULATIONS[name]))


def get(name: str) -> Solver:
    """Return the solver of this name; our own run in a child process with a watchdog.

    Raises
    ------
    GangplanError : no solver of this name; the message lists the names.
    SolverError : it cannot be imported.
    """
    if name in BACKENDS:
        from gangplan.solvers.backends.child import Watched

        entry = BACKENDS[name]
        return Watched(_load(entry.module, entry.factory)())
    return cast(Solver, _outside(SOLVERS, "solver", name, BACKENDS)())


def available() -> list[SolverInfo]:
    """List every known solver, also the unusable ones with the reason; imports none of them."""
    infos = [_info(name, entry) for name, entry in BACKENDS.items()]
    for point in metadata.entry_points(group=SOLVERS):
        found = find_spec(point.module.partition(".")[0]) is not None
        infos.append(
            SolverInfo(
                point.name,
                "" if point.dist is None else point.dist.version,
                _licence(point),
                found,
                "" if found else f"no module {point.module}",
            )
        )
    return infos


def solvers() -> tuple[str, ...]:
    """Names of all known solvers, also of those that are not installed."""
    return (*BACKENDS, *(point.name for point in metadata.entry_points(group=SOLVERS)))


def planners() -> tuple[str, ...]:
    """Names of all planners."""
    outside = (point.name for point in metadata.entry_points(group=PLANNERS))
    return (*OUR_PLANNERS, *outside)


def get_planner(name: str, **options: Any) -> Planner:
    """Return the planner of this name, made with ``options`` (``objective``, ``solver``, ...).

    Raises
    ------
    GangplanError : no planner of this name, or an option that it does not have.
    """
    if name in OUR_PLANNERS:
        factory = _load(*OUR_PLANNERS[name])
    else:
        factory = _outside(PLANNERS, "planner", name, OUR_PLANNERS)
    given = signature(factory).parameters
    if not any(parameter.kind is Parameter.VAR_KEYWORD for parameter in given.values()):
        unknown = [option for option in options if option not in given]
        if unknown:
            raise GangplanError(f"planner {name}: it has no option {', '.join(unknown)}")
    try:
        return cast(Planner, factory(**options))
    except TypeError as error:
        raise GangplanError(f"planner {name}: {error}") from error


def _info(name: str, entry: BuiltIn) -> SolverInfo:
    from gangplan.solvers.backends.highs import check_version

    try:
        if entry.program:
            version = str(_load(entry.program, "version")())
        else:
            version = metadata.version(entry.library)
    except metadata.PackageNotFoundError:
        return SolverInfo(name, "", entry.licence, False, _missing(entry))
    except SolverError as error:
        return SolverInfo(name, "", entry.licence, False, str(error))
    try:
        if entry.library == "highspy":
            check_version(_numbers(version))
    except SolverError as error:
        return SolverInfo(name, version, entry.licence, False, str(error))
    return SolverInfo(name, version, entry.licence, True)


def _missing(entry: BuiltIn) -> str:
    hint = f": pip install 'gangplan[{entry.extra}]'" if entry.extra else ""
    return f"{entry.library} is not installed{hint}"


def _licence(point: metadata.EntryPoint) -> str:
    about = {} if point.dist is None else point.dist.metadata.json
    return str(about.get("license_expression", about.get("license", "")))


def _numbers(version: str) -> tuple[int, int, int]:
    parts = [int(part) if part.isdigit() else 0 for part in version.split(".")]
    major, minor, patch = (*parts, 0, 0, 0)[:3]
    return major, minor, patch


def _load(module: str, attribute: str) -> Callable[..., Any]:
    return cast(Callable[..., Any], getattr(import_module(module), attribute))


def _outside(group: str, kind: str, name: str, ours: dict[str, Any]) -> Callable[..., Any]:
    points = {point.name: point for point in metadata.entry_points(group=group)}
    if name not in points:
        raise GangplanError(f"unknown {kind} {name!r}: one of {', '.join([*ours, *points])}")
    try:
        return cast(Callable[..., Any], points[name].load())
    except ImportError as error:
        raise SolverError(f"{kind} {name!r} cannot be imported: {error}") from error
