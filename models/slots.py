"""Slots: how many pods of a role one node could hold if nothing else came to it.

Roles that are equal to a node (same request, eligibility, device needs and claims) share one count.
Where units can be evicted, all that can fall are gone here: no plan has more room than that.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.columns import EMPTY
from gangplan.models.gone import loosened
from gangplan.models.instance import Instance
from gangplan.models.options.slots import claim_kinds, device_slots

NO_LIMIT = np.iinfo(np.int64).max
"""Slots where nothing is asked that could run out."""


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """Slots of every role, one table row a distinct kind of role.

    Attributes
    ----------
    kind : (K,) row of the table a role uses.
    table : (S, N) slots; no number exceeds the pods that wait of any role of that kind.
    wanted : (K,) pods that wait; 0 for roles of held groups.
    """

    kind: Ints
    table: Ints
    wanted: Ints

    def of_role(self, role: int) -> Ints:
        """(N,) slots of one role, at most the pods that wait; 0 where its group is held."""
        slots: Ints = np.minimum(self.table[self.kind[role]], self.wanted[role])
        return slots


def seen_by(instance: Instance, group: int) -> Instance:
    """Return the most room that a group could find: with every unit gone that can fall.

    A group of ``Running.never`` finds what is free now: room that an eviction makes is not for it.
    """
    return instance if (instance.running.never == group).any() else loosened(instance)


def slots_of(instance: Instance) -> Slots:
    """Count the slots of every kind of role on every node, shared devices and claims included.

    Each group is shown the room that ``seen_by`` says.
    """
    most, never = _slots(loosened(instance)), instance.running.never
    if not len(never):
        return most
    plain = _slots(instance)
    kind = np.where(
        np.isin(instance.roles.group, never), len(most.table) + plain.kind, most.kind
    ).astype(np.int64)
    return Slots(kind, np.vstack([most.table, plain.table]), most.wanted)


def _slots(instance: Instance) -> Slots:
    roles = instance.roles
    held = instance.groups.held[roles.group]
    claim = claim_kinds(instance)
    columns = np.column_stack(
        [roles.request, roles.eligible, roles.share, roles.whole, held, claim]
    )
    _, first, kind = np.unique(columns, axis=0, return_index=True, return_inverse=True)
    kind = kind.reshape(-1).astype(np.int64)
    most = np.zeros(len(first), dtype=np.int64)
    np.maximum.at(most, kind, roles.wanted)
    table = np.minimum(room_slots(instance, roles.request[first]), most[:, None])
    table[~instance.can_use[first]] = 0
    if len(instance.shared):
        for row, k in zip(table, first, strict=True):
            share, whole = int(roles.share[k]), int(roles.whole[k])
            np.minimum(row, shared_slots(instance, share, whole), out=row)
    if instance.claims:
        np.minimum(table, device_slots(instance)[first], out=table)
    return Slots(kind, table, np.where(held, 0, roles.wanted))


def room_slots(instance: Instance, request: Ints) -> Ints:
    """(S, N) slots by free room alone of pods that ask ``request`` (S, R); NO_LIMIT for nothing."""
    free = np.ascontiguousarray(instance.nodes.free.T)
    slots = np.full((len(request), len(instance.nodes)), NO_LIMIT, dtype=np.int64)
    for s, r in zip(*np.nonzero(request), strict=True):
        np.minimum(slots[s], free[r] // request[s, r], out=slots[s])
    return slots


def shared_slots(instance: Instance, share: int, whole: int) -> Ints:
    """(N,) slots by shared devices alone: sum of floor(free / share), or empty devices // whole.

    NO_LIMIT for a pod that asks neither.
    """
    if share:
        return _per_node(instance, instance.shared.free // share)
    if whole:
        return _per_node(instance, (instance.shared.free == EMPTY).astype(np.int64)) // whole
    return np.full(len(instance.nodes), NO_LIMIT, dtype=np.int64)


def _per_node(instance: Instance, amounts: Ints) -> Ints:
    """(J,) amounts per shared device -> (N,) sums per node."""
    total = np.bincount(instance.shared.node, weights=amounts, minlength=len(instance.nodes))
    return total.astype(np.int64)
