r"""Does a standing or basic owner get any new pod: a yes/no for some rows (paper, eq. placing).

    p[o] in {0, 1}      for owners o without y or w whose preferred or slice rules ask for it
    sum_n x[k, n]  <=  most_k p[o]      for each role k of o            (assign.places)

p[o] = 1 without a pod never pays, so the converse needs no row. For other families a[t] is the
yes/no of the owner of rule t: its y, w or p, whichever it has.
"""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts.indexed import Indexed, indexed
from gangplan.models.counts.pairs import Pairs
from gangplan.models.counts.sizes import Sizes
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block


def columns(instance: Instance, sizes: Sizes, pairs: Pairs, asked: Flags, cols: Columns) -> Indexed:
    """p[o] for the ``asked`` (G + H,) owners that have pairs and neither y nor w."""
    decided = np.concatenate([sizes.decided, sizes.tree_decided])
    owners = [
        o
        for o in np.flatnonzero(asked & ~decided)
        if (pairs.slots[instance.roles_of(int(o))]).any()
    ]
    return indexed(cols, "p", np.array(owners, dtype=np.int64).reshape(-1, 1), 1)


def rows(instance: Instance, sizes: Sizes, pairs: Pairs, x: VarBlock, p: Indexed) -> list[RowBlock]:
    """Write assign.places."""
    if not len(p):
        return []
    row: list[Ints] = [np.zeros(0, dtype=np.int64)]
    col: list[Ints] = [np.zeros(0, dtype=np.int64)]
    coef: list[Ints] = [np.zeros(0, dtype=np.int64)]
    about: list[Ints] = []
    at = 0
    for owner, column in zip(p.index[:, 0], p.cols, strict=True):
        for k in instance.roles_of(int(owner)):
            start, end = np.searchsorted(pairs.role, [k, k + 1])
            if start < end:
                row.append(np.full(end - start + 1, at))
                col.append(np.append(x.cols[start:end], column))
                coef.append(np.append(np.ones(end - start, dtype=np.int64), -sizes.most[k]))
                about.append(np.array([owner, k]))
                at += 1
    return [
        row_block(
            "assign.places", np.concatenate(row), np.concatenate(col), np.concatenate(coef),
            -np.inf, 0.0, at, np.array(about, dtype=np.int64).reshape(-1, 2),
        )
    ]  # fmt: skip
