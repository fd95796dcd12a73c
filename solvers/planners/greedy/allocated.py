"""Allocated: where a shared claim has its devices."""

from dataclasses import dataclass

from gangplan.models.arrays import Flags
from gangplan.solvers.planners.greedy.allocator.search import Given


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """Where a shared claim is allocated.

    Attributes
    ----------
    key : equal for sites with the same nodes.
    nodes : (N,) nodes of its users.
    node : the one node that serves it like an own claim; -1 where ``given`` are its devices.
    """

    key: bytes
    nodes: Flags
    node: int
    given: Given
