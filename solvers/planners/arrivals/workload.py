"""The typical workload: which pods are expected next, as the fragmentation measure reads it."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.columns import EMPTY
from gangplan.models.instance import Instance


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """Kinds of pods t, most frequent first.

    Attributes
    ----------
    column : (T,) what a pod asks of the one resource that the measures look at.
    milli : (T,) thousandths of each device it asks; 0 where it asks none.
    number : (T,) devices it asks.
    fits_class : (T, C) the node classes it may use.
    weight : (T,) how likely it is the next to arrive; they sum to 1.
    """

    column: Ints
    milli: Ints
    number: Ints
    fits_class: Flags
    weight: Floats


def typical(instance: Instance, counts: Ints, part: float = 1.0, resource: int = 0) -> Workload:
    """Return the most frequent kinds that make up ``part`` of all pods (Weng et al. 2023, 4.1).

    Roles that ask the same of ``resource`` and of devices, of the same classes, are one kind.

    Parameters
    ----------
    counts : (K,) pods of each role that were seen.
    part : 0 < part <= 1; the published experiments take 0.95.
    """
    roles = instance.roles
    milli = np.where(roles.share > 0, roles.share, np.where(roles.whole > 0, EMPTY, 0))
    number = np.where(roles.share > 0, 1, roles.whole)
    table = np.column_stack((roles.request[:, resource], milli, number, roles.eligible))
    kinds, kind = np.unique(table, axis=0, return_inverse=True)
    pods = np.bincount(kind.ravel(), weights=counts, minlength=len(kinds))
    order = np.argsort(-pods, kind="stable")
    order = order[pods[order] > 0]
    before = np.concatenate(([0.0], np.cumsum(pods[order])[:-1]))
    kept = order[before < part * pods.sum()]
    return Workload(
        kinds[kept, 0],
        kinds[kept, 1],
        kinds[kept, 2],
        kinds[kept, 3:].astype(np.bool_),
        pods[kept] / max(pods[kept].sum(), 1.0),
    )
