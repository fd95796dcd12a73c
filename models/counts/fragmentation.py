r"""Whole device nodes that a plan opens (paper, eq. fragmentation).

    o[n] in {0, 1}           for each intact node n that pods with devices may use
    sum_k (devices_k / w) x[k, n]  <=  M[n] o[n]      for each such node n     (fragmentation.open)

w = gcd of the devices that pods may ask of n, and M[n] = devices of the node, or what all its pairs
would hold together if that is less, in units of w. The cost is the sum of o[n]. Off: no columns.
"""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.columns import EMPTY
from gangplan.models.counts.indexed import Indexed, indexed
from gangplan.models.counts.pairs import Pairs
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.milp import BIGGEST, Columns, RowBlock, VarBlock, row_block


def columns(instance: Instance, pairs: Pairs, cols: Columns) -> Indexed:
    """o[n]: does a pod with devices land on the intact node."""
    mine = instance.nodes.intact[pairs.node] & (instance.roles.devices[pairs.role] > 0)
    opened = np.zeros(len(instance.nodes), dtype=np.bool_)
    opened[pairs.node[mine]] = True
    return indexed(cols, "o", np.flatnonzero(opened)[:, None], 1)


def rows(
    instance: Instance, pairs: Pairs, x: VarBlock, o: Indexed, *, capacity: bool, shares: bool
) -> list[RowBlock]:
    """Write fragmentation.open.

    Parameters
    ----------
    capacity, shares : whether those families bound what a node holds; M then uses its devices.

    Raises
    ------
    FormulationError : more than 2^40 devices.
    """
    column = o.spread(len(instance.nodes))
    devices = instance.roles.devices[pairs.role]
    mine = np.flatnonzero((column[pairs.node] >= 0) & (devices > 0))
    node = pairs.node[mine]
    if (devices[mine].astype(np.float64) @ pairs.upper[mine]) > BIGGEST:
        raise FormulationError("fragmentation.open: devices above 2^40 cannot be solved exactly")
    divisor = np.zeros(len(instance.nodes), dtype=np.int64)
    np.gcd.at(divisor, node, devices[mine])
    divisor = np.maximum(divisor, 1)
    most = np.zeros(len(instance.nodes), dtype=np.int64)
    np.add.at(most, node, devices[mine] // divisor[node] * pairs.upper[mine])
    if capacity and (shares or not len(instance.shared)):
        most = np.minimum(most, _owned(instance) // divisor)
    index = o.index[:, 0]
    number = np.full(len(instance.nodes), -1, dtype=np.int64)
    number[index] = np.arange(len(index))
    return [
        row_block(
            "fragmentation.open",
            np.concatenate([number[node], np.arange(len(index))]),
            np.concatenate([x.cols[mine], o.cols]),
            np.concatenate([devices[mine] // divisor[node], -most[index]]),
            -np.inf,
            0.0,
            len(index),
            index[:, None],
        )
    ]


def _owned(instance: Instance) -> Ints:
    """(N,) free devices of each node in device units; unbounded where pods count them otherwise.

    A role's devices are what it asks of the device resources and of the shared pool. Should an
    instance count them in another way, the node's room says nothing about their sum.
    """
    roles, unit = instance.roles, instance.device_unit
    columns = list(instance.device_columns)
    # Clipped above any number of devices that ``rows`` accepts, so that no sum wraps round.
    asked = unit * np.minimum(roles.request[:, columns], BIGGEST).sum(axis=1)
    pooled = roles.pooled * unit // EMPTY
    if (roles.devices > asked + pooled).any():
        return np.full(len(instance.nodes), np.iinfo(np.int64).max)
    owned = unit * np.minimum(instance.nodes.free[:, columns], BIGGEST).sum(axis=1)
    pool = np.zeros(len(instance.nodes), dtype=np.int64)
    np.add.at(pool, instance.shared.node, instance.shared.free)
    return np.asarray(owned + pool * unit // EMPTY, dtype=np.int64)
