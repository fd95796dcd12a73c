"""Versions of what took part in a plan."""

import sys
from collections.abc import Iterable
from importlib import metadata

from gangplan.solvers.registry import available
from gangplan.solvers.second import RELAY, engine_of

PACKAGES = ("gangplan", "numpy", "scipy")
"""Packages that every plan is made with."""


def versions(solvers: Iterable[str] = ()) -> dict[str, str]:
    """Return ``python``, packages and backends -> version; empty where it is unknown.

    Parameters
    ----------
    solvers : names of those that were asked; ``pyomo:cbc`` is two backends.
    """
    found = {"python": sys.version.split()[0]}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    asked = sorted({backend for name in solvers for backend in _backends(name)})
    known = {info.name: info.version for info in available()} if asked else {}
    return found | {backend: known.get(backend, "") for backend in asked}


def _backends(name: str) -> set[str]:
    return {RELAY, engine_of(name)} if name.partition(":")[0] == RELAY else {name}
