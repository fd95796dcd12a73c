"""Judges an answer against an optimum that others published."""

import pytest

from gangplan.datasets.traces import folder
from gangplan.models.milp import Milp
from gangplan.solvers.base import Limits, Stop
from gangplan.solvers.claims import TOLERANCE, checked_point, safe_bound
from gangplan.solvers.registry import get

OTHERS = ("cbc", "scip", "cpsat", "pyomo")
"""Backends that take the shorter lists; each where it is installed."""


def proves(backend: str, milp: Milp, optimum: int, seconds: float = 60.0) -> None:
    """The backend proves the optimum: point, value and bound (as far as a bound is believed)."""
    outcome = get(backend).solve(milp, Limits(seconds=seconds))
    assert outcome.stop is Stop.OPTIMAL, outcome
    assert outcome.x is not None
    assert milp.objective(checked_point(milp, outcome.x)) == optimum
    assert outcome.bound is not None
    assert 0 <= optimum - safe_bound(milp, outcome.bound) <= TOLERANCE * abs(optimum)


def brackets(backend: str, milp: Milp, optimum: int, seconds: float) -> None:
    """Whatever the backend reaches in this time: its bound and its value bracket the optimum."""
    outcome = get(backend).solve(milp, Limits(seconds=seconds))
    assert outcome.stop in (Stop.OPTIMAL, Stop.FEASIBLE, Stop.NONE_FOUND), outcome
    if outcome.bound is not None:
        assert safe_bound(milp, outcome.bound) <= optimum
    if outcome.x is not None:
        value = milp.objective(checked_point(milp, outcome.x))
        assert value >= optimum
        assert value == optimum or outcome.stop is Stop.FEASIBLE


def here(backend: str) -> str:
    """Return the backend's name; the test is left out where it is not installed."""
    from tests.fuzz.contestants import backends

    if backend not in backends():
        pytest.skip(f"left out: the backend {backend} is not available")
    return backend


def needs(*files: folder.Public) -> None:
    """Leave the test out where a public file is missing."""
    place = folder.data_folder()
    for file in files:
        if place is None or not (place / file.path).is_file():
            pytest.skip(f"left out: {file.path} is not there; set {folder.VARIABLE}")
