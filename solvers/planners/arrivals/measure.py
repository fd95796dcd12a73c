"""How many thousandths of GPUs of a node the expected pods cannot use.

Two measures of (M,) states of nodes. Both are expectations over the typical workload:

``fragments``
    FGD's measure (Weng et al., "Beware of Fragmentation", USENIX ATC 2023, section 4): for a kind
    that the node can take, the devices that are too full for it; for one that it cannot take, all
    that is free.
``stranded``
    what is still free once the node has been filled with pods of that kind alone. FGD's measure
    asks whether one more pod fits: it sees no harm in using up the CPU of a node with eight empty
    GPUs until the last pod's worth of it. This one sees it from the first pod on.
"""

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.solvers.planners.arrivals.workload import Workload


def fragments(workload: Workload, free: Ints, left: Ints, node_class: Ints) -> Floats:
    """(M,) FGD's expected fragmentation of each state, in thousandths of GPUs.

    Parameters
    ----------
    free : (M,) what is free of the workload's resource.
    left : (M, W) what is free of each device.
    node_class : (M,) class of the node.
    """
    sizes, size = np.unique(workload.milli, return_inverse=True)
    enough = left[:, None, :] >= sizes[None, :, None]
    many = enough.sum(axis=2)[:, size]
    wasted = (left[:, None, :] * ~enough).sum(axis=2)[:, size]
    whole = left.sum(axis=1)[:, None]
    taken = (
        (workload.milli > 0)
        & (many >= workload.number)
        & (free[:, None] >= workload.column)
        & workload.fits_class[:, node_class].T
    )
    found: Floats = np.where(taken, wasted, whole) @ workload.weight
    return found


def stranded(workload: Workload, free: Ints, left: Ints, node_class: Ints) -> Floats:
    """(M,) thousandths of GPUs left when a node is filled with one kind, expected over the kinds.

    Kinds that ask no device say nothing here; parameters as in ``fragments``.
    """
    uses = workload.milli > 0
    total: Floats = left.sum(axis=1).astype(np.float64)
    if not uses.any():
        return total
    milli, number, column = workload.milli[uses], workload.number[uses], workload.column[uses]
    sizes, size = np.unique(milli, return_inverse=True)
    slots = (left[:, None, :] // sizes[None, :, None]).sum(axis=2)[:, size] // number
    by_column = free[:, None] // np.maximum(column, 1)
    pods = np.minimum(slots, np.where(column > 0, by_column, slots))
    pods = pods * workload.fits_class[uses][:, node_class].T
    weight = workload.weight[uses]
    found: Floats = total - (pods * milli * number) @ (weight / weight.sum())
    return found
