"""The model that the first goal of a plan is solved with, as a file for another solver."""

import os
from collections.abc import Callable
from pathlib import Path

from gangplan.models.errors import GangplanError
from gangplan.models.formulation import Kind
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.tiers import Tier
from gangplan.solvers.export.lp import write_lp
from gangplan.solvers.export.mps import write_mps

FORMATS: dict[str, Callable[[Milp, str | os.PathLike[str]], None]] = {
    ".mps": write_mps,
    ".lp": write_lp,
}
"""Ending of a file name -> who writes it."""


def writer_of(path: str | os.PathLike[str]) -> Callable[[Milp, str | os.PathLike[str]], None]:
    """Return who writes files of this ending.

    Raises
    ------
    GangplanError : an ending that is none of FORMATS.
    """
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise GangplanError(f"{path}: a file name ending in {' or '.join(FORMATS)} expected")
    return FORMATS[ending]


def write_first_tier(
    instance: Instance, kind: Kind, tier: Tier, path: str | os.PathLike[str]
) -> None:
    """Write the whole model with the cost of one tier, to be minimised.

    A tier that counts what is wanted most stands in it negated: -5 is five. No other tier is held
    to a value, so this is the model of the first tier of a plan; later ones hold those above.

    Raises
    ------
    GangplanError : an unknown ending, a path that cannot be written, a full disk.
    """
    write = writer_of(path)
    writing = kind.write(instance)
    model = writing.model
    write(model.milp.with_cost(*kind.tier_cost(model, tier)), path)
