r"""All-or-nothing admission of a gang (paper, eq. gang).

    y[g] in {0, 1}                             for each gang g that does not stand
    sum_n x[k, n]           <=  most_k y[g]      for each role k of g             (gang.role)
    sum_n x[k, n]           >=  least_k y[g]     where 0 < least_k < most_k       (gang.least)
    sum_{k in g, n} x[k, n] >=  least_g y[g]     where the roles do not imply it  (gang.minimum)

An exact role (least_k = most_k) has gang.role as an equality. A gang with topology.inside has these
rows there, domain by domain; y[g] = 0 where counting says that no plan admits it. Off: least_g = 1
and no role has a minimum, so that a gang may be partial.
"""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts.indexed import Indexed, indexed
from gangplan.models.counts.pairs import Pairs
from gangplan.models.counts.sizes import Sizes
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block


def columns(sizes: Sizes, pairs: Pairs, cols: Columns) -> Indexed:
    """y[g]: is the gang admitted; fixed at 0 where counting says it cannot be."""
    mine = np.flatnonzero(sizes.decided)
    return indexed(cols, "y", mine[:, None], (~pairs.closed[mine]).astype(np.int64))


def rows(
    instance: Instance, sizes: Sizes, pairs: Pairs, x: VarBlock, y: Indexed, covered: Flags
) -> list[RowBlock]:
    """Write the gang rows.

    Parameters
    ----------
    covered : (G,) groups whose sizes other rows tie to y already.
    """
    group = instance.roles.group
    admitted = y.spread(len(instance.groups))
    live = (admitted >= 0) & ~pairs.closed & ~covered
    role = live[group]
    exact = sizes.least == sizes.most
    least = role & (sizes.least > 0) & ~exact
    total_least = instance.per_group(sizes.least)
    minimum = live & (sizes.group_least > total_least)
    by_role = pairs.role, admitted[group]
    by_group = group[pairs.role], admitted
    low = np.where(exact[role], 0.0, -np.inf)
    return [
        _link("gang.role", role, *by_role, x, sizes.most, low, 0.0),
        _link("gang.least", least, *by_role, x, sizes.least, 0.0, np.inf),
        _link("gang.minimum", minimum, *by_group, x, sizes.group_least, 0.0, np.inf),
    ]


def _link(
    name: str,
    chosen: Flags,
    of_pair: Ints,
    column: Ints,
    x: VarBlock,
    factor: Ints,
    lower: float | np.ndarray[tuple[int], np.dtype[np.float64]],
    upper: float,
) -> RowBlock:
    """Rows ``lower <= sum of x over the pairs of i - factor_i column_i <= upper``, i chosen."""
    index = np.flatnonzero(chosen)
    number = np.cumsum(chosen) - 1
    mine = np.flatnonzero(chosen[of_pair])
    return row_block(
        name,
        np.concatenate([number[of_pair[mine]], np.arange(len(index))]),
        np.concatenate([x.cols[mine], column[index]]),
        np.concatenate([np.ones(len(mine), dtype=np.int64), -factor[index]]),
        lower,
        upper,
        len(index),
        index[:, None],
    )
