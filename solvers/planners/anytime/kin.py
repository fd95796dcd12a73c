"""Kin: atoms that units stand on together. A part can only bring back, or spare, who is all in it.

An evicted unit with pods on other nodes stays evicted, and one that is not falls whole for what it
makes room for in the part. So a neighbourhood around units is grown by who is nearly all in it.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.instance import Instance
from gangplan.models.victims import victims_of

FALLEN = 3.0
"""How much more a unit counts that the plan evicts."""


@dataclass(frozen=True, slots=True, eq=False)
class Kin:
    """Units u that can fall and stand on several atoms.

    Attributes
    ----------
    unit : (u,) numbers of the units.
    on : (u, A) 1 where a unit has a pod.
    """

    unit: Ints
    on: csr_array

    def pull(self, chosen: Flags, evicted: Ints) -> Floats:
        """Return (A,) how much each atom would help to have units whole beside the chosen ones."""
        there = self.on @ chosen.astype(np.float64)
        missing = self.on.sum(axis=1) - there
        weight = np.where(np.isin(self.unit, evicted), FALLEN, 1.0)
        drawn = np.where(there > 0, weight / np.maximum(missing, 1.0), 0.0)
        pulled: Floats = self.on.T @ drawn
        return pulled


def kin_of(instance: Instance, of_node: Ints, atoms: int) -> Kin | None:
    """Find who stands where; None where no unit that can fall is on two atoms.

    Parameters
    ----------
    of_node : (N,) atom of each node.
    """
    running = instance.running
    if not len(running):
        return None
    on = (running.pod_node >= 0) & victims_of(instance).can[running.pod_unit]
    pairs = np.stack([running.pod_unit[on], of_node[running.pod_node[on]]], axis=1)
    pairs = np.unique(pairs, axis=0).reshape(-1, 2)
    _, first, count = np.unique(pairs[:, 0], return_inverse=True, return_counts=True)
    several = count[first] > 1
    if not several.any():
        return None
    kept, row = np.unique(pairs[several, 0], return_inverse=True)
    ones = np.ones(len(row))
    on_atoms = csr_array((ones, (row, pairs[several, 1])), shape=(len(kept), atoms))
    return Kin(kept.astype(np.int64), on_atoms)
