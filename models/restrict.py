"""What a planner was asked to leave alone: preemption off, or budgets that bind."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gangplan.models.errors import PlanError
from gangplan.models.gone import without_units
from gangplan.models.instance import Instance
from gangplan.models.victims import victims_of

OFF = "{}: what is proven, and why groups wait, holds for plans without evictions"
"""The warning where somebody could have been evicted, and why nobody is."""

PDB = ("soft", "hard")
"""``soft``: each victim beyond a PodDisruptionBudget counts in ``lost-budgets``. ``hard``: none."""


def restricted(
    instance: Instance, objective: str = "groups", *, preemption: bool = True, pdb: str = "soft"
) -> Instance:
    """Return the instance that a planner with these options plans; indices stay as they are.

    Parameters
    ----------
    objective : ``weighted-gpus`` evicts nobody.
    preemption : False: nobody is evicted.
    pdb : one of PDB.

    Raises
    ------
    PlanError : another word for ``pdb``.
    """
    if pdb not in PDB:
        raise PlanError(f"pdb {pdb!r}: one of {', '.join(PDB)} expected")
    if not len(instance.running):
        return instance
    if objective == "weighted-gpus" or not preemption:
        return without_units(instance)
    if pdb == "hard" and len(instance.running.budget_hard):
        hard = np.ones(len(instance.running.budget_hard), dtype=np.bool_)
        return replace(instance, running=replace(instance.running, budget_hard=hard))
    return instance


def off(instance: Instance, objective: str, *, preemption: bool) -> tuple[str, ...]:
    """Warn where somebody could be evicted, and these options say that nobody is."""
    asked = preemption and objective != "weighted-gpus"
    if asked or not victims_of(instance).can.any():
        return ()
    why = f"{objective} evicts nobody" if preemption else "preemption is off"
    return (OFF.format(why),)


def said(*, preemption: bool = True, pdb: str = "soft") -> dict[str, object]:
    """Write the options into a result's planner: each only where it is not the usual one."""
    return {
        **({} if preemption else {"preemption": False}),
        **({} if pdb == "soft" else {"pdb": pdb}),
    }


def as_planned(instance: Instance, planner: Mapping[str, object]) -> Instance:
    """Return the instance that a result's planner has planned, by the options it wrote down.

    Raises
    ------
    PlanError : ``preemption`` is neither True nor False, or another word for ``pdb``.
    """
    preemption = planner.get("preemption", True)
    if not isinstance(preemption, bool):
        raise PlanError(f"preemption {preemption!r:.60}: true or false expected")
    return restricted(
        instance,
        str(planner.get("objective", "groups")),
        preemption=preemption,
        pdb=str(planner.get("pdb", "soft")),
    )
