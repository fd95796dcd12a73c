r"""Free room of the nodes (paper, eq. capacity).

    sum_k (request[k, r] / w) x[k, n]  <=  b[n, r]    for each node n, resource r  (capacity.fits)

w = gcd of the requests that can meet on n, and b = the largest sum of requests that free[n, r] / w
leaves room for: both keep every integer point. Rows that cannot bind, or that another resource's
row of the node implies, are left out. Off: no rows, and any number of pods fits a node.
"""

from itertools import combinations

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts.knapsack import meetings, tightened
from gangplan.models.counts.pairs import Pairs
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.milp import BIGGEST, RowBlock, VarBlock, row_block

EXACT = 2**31
"""Numbers up to here multiply without overflow, so that rows can be compared exactly."""


def rows(instance: Instance, pairs: Pairs, x: VarBlock) -> list[RowBlock]:
    """Write capacity.fits, one row a node and resource that can bind."""
    free = instance.nodes.free
    n_nodes, n_resources = free.shape
    shapes, shape = np.unique(instance.roles.request, axis=0, return_inverse=True)
    shape = shape.reshape(-1)
    present = np.zeros((len(shapes), n_nodes), dtype=np.bool_)
    present[shape[pairs.role], pairs.node] = True
    met = meetings(present)
    divisor, side = np.ones((2, n_resources, n_nodes), dtype=np.int64)
    for r in range(n_resources):
        divisor[r], side[r] = tightened(met, shapes[:, r], free[:, r])
    demand = _demand(instance, pairs, divisor)
    binds: Flags = demand > side
    kept = binds & ~_implied(shapes, present, divisor, side, np.any(binds, axis=1))
    _refuse(instance, shapes, present, divisor, np.where(kept, side, 0))
    return [_block(instance, pairs, x, kept, divisor, side)]


def _block(
    instance: Instance, pairs: Pairs, x: VarBlock, kept: Flags, divisor: Ints, side: Ints
) -> RowBlock:
    resource, node = np.nonzero(kept)
    number = np.zeros(kept.shape, dtype=np.int64)
    number[resource, node] = np.arange(len(node))
    row, col, coef = [], [], []
    for r in range(kept.shape[0]):
        request = instance.roles.request[:, r]
        mine = np.flatnonzero(kept[r, pairs.node] & (request[pairs.role] > 0))
        n = pairs.node[mine]
        row.append(number[r, n])
        col.append(x.cols[mine])
        coef.append(request[pairs.role[mine]] // divisor[r, n])
    none = np.zeros(0, dtype=np.int64)
    return row_block(
        "capacity.fits",
        np.concatenate([none, *row]),
        np.concatenate([none, *col]),
        np.concatenate([none, *coef]),
        -np.inf,
        side[kept],
        len(node),
        np.column_stack([node, resource]),
    )


def _demand(instance: Instance, pairs: Pairs, divisor: Ints) -> Ints:
    """(R, N) what all pairs of a node would ask together; clipped, and never too small."""
    total = np.zeros(divisor.shape)
    for r in range(len(divisor)):
        asked = instance.roles.request[pairs.role, r].astype(np.float64) * pairs.upper
        total[r] = np.bincount(pairs.node, weights=asked, minlength=divisor.shape[1])
    # Raised by more than the sum's error: a row is dropped only where it surely cannot bind.
    return np.floor(np.minimum(total / divisor * (1 + 1e-9), 2.0**62)).astype(np.int64)


def _implied(shapes: Ints, present: Flags, divisor: Ints, side: Ints, binds: Flags) -> Flags:
    """(R, N) rows r that another row s of the node implies: a_r / b_r <= a_s / b_s for every pod.

    Of rows that imply each other the first one stays. Numbers too big to multiply imply nothing;
    resources r outside ``binds`` (R,) have no row that could imply or be implied.
    """
    implied = np.zeros(side.shape, dtype=np.bool_)
    resources = np.flatnonzero(binds).tolist()
    weight, small = {}, {}
    for r in resources:
        weight[r] = np.where(present, shapes[:, r, None] // divisor[r], 0)
        small[r] = (side[r] > 0) & (side[r] < EXACT) & (weight[r] < EXACT).all(axis=0)
        weight[r] *= small[r]
    for r, s in combinations(resources, 2):
        left, right = weight[r] * (side[s] * small[s]), weight[s] * (side[r] * small[r])
        both = small[r] & small[s]
        by_s = both & ~(left > right).any(axis=0)
        by_r = both & ~(right > left).any(axis=0)
        implied[r] |= by_s & ~by_r
        implied[s] |= by_r
    return implied


def _refuse(instance: Instance, shapes: Ints, present: Flags, divisor: Ints, side: Ints) -> None:
    """Name the node and resource whose numbers stay above 2^40 after scaling."""
    if max(int(side.max(initial=0)), int(shapes.max(initial=0))) <= BIGGEST:
        return
    for r in range(len(divisor)):
        top = np.where(present, shapes[:, r, None], 0).max(axis=0, initial=0) // divisor[r]
        wide = np.flatnonzero(np.maximum(side[r], np.where(side[r] > 0, top, 0)) > BIGGEST)
        if len(wide):
            names = instance.names
            raise FormulationError(
                f"node {names.nodes[wide[0]]}: {names.resources[r]}: a quantity above 2^40 after"
                " division by the common divisor of the requests cannot be solved exactly"
            )
