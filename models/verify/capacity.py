"""capacity: on every node and of every resource, the new pods ask no more than there is.

There is what is free and what fallen pods leave; for groups that evict nobody only what is free.
Room that is kept for nominated pods is closed to groups of their rank or a lower one, but for
groups that some of the node's room is kept for.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from gangplan.models.arrays import Flags
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.evictions import fallen, ranks, room, sums
from gangplan.models.verify.violation import Violation

NAME = "capacity"

Table = npt.NDArray[Any]


def check(instance: Instance, plan: Plan) -> list[Violation]:
    """Sum requests per node and resource and compare with the room."""
    free, pods, somebody = instance.nodes.free, plan.node >= 0, len(plan.evicted) > 0
    whole = free + room(instance, fallen(instance, plan.evicted)) if somebody else free
    found = _beyond(instance, asked(instance, plan, pods), whole, "")
    never = np.isin(instance.roles.group[instance.pod_role], instance.running.never)
    if somebody and never.any():
        mine = asked(instance, plan, pods & never)
        found += _beyond(instance, mine, free, " by groups that evict nobody")
    for n, q, barred in kept_from(instance):
        said = f"by groups of priority {q} or lower"
        found += _kept(instance, plan, (n, q), barred & pods, whole, said)
        if somebody:
            said += " that evict nobody"
            found += _kept(instance, plan, (n, q), barred & never & pods, free, said)
    return found


def asked(instance: Instance, plan: Plan, pods: Flags) -> Table:
    """(N, R) requests of the flagged (P,) pods, all of them placed."""
    pod = np.flatnonzero(pods)
    return sums(instance, plan.node[pod], instance.roles.request[instance.pod_role[pod]])


def kept_from(instance: Instance) -> list[tuple[int, int, Flags]]:
    """Node, priority q of a reservation on it, and the (P,) pods that this keeps room from."""
    reserved = instance.reserved
    if not len(reserved):
        return []
    rank = ranks(instance)
    group = instance.roles.group[instance.pod_role]
    pairs = zip(reserved.node.tolist(), reserved.priority.tolist(), strict=True)
    return [
        (n, q, (rank <= q)[group] & ~np.isin(group, reserved.group[reserved.node == n]))
        for n, q in sorted(set(pairs))
    ]


def kept(instance: Instance, node: int, priority: int) -> list[int]:
    """R amounts that are kept on a node from groups of this priority."""
    reserved = instance.reserved
    mine = (reserved.node == node) & (reserved.priority >= priority)
    return [sum(column) for column in reserved.request[mine].T.tolist()]


def _beyond(instance: Instance, asked: Table, there: Table, who: str) -> list[Violation]:
    names = instance.names
    found = []
    for n, r in np.argwhere(asked > there).tolist():
        have, need = int(asked[n, r]), int(there[n, r])
        said = f"node {names.nodes[n]}: {names.resources[r]} {have} asked{who}, {need} free"
        found.append(Violation(NAME, names.nodes[n], have, need, said))
    return found


def _kept(
    instance: Instance,
    plan: Plan,
    where: tuple[int, int],
    pods: Flags,
    there: Table,
    who: str,
) -> list[Violation]:
    """Compare what barred pods ask of a node with its room beside what is kept."""
    n, q = where
    here = pods & (plan.node == n)
    request = instance.roles.request[instance.pod_role[here]]
    found, names = [], instance.names
    for r, (column, away) in enumerate(zip(request.T.tolist(), kept(instance, n, q), strict=True)):
        have, left = sum(column), max(int(there[n, r]) - away, 0)
        if have > left:
            said = (
                f"node {names.nodes[n]}: {names.resources[r]} {have} asked {who}, {left} free "
                f"beside the {away} kept for nominated pods"
            )
            found.append(Violation(NAME, names.nodes[n], have, left, said))
    return found
