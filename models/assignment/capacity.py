r"""Free room of the nodes (textbook knapsack rows).

    sum_p request[p, r] x[p, n]  <=  free[n, r]     for each node n, resource r    (capacity.fits)

Both sides are divided by the gcd of all requests of r, the right one rounded down, so that bytes
stay exact; rows that all pods of the node together cannot exceed are left out. Nothing is lifted.
Off: no rows, and any number of pods fits a node.
"""

import numpy as np

from gangplan.models.assignment.pairs import Pairs
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.milp import BIGGEST, RowBlock, VarBlock, row_block


def rows(instance: Instance, pairs: Pairs, x: VarBlock) -> list[RowBlock]:
    """Write capacity.fits.

    Raises
    ------
    FormulationError : a quantity above 2^40 after scaling; the message names node and resource.
    """
    none = np.zeros(0, dtype=np.int64)
    row, col, coef, side, about, count = [none], [none], [none], [none], [none.reshape(0, 2)], 0
    n_nodes, n_resources = instance.nodes.free.shape
    for r in range(n_resources):
        request = instance.roles.request[pairs.role, r]
        divisor = max(int(np.gcd.reduce(request)), 1)
        request, free = request // divisor, instance.nodes.free[:, r] // divisor
        asked = np.bincount(pairs.node, weights=request, minlength=n_nodes)
        # Raised by more than the sum's error: a row is left out only where it surely cannot bind.
        binds = np.floor(asked * (1 + 1e-9)) > free
        mine = np.flatnonzero(binds[pairs.node] & (request > 0))
        nodes, number = np.unique(pairs.node[mine], return_inverse=True)
        wide = nodes[free[nodes] > BIGGEST]
        if len(wide):
            names = instance.names
            raise FormulationError(
                f"node {names.nodes[wide[0]]}: {names.resources[r]}: a quantity above 2^40 after"
                " division by the common divisor of the requests cannot be solved exactly"
            )
        row.append(number.reshape(-1) + count)
        col.append(x.cols[mine])
        coef.append(request[mine])
        side.append(free[nodes])
        about.append(np.column_stack([nodes, np.full(len(nodes), r)]))
        count += len(nodes)
    return [
        row_block(
            "capacity.fits", np.concatenate(row), np.concatenate(col), np.concatenate(coef),
            -np.inf, np.concatenate(side), count, np.concatenate(about),
        )
    ]  # fmt: skip
