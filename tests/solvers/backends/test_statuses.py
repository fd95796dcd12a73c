"""Status words: the table has all of the library, and what each is worth; others are errors."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import pytest

from gangplan.solvers.base import Stop

OPTIMAL, FEASIBLE, NONE_FOUND = Stop.OPTIMAL, Stop.FEASIBLE, Stop.NONE_FOUND
INFEASIBLE, ERROR = Stop.INFEASIBLE, Stop.ERROR


def of_pyomo(classic: Any) -> set[str]:
    homes = ("pyomo.contrib.appsi.base", "pyomo.contrib.solver.common.results")
    enums = [import_module(home).TerminationCondition for home in homes]
    words = {word.name for words in enums for word in words}
    return words | {str(word) for word in classic.TerminationCondition}


class Library(NamedTuple):
    """Where a library's words stand, and (word, is there a point, what it is worth)."""

    module: str
    words: Callable[[Any], set[str]]
    worth: list[tuple[str, bool, Stop]]


LIBRARIES = {
    "highs": Library(
        "highspy",
        lambda highspy: set(highspy.HighsModelStatus.__members__),
        [
            ("kOptimal", True, OPTIMAL),
            ("kTimeLimit", True, FEASIBLE),
            ("kTimeLimit", False, NONE_FOUND),
            ("kIterationLimit", True, FEASIBLE),
            ("kSolutionLimit", False, NONE_FOUND),
            ("kInfeasible", False, INFEASIBLE),
            ("kUnboundedOrInfeasible", False, ERROR),
            ("kUnbounded", True, ERROR),
            ("kSolveError", True, ERROR),
        ],
    ),
    "scip": Library(
        "pyscipopt",
        lambda scip: {word.lower() for word in dir(scip.SCIP_STATUS) if word.isupper()},
        [
            ("optimal", True, OPTIMAL),
            ("gaplimit", True, OPTIMAL),
            ("optimal", False, ERROR),
            ("timelimit", True, FEASIBLE),
            ("timelimit", False, NONE_FOUND),
            ("memlimit", False, NONE_FOUND),
            ("infeasible", False, INFEASIBLE),
            ("inforunbd", False, ERROR),
            ("unbounded", True, ERROR),
            ("unknown", True, ERROR),
        ],
    ),
    # Its words say whether there is a point.
    "cpsat": Library(
        "ortools.sat.python.cp_model_helper",
        lambda helper: set(helper.CpSolverStatus.__members__),
        [
            ("OPTIMAL", True, OPTIMAL),
            ("FEASIBLE", True, FEASIBLE),
            ("UNKNOWN", False, NONE_FOUND),
            ("INFEASIBLE", False, INFEASIBLE),
            ("MODEL_INVALID", False, ERROR),
        ],
    ),
    "pyomo": Library(
        "pyomo.opt",
        of_pyomo,
        [
            ("optimal", True, OPTIMAL),
            ("optimal", False, ERROR),
            ("maxTimeLimit", True, FEASIBLE),
            ("maxTimeLimit", False, NONE_FOUND),
            ("intermediateNonInteger", True, NONE_FOUND),
            ("provenInfeasible", False, INFEASIBLE),
            ("infeasibleOrUnbounded", False, ERROR),
            ("locallyOptimal", True, ERROR),
        ],
    ),
}


def stop_of(backend: str, word: str, has_point: bool) -> Stop:
    of: Any = import_module(f"gangplan.solvers.backends.{backend}").stop_of
    stop: Stop = (of(word) if backend == "cpsat" else of(word, has_point))[0]
    return stop


@pytest.mark.parametrize("backend", LIBRARIES)
def test_every_status_word_of_the_library_is_in_the_table(backend: str) -> None:
    library = LIBRARIES[backend]
    there = pytest.importorskip(library.module, reason=f"{library.module} is not installed")
    table = import_module(f"gangplan.solvers.backends.{backend}").STATUS
    assert library.words(there) == set(table)


@pytest.mark.parametrize(
    ("backend", "word", "has_point", "stop"),
    [(name, *worth) for name, library in LIBRARIES.items() for worth in library.worth],
)
def test_a_status_word_becomes_a_stop(backend: str, word: str, has_point: bool, stop: Stop) -> None:
    assert stop_of(backend, word, has_point) is stop


@pytest.mark.parametrize("has_point", [True, False])
@pytest.mark.parametrize("word", ["something new", ""])
@pytest.mark.parametrize("backend", LIBRARIES)
def test_a_word_that_nobody_knows_is_an_error(backend: str, word: str, has_point: bool) -> None:
    assert stop_of(backend, word, has_point) is ERROR
