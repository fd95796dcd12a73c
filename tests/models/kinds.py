"""Every formulation, for tests that hold for all of them."""

import pytest

from gangplan.solvers.registry import formulation, formulations

KINDS = tuple(formulation(name) for name in formulations())

EVERY_KIND = pytest.mark.parametrize("kind", KINDS, ids=formulations())
