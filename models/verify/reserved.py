"""Room on its way (docs/preemption.md, rule 8): from whom a node's room is kept, and how much."""

from collections.abc import Iterator

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.evictions import ranks


def kept_from(
    instance: Instance, plan: Plan, pods: Flags
) -> Iterator[tuple[int, int, Ints, list[int]]]:
    """Yield node, priority, pods on it of this rank or lower, and the R amounts kept from them.

    One for each priority that a reservation on the node has. Groups that some reservation on the
    node is for are not bound by any of them.

    Parameters
    ----------
    pods : (P,) the placed pods to look at.
    """
    reserved = instance.reserved
    if not len(reserved):
        return
    rank, group = ranks(instance), instance.roles.group[instance.pod_role]
    here = np.flatnonzero(pods)
    here = here[np.argsort(plan.node[here], kind="stable")]
    order = np.argsort(reserved.node, kind="stable")
    for n in np.unique(reserved.node).tolist():
        first, last = np.searchsorted(plan.node[here], [n, n + 1]).tolist()
        a, b = np.searchsorted(reserved.node[order], [n, n + 1]).tolist()
        rows = order[a:b]
        mine = here[first:last]
        mine = mine[~np.isin(group[mine], reserved.group[rows])]
        for q in np.unique(reserved.priority[rows]).tolist():
            above = rows[reserved.priority[rows] >= q]
            away = [sum(column) for column in reserved.request[above].T.tolist()]
            yield n, q, mine[rank[group[mine]] <= q], away
