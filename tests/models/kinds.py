"""Every formulation, for tests that hold for all of them."""

import pytest

from gangplan.solvers.registry import formulation

NAMES = ("counts", "assignment")
"""Formulations that carry every family."""

KINDS = tuple(formulation(name) for name in NAMES)

EVERY_KIND = pytest.mark.parametrize("kind", KINDS, ids=NAMES)
