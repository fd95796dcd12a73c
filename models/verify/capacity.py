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
from gangplan.models.verify.evictions import asked, fallen, room
from gangplan.models.verify.reserved import kept_from
from gangplan.models.verify.violation import Violation

NAME = "capacity"

Table = npt.NDArray[Any]


def check(instance: Instance, plan: Plan) -> list[Violation]:
    """Sum requests per node and resource and compare with the room."""
    free, pods, somebody = instance.nodes.free, plan.node >= 0, len(plan.evicted) > 0
    whole = free + room(instance, fallen(instance, plan.evicted)) if somebody else free
    found = _beyond(instance, asked(instance, plan, pods), whole, "")
    found += _kept(instance, plan, pods, whole, "")
    never = np.isin(instance.roles.group[instance.pod_role], instance.running.never) & pods
    if somebody and never.any():
        who = " that evict nobody"
        mine = asked(instance, plan, never)
        found += _beyond(instance, mine, free, f" by groups{who}")
        found += _kept(instance, plan, never, free, who)
    return found


def _beyond(instance: Instance, asked: Table, there: Table, who: str) -> list[Violation]:
    names = instance.names
    found = []
    for n, r in np.argwhere(asked > there).tolist():
        have, need = int(asked[n, r]), int(there[n, r])
        said = f"node {names.nodes[n]}: {names.resources[r]} {have} asked{who}, {need} free"
        found.append(Violation(NAME, names.nodes[n], have, need, said))
    return found


def _kept(instance: Instance, plan: Plan, pods: Flags, there: Table, who: str) -> list[Violation]:
    """Compare what barred pods ask of a node with its room beside what is kept."""
    found, names = [], instance.names
    for n, q, barred, away in kept_from(instance, plan, pods):
        request = instance.roles.request[instance.pod_role[barred]]
        for r, column in enumerate(request.T.tolist()):
            have, left = sum(column), max(int(there[n, r]) - away[r], 0)
            if have > left:
                said = (
                    f"node {names.nodes[n]}: {names.resources[r]} {have} asked by groups of "
                    f"priority {q} or lower{who}, {left} free beside the {away[r]} kept for "
                    "nominated pods"
                )
                found.append(Violation(NAME, names.nodes[n], have, left, said))
    return found
