"""What is asked of a model: its families, one tier priced, the earlier ones held, more demanded."""

from collections.abc import Sequence

import numpy as np

from gangplan.models.bound import step
from gangplan.models.errors import FormulationError
from gangplan.models.formulation import FAMILIES, Formulation, Writing
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp, row_block
from gangplan.models.tiers import EXACT, Tier
from gangplan.models.victims import victims_of


def signed(tier: Tier, amount: int) -> int:
    """Turn a tier's value into its minimised cost, or back."""
    return -amount if tier.maximise else amount


def priced(model: Writing, tiers: Sequence[Tier], i: int, held: Sequence[int]) -> Milp:
    """Return the model under tier i's cost, with every earlier tier no worse than in ``held``.

    The same arguments give the same arrays (``Milp.digest``); certificates rely on it.

    Parameters
    ----------
    held : values of the tiers before i, in their own sense.

    Raises
    ------
    FormulationError : a value that no tier can have.
    """
    milp = model.milp
    for tier, value in zip(tiers[:i], held, strict=True):
        if abs(value) > EXACT:
            raise FormulationError(f"{tier.name} is held to a number above 2^53")
        cost, offset = model.tier_cost(tier)
        used = np.flatnonzero(cost)
        if len(used):
            side = signed(tier, value) - offset
            coefs = cost[used].astype(np.int64)
            zero = np.zeros(len(used))
            rows = row_block(f"held.{tier.name}", zero, used, coefs, -np.inf, side, 1)
            milp = milp.with_rows(rows)
    return milp.with_cost(*model.tier_cost(tiers[i]))


def better_than(milp: Milp, bound: int) -> Milp:
    """Return the model, without cost, of the points that are worth less than ``bound``.

    The row is divided by the step of the objective, which every objective is a multiple of.
    """
    unit = step(milp.cost)
    used = np.flatnonzero(milp.cost)
    coefs = milp.cost[used].astype(np.int64) // unit
    ends = np.maximum(np.abs(milp.lower[used]), np.abs(milp.upper[used]))
    most = sum(abs(int(a)) * int(b) for a, b in zip(coefs, ends, strict=True))
    # A bound may be any number: past what the columns reach, the row says all or nothing.
    side = max(min((bound - milp.offset - 1) // unit, most), -most - 1)
    zero = np.zeros(len(used))
    rows = row_block("better.than", zero, used, coefs, -np.inf, side, 1)
    return milp.with_rows(rows).with_cost(np.zeros(milp.n_cols))


def freedom_off(instance: Instance, formulation: Formulation) -> str:
    """Name what a formulation leaves out that some plan may do; empty where it leaves out nothing.

    Such a model bounds no plan but its own.
    """
    if not formulation.elastic:
        return "elastic pods"
    if not formulation.preemption and victims_of(instance).can.any():
        return "evictions"
    return ""


def no_worse(tiers: Sequence[Tier], values: Sequence[int], held: Sequence[int]) -> bool:
    """Tell whether the first ``values`` are, tier by tier, no worse than those that are held."""
    above = zip(tiers, values, held, strict=False)
    return all(signed(tier, mine) <= signed(tier, kept) for tier, mine, kept in above)


def good_enough(cost: int, bound: int | None, gap: float) -> bool:
    """Tell whether a tier of this (minimised) cost is proven, or within the gap asked for."""
    return bound is not None and cost - bound <= max(0, gap * max(1, abs(cost)))


def families_off(formulation: Formulation) -> tuple[str, ...]:
    """Names of the families that are not written."""
    return tuple(name for name in FAMILIES if not getattr(formulation, name))


def formulation_without(off: Sequence[str]) -> Formulation:
    """Return the formulation that leaves these families out.

    Raises
    ------
    FormulationError : a name that is no family.
    """
    for name in off:
        if name not in FAMILIES:
            raise FormulationError(f"{name} is no family of constraints")
    return Formulation(**dict.fromkeys(off, False))
