r"""Shares of a device, and whole devices of a shared pool (paper, eq. shares).

    z[s, j] in Z+            pods that hold a share of s thousandths on device j
    h[j] in {0, 1}           is device j, empty before, held whole by one pod
    sum_{k with share s} x[k, n]  =  sum_{j on n} z[s, j]      for each n and s     (shares.pods)
    sum_k whole_k x[k, n]         =  sum_{j on n} h[j]         for each node n      (shares.whole)
    sum_s (s / w) z[s, j] + b[j] h[j]  <=  b[j]                for each device j    (shares.device)

w = gcd of the shares that can meet on j, b = the largest sum of shares that its free part leaves
room for. Any integral point decodes: pods with equal shares may trade devices. Off: no columns,
and pairs ignore devices.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import EMPTY
from gangplan.models.counts.indexed import Indexed, indexed, nothing
from gangplan.models.counts.knapsack import meetings, tightened
from gangplan.models.counts.pairs import Pairs
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block


@dataclass(frozen=True, slots=True, eq=False)
class Devices:
    """The device columns.

    Attributes
    ----------
    z : columns by (share in thousandths, device).
    h : columns by device.
    """

    z: Indexed
    h: Indexed


def none() -> Devices:
    """Return the blocks of a family that is off."""
    return Devices(nothing("z", 2), nothing("h", 1))


def columns(instance: Instance, pairs: Pairs, cols: Columns) -> Devices:
    """z[s, j] and h[j] where a pair of the device's node asks for them."""
    shared = instance.shared
    sizes, asked = _asked(instance, pairs)
    size, device = np.nonzero(asked[:, shared.node] & (sizes[:, None] <= shared.free[None, :]))
    index = np.column_stack([sizes[size], device])
    z = indexed(cols, "z", index, shared.free[device] // np.maximum(sizes[size], 1))
    whole = _whole_asked(instance, pairs)[shared.node] & (shared.free == EMPTY)
    return Devices(z, indexed(cols, "h", np.flatnonzero(whole)[:, None], 1))


def rows(instance: Instance, pairs: Pairs, x: VarBlock, devices: Devices) -> list[RowBlock]:
    """Write shares.pods, shares.whole and shares.device."""
    z, h, node_of = devices.z, devices.h, instance.shared.node
    if not (instance.roles.share[pairs.role] + instance.roles.whole[pairs.role]).any():
        return []
    n_nodes = max(len(instance.nodes), 1)
    share, whole = instance.roles.share[pairs.role], instance.roles.whole[pairs.role]
    mine = np.flatnonzero(share > 0)
    keys, number = np.unique(
        np.concatenate(
            [
                share[mine] * n_nodes + pairs.node[mine],
                z.index[:, 0] * n_nodes + node_of[z.index[:, 1]],
            ]
        ),
        return_inverse=True,
    )
    pods = _equal(
        "shares.pods", number.reshape(-1), x.cols[mine], np.ones(len(mine), dtype=np.int64),
        z.cols, np.column_stack([keys // n_nodes, keys % n_nodes]),
    )  # fmt: skip
    mine = np.flatnonzero(whole > 0)
    keys, number = np.unique(
        np.concatenate([pairs.node[mine], node_of[h.index[:, 0]]]), return_inverse=True
    )
    held = _equal(
        "shares.whole", number.reshape(-1), x.cols[mine], whole[mine], h.cols, keys[:, None]
    )
    return [pods, held, _device(instance, devices)]


def _asked(instance: Instance, pairs: Pairs) -> tuple[Ints, Flags]:
    """Distinct shares (s,), and whether a pair of node n asks for each, (s, N)."""
    share = instance.roles.share[pairs.role]
    mine = share > 0
    sizes, size = np.unique(share[mine], return_inverse=True)
    asked = np.zeros((len(sizes), len(instance.nodes)), dtype=np.bool_)
    asked[size.reshape(-1), pairs.node[mine]] = True
    return sizes, asked


def _whole_asked(instance: Instance, pairs: Pairs) -> Flags:
    asked = np.zeros(len(instance.nodes), dtype=np.bool_)
    asked[pairs.node[instance.roles.whole[pairs.role] > 0]] = True
    return asked


def _equal(name: str, number: Ints, left: Ints, factor: Ints, right: Ints, about: Ints) -> RowBlock:
    """Rows ``factor' left = sum right``; ``number`` gives the row of each entry."""
    return row_block(
        name,
        number,
        np.concatenate([left, right]),
        np.concatenate([factor, np.full(len(right), -1, dtype=np.int64)]),
        0.0,
        0.0,
        len(about),
        about,
    )


def _device(instance: Instance, devices: Devices) -> RowBlock:
    z, h, free = devices.z, devices.h, instance.shared.free
    sizes, size = np.unique(z.index[:, 0], return_inverse=True)
    present = np.zeros((len(sizes), len(free)), dtype=np.bool_)
    present[size.reshape(-1), z.index[:, 1]] = True
    divisor, side = tightened(meetings(present), sizes, free)
    used = np.flatnonzero(present.any(axis=0))
    number = np.full(len(free), -1, dtype=np.int64)
    number[used] = np.arange(len(used))
    both = h.index[:, 0][number[h.index[:, 0]] >= 0]
    held = h.cols[number[h.index[:, 0]] >= 0]
    return row_block(
        "shares.device",
        np.concatenate([number[z.index[:, 1]], number[both]]),
        np.concatenate([z.cols, held]),
        np.concatenate([z.index[:, 0] // divisor[z.index[:, 1]], side[both]]),
        -np.inf,
        side[used],
        len(used),
        used[:, None],
    )
