r"""How far down the lists of their choices requests are served (paper, eq. rank).

    late[s] in Z+                          ranks taken for part s of a spec, over all claims
    sum_{o of s} rank_o b[o]  =  late[s]   for each part s with later choices         (rank.taken)

The cost is the sum of late[s]. Off: no columns.
"""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.counts.claim_columns import Claimed
from gangplan.models.counts.indexed import Indexed, indexed
from gangplan.models.errors import FormulationError
from gangplan.models.milp import BIGGEST, Columns, RowBlock, row_block


def columns(claimed: Claimed, cols: Columns) -> Indexed:
    """late[s] for the parts that an option with a later choice serves.

    Raises
    ------
    FormulationError : ranks that may add up to more than 2^40.
    """
    table = claimed.table
    most = np.zeros(len(claimed.own), dtype=np.float64)
    np.add.at(most, table.part, table.rank.astype(np.float64) * claimed.most)
    if (most > BIGGEST).any():
        raise FormulationError("rank.taken: ranks above 2^40 cannot be added up exactly")
    late = np.flatnonzero(most > 0)
    return indexed(cols, "late", late[:, None], most[late].astype(np.int64))


def rows(claimed: Claimed, late: Indexed) -> list[RowBlock]:
    """Write rank.taken."""
    table, n = claimed.table, len(late)
    column = np.full(len(claimed.own), -1, dtype=np.int64)
    column[late.index[:, 0]] = np.arange(n)
    mine = np.flatnonzero(table.rank > 0)
    return [
        row_block(
            "rank.taken",
            np.concatenate([column[table.part[mine]], np.arange(n)]),
            np.concatenate([claimed.b.cols[mine], late.cols]),
            np.concatenate([table.rank[mine], np.full(n, -1, dtype=np.int64)]),
            0.0,
            0.0,
            n,
            late.index,
        )
    ]


def encode(claimed: Claimed, late: Indexed, point: Ints) -> None:
    """Fill late from b, in place."""
    table = claimed.table
    total = np.zeros(len(claimed.own), dtype=np.int64)
    np.add.at(total, table.part, table.rank * point[claimed.b.cols])
    point[late.cols] = total[late.index[:, 0]]
