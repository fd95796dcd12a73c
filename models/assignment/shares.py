r"""Shares of a device, and whole devices of a shared pool: one binary per pod and device.

    z[p, j] in {0, 1}             for each pod p with a share or whole devices, and device j of a
                                  node it may use; j is empty for whole ones
    sum_{j on n} z[p, j]  =  c_p x[p, n]      for each such pod p and node n        (shares.hold)
    sum_p part_p z[p, j]  <=  free[j]         for each device j                     (shares.device)

c_p = 1 and part_p = the share in thousandths, or c_p = the devices it holds whole and part_p =
1000. Off: no columns, and pods hold no device.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.assignment.links import sums
from gangplan.models.assignment.pairs import Pairs
from gangplan.models.columns import EMPTY
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block


@dataclass(frozen=True, slots=True, eq=False)
class Holds:
    """What may be held: pair e (a pod on a node) and device j of the node, sorted.

    Attributes
    ----------
    pair, device : (c,) the index of each z-column.
    """

    pair: Ints
    device: Ints


def holds_of(instance: Instance, pairs: Pairs) -> Holds:
    """Find the (pair, device) combinations that have a column."""
    roles, shared = instance.roles, instance.shared
    asking = np.flatnonzero(roles.pooled[pairs.role])
    first = np.searchsorted(shared.node, pairs.node[asking])
    number = np.searchsorted(shared.node, pairs.node[asking], side="right") - first
    pair = np.repeat(asking, number)
    offset = np.arange(len(pair)) - np.repeat(np.cumsum(number) - number, number)
    device = np.repeat(first, number) + offset
    fits = _part(instance)[pairs.role[pair]] <= shared.free[device]
    return Holds(pair[fits], device[fits])


def columns(holds: Holds, cols: Columns) -> VarBlock:
    """Columns z (c,)."""
    return cols.add("z", np.zeros(len(holds.pair), dtype=np.int64), 1)


def rows(
    instance: Instance, pairs: Pairs, holds: Holds, x: VarBlock, z: VarBlock
) -> list[RowBlock]:
    """Write shares.hold and shares.device."""
    roles = instance.roles
    asking = np.flatnonzero(roles.pooled[pairs.role])
    each = np.where(roles.share > 0, 1, roles.whole)[pairs.role[asking]]
    part = _part(instance)[pairs.role[holds.pair]]
    device, row = np.unique(holds.device, return_inverse=True)
    return [
        sums(
            "shares.hold", np.searchsorted(asking, holds.pair), z.cols, each, x.cols[asking], "=",
            np.column_stack([pairs.pod[asking], pairs.node[asking]]),
        ),
        row_block(
            "shares.device", row, z.cols, part, -np.inf, instance.shared.free[device], len(device),
            device[:, None],
        ),
    ]  # fmt: skip


def _part(instance: Instance) -> Ints:
    """(K,) thousandths of one device that a pod takes of it."""
    return np.where(instance.roles.share > 0, instance.roles.share, EMPTY)
