"""Certificate: what one tier's bound rests on, so that it can be checked without its finder.

A certificate is a claim like any other until ``solvers.recheck`` has looked at it. What it needs is
in it: counting needs nothing more, ``lp-dual`` the multipliers and a digest of the rows they speak
of, a search the names of those who searched.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.errors import FormulationError

LARGEST = 2**40
"""Largest multiplier, in units of 2**-20 (``bound.dual_bound`` clips there)."""


@dataclass(frozen=True, slots=True)
class Claimant:
    """Who searched.

    Attributes
    ----------
    name, version : of the backend; the version is empty where it is unknown.
    options : every option that has an influence, as ``name=value`` words.
    """

    name: str
    version: str = ""
    options: str = ""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What the bound of a tier rests on.

    Attributes
    ----------
    tier : name of the tier.
    kind : COUNTING, LP_DUAL, SEARCH or SEARCH_TWICE (``models.result``).
    bound : in the tier's own sense; no plan with ``held`` above is better.
    formulation, off : name of the formulation, and its families that were not written; empty where
        counting needs no model. Counting with a formulation: the tier's cost is a constant there.
    held : values of the earlier tiers, in order, that the model was held to.
    rows, multipliers : the non-zero row multipliers of ``models.bound``, in units of 2**-20.
    priced : the rows are those of a model without the columns that can be priced instead of listed;
        the bound needs these priced again.
    digest : ``Milp.digest`` of the rows and the cost that the multipliers speak of.
    solvers : who searched; two for SEARCH_TWICE.
    """

    tier: str
    kind: str
    bound: int
    formulation: str = ""
    off: tuple[str, ...] = ()
    held: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    multipliers: tuple[int, ...] = ()
    digest: str = ""
    solvers: tuple[Claimant, ...] = ()
    priced: bool = False


def sparse(multipliers: Ints) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Split multipliers (m,) into the numbers of the rows that have one, and their values."""
    rows = np.flatnonzero(multipliers)
    return tuple(rows.tolist()), tuple(multipliers[rows].tolist())


def dense(rows: Sequence[int], multipliers: Sequence[int], n_rows: int) -> Ints:
    """Put sparse multipliers back into one vector (m,).

    Raises
    ------
    FormulationError : no such row, a row named twice, a multiplier above LARGEST, or a number that
        is none of Python's integers.
    """
    if any(type(number) is not int for number in (*rows, *multipliers)):
        raise FormulationError("a row or a multiplier that is no integer")
    if len(rows) != len(multipliers) or len(set(rows)) != len(rows):
        raise FormulationError("a row without a multiplier, or with two")
    if any(not 0 <= row < n_rows for row in rows):
        raise FormulationError(f"a multiplier of a row that is none of the {n_rows}")
    if any(abs(value) > LARGEST for value in multipliers):
        raise FormulationError("a multiplier above 2^20")
    full = np.zeros(n_rows, dtype=np.int64)
    full[list(rows)] = list(multipliers)
    return full
