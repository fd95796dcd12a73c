import subprocess
import sys

import pytest

import gangplan

HEAVY = {"highspy", "yaml", "typer", "rich", "scipy", "pandas", "pulp", "numpy", "click"}


def loaded_after(statement: str) -> set[str]:
    """Top-level modules that a fresh interpreter holds after ``statement``."""
    code = f"import sys\n{statement}\nprint(*sorted({{m.partition('.')[0] for m in sys.modules}}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize("name", gangplan.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(gangplan, name) is not None


def test_the_public_names_are_these() -> None:
    assert gangplan.__all__ == [
        "GangplanError",
        "Instance",
        "Limits",
        "Plan",
        "Result",
        "Violation",
        "compare",
        "load",
        "plan",
        "recheck",
        "verify",
        "__version__",
    ]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = gangplan.nothing


def test_import_gangplan_loads_nothing_heavy() -> None:
    assert loaded_after("import gangplan") & HEAVY == set()


@pytest.mark.parametrize("name", gangplan.__all__[:-1])
def test_every_public_name_says_what_it_is(name: str) -> None:
    assert (getattr(gangplan, name).__doc__ or "").split("\n")[0].endswith((".", ":"))


def test_the_library_verbs_load_no_reader_and_no_solver() -> None:
    assert loaded_after("import gangplan\ngangplan.load") & HEAVY == {"numpy", "scipy"}


def test_the_command_line_loads_no_reader_and_no_solver() -> None:
    heavy = loaded_after("import gangplan.cli.app") & HEAVY
    assert heavy & {"highspy", "yaml", "numpy", "scipy", "pandas", "pulp"} == set()
