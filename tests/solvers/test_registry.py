from importlib import metadata

import pytest

from gangplan.models.errors import GangplanError
from gangplan.solvers.backends.child import Watched
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.registry import available, get, get_planner, planners


def test_highs_is_listed_with_version_and_licence() -> None:
    info = next(info for info in available() if info.name == "highs")
    assert info.available
    assert info.licence == "MIT"
    assert info.version[0].isdigit()
    assert info.reason == ""


def test_cbc_is_listed_with_where_it_is_from_or_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    info = next(info for info in available() if info.name == "cbc")
    assert info.licence == "EPL-2.0"
    assert bool(info.version) == info.available == (not info.reason)
    monkeypatch.setenv("GANGPLAN_CBC", "/nowhere")
    info = next(info for info in available() if info.name == "cbc")
    assert (info.available, info.version) == (False, "")
    assert info.reason == "cbc: GANGPLAN_CBC: /nowhere is no program"


@pytest.mark.parametrize("name", ["pyomo", "cpsat", "scip"])
def test_an_optional_backend_that_is_missing_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def missing(library: str) -> str:
        raise metadata.PackageNotFoundError(library)

    monkeypatch.setattr(metadata, "version", missing)
    info = next(info for info in available() if info.name == name)
    assert not info.available
    assert info.licence
    assert info.reason.endswith(f"is not installed: pip install 'gangplan[{name}]'")


def test_our_backends_run_in_a_watched_process() -> None:
    assert get("highs") == Watched(Highs())


def test_an_unknown_solver_names_the_known_ones() -> None:
    with pytest.raises(GangplanError, match=r"unknown solver 'gurobi': one of highs"):
        get("gurobi")


def test_an_unknown_planner_names_the_known_ones() -> None:
    with pytest.raises(
        GangplanError, match=r"unknown planner 'best': one of auto, anytime, exact, greedy"
    ):
        get_planner("best")


def test_planners_are_listed() -> None:
    assert set(planners()) >= {"exact", "greedy"}


@pytest.mark.parametrize("name", ["exact", "greedy"])
def test_planners_are_made_with_options(name: str) -> None:
    assert get_planner(name, objective="gpus").name == name


def test_an_option_that_a_planner_lacks_is_an_error() -> None:
    with pytest.raises(GangplanError, match="planner exact: it has no option colour"):
        get_planner("exact", colour="red")
