"""Tier: one level of the lexicographic objective, by name, kind and sense."""

from dataclasses import dataclass

EXACT = 2**53
"""No tier may be worth more: up to here a float64, and any sum of worths, is exact."""


@dataclass(frozen=True, slots=True)
class Tier:
    """One level of the objective.

    Attributes
    ----------
    name : as printed: ``admitted(5)``, ``elastic(0)``, ``preferred``, ...
    kind : ``lost``, ``admitted``, ``elastic``, ``rank``, ``preferred`` or ``fragmentation``.
    maximise : the sense.
    unit : of ``admitted``, the worth of a root unit: ``one``, ``pods``, ``devices``, ``age``; of
        ``lost``, what is counted: ``budgets``, ``devices``, ``pods``, ``hours``.
    weights : (priority, weight) pairs this tier counts; one pair with weight 1, or all priorities
        for ``weighted-gpus``.
    """

    name: str
    kind: str
    maximise: bool
    unit: str = "one"
    weights: tuple[tuple[int, int], ...] = ()
