from importlib import metadata

from gangplan.solvers.registry import available
from gangplan.solvers.versions import PACKAGES, versions


def test_without_a_solver_the_packages_are_named() -> None:
    assert set(versions()) == {"python", *PACKAGES}
    assert versions()["gangplan"] == metadata.version("gangplan")


def test_every_backend_comes_with_its_version() -> None:
    infos = {info.name: info.version for info in available()}
    found = versions(["highs", "highs", "cbc"])
    assert found["highs"] == metadata.version("highspy")
    assert {name: found[name] for name in found.keys() - versions().keys()} == {
        "highs": infos["highs"],
        "cbc": infos["cbc"],
    }


def test_a_relay_and_the_engine_behind_it_are_two_backends() -> None:
    assert versions(["pyomo:cbc"]).keys() - versions().keys() == {"pyomo", "cbc"}
    assert versions(["pyomo"]).keys() - versions().keys() == {"pyomo", "highs"}
    assert versions(["pyomo:appsi_highs"]).keys() - versions().keys() == {"pyomo", "highs"}


def test_a_solver_that_nobody_knows_has_no_version() -> None:
    assert versions(["mine"])["mine"] == ""
