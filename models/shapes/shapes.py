"""Shapes: what one pod asks of a node, whatever group it belongs to."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.options.slots import claim_kinds
from gangplan.models.victims import victims_of


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """Distinct shapes s of the roles that may be placed.

    Attributes
    ----------
    of_role : (K,) shape of each role; -1 for roles of held groups.
    request : (S, R) what a pod asks, base units.
    eligible : (S, C) node classes of the instance that it may use.
    demand : (S,) pods that wait.
    share, whole : (S,) thousandths of one shared device, whole shared devices (see ``Roles``).
    never : (S,) the pods use no room that an eviction makes.
    role : (S,) a role of the shape.
    """

    of_role: Ints
    request: Ints
    eligible: Flags
    demand: Ints
    share: Ints
    whole: Ints
    never: Flags
    role: Ints

    def __len__(self) -> int:
        """Return the number of shapes S."""
        return len(self.demand)


def shapes_of(instance: Instance) -> Shapes:
    """Find the shapes."""
    roles = instance.roles
    live = np.flatnonzero(~instance.blocked[0][roles.group])
    never = np.zeros(len(roles), dtype=np.int64)
    if victims_of(instance).can.any():
        never[:] = np.isin(roles.group, instance.running.never)
    columns = (
        roles.request, roles.eligible.astype(np.int64), roles.share, roles.whole, never,
        claim_kinds(instance),
    )  # fmt: skip
    table = np.column_stack(columns)[live]
    distinct, first, shape = np.unique(table, axis=0, return_index=True, return_inverse=True)
    of_role = np.full(len(roles), -1, dtype=np.int64)
    of_role[live] = shape.reshape(-1)
    demand = np.bincount(of_role[live], weights=roles.wanted[live], minlength=len(distinct))
    width, last = roles.request.shape[1], table.shape[1] - 4
    return Shapes(
        of_role,
        distinct[:, :width],
        distinct[:, width:last].astype(np.bool_),
        demand.astype(np.int64),
        distinct[:, last],
        distinct[:, last + 1],
        distinct[:, last + 2].astype(np.bool_),
        live[first],
    )
