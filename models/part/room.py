"""What is left on the nodes of a part: free room, devices, and what is kept for nominated pods."""

import numpy as np

from gangplan.models.arrays import MOST, Flags, Ints
from gangplan.models.columns import EMPTY, Nodes, Shared
from gangplan.models.part.cut import Cut, roots_of
from gangplan.models.running import Reserved


def left(cut: Cut, falls: Flags) -> Ints:
    """(n, R) room on the nodes beside other pods, with the (U,) flagged pods gone.

    Negative where others stand in the place of somebody who is not flagged.
    """
    instance, running = cut.instance, cut.instance.running
    free, pods = instance.nodes.free[cut.nodes], cut.others
    gone = np.flatnonzero(falls & (cut.local[running.pod_node] >= 0))
    more = running.pod_request[gone]
    wide = int(free.max(initial=0)) + int(more.max(initial=0)) * len(gone) > MOST
    table = free.astype(object) if wide else free.copy()
    if len(gone):
        np.add.at(table, cut.local[running.pod_node[gone]], more.astype(table.dtype))
    table -= used(cut, pods).astype(table.dtype)
    room: Ints = np.minimum(table, MOST).astype(np.int64)
    return room


def used(cut: Cut, pods: Ints) -> Ints:
    """(n, R) what these pods, placed on nodes of the part, ask of them."""
    instance = cut.instance
    table = np.zeros((len(cut.nodes), instance.nodes.free.shape[1]), dtype=np.int64)
    request = instance.roles.request[instance.pod_role[pods]]
    np.add.at(table, cut.local[cut.plan.node[pods]], request)
    return table


def nodes_of(cut: Cut, free: Ints, classes: Ints) -> Nodes:
    """Nodes of the part; a node with a pod that holds devices is no longer intact."""
    instance, pods = cut.instance, cut.others
    holds = pods[instance.roles.devices[instance.pod_role[pods]] > 0]
    intact = instance.nodes.intact[cut.nodes].copy()
    intact[cut.local[cut.plan.node[holds]]] = False
    return Nodes(free, np.searchsorted(classes, instance.nodes.node_class[cut.nodes]), intact)


def shared_of(cut: Cut) -> tuple[Shared, Ints]:
    """Shared devices of the nodes, with what others leave of them, and their numbers j."""
    instance, plan = cut.instance, cut.plan
    mine = np.flatnonzero(cut.here[instance.shared.node])
    free = instance.shared.free.copy()
    theirs = ~cut.mine[plan.device_pod]
    share = instance.roles.share[instance.pod_role[plan.device_pod[theirs]]]
    np.subtract.at(free, plan.device[theirs], np.where(share > 0, share, EMPTY))
    return Shared(cut.local[instance.shared.node[mine]], np.maximum(free[mine], 0)), mine


def reserved_of(cut: Cut, number: Ints) -> Reserved:
    """Room that is kept on the nodes, less what others have who are not barred from it.

    Who may use some of a node's room is bound by no row of that node, as in the whole: a row of no
    room says so.

    Parameters
    ----------
    number : (G,) number of each group in the part; -1 for the others.
    """
    reserved, instance = cut.instance.reserved, cut.instance
    rows = np.flatnonzero(cut.here[reserved.node])
    table: list[tuple[int, int, int]] = []
    request: list[Ints] = []
    root, n = roots_of(instance), len(instance.groups)
    by_owner = np.append(instance.groups.priority, instance.composites.priority)
    rank = by_owner[root[:n]]
    others = cut.others
    for node in np.unique(reserved.node[rows]).tolist():
        at = rows[reserved.node[rows] == node]
        pods = others[cut.plan.node[others] == node]
        exempt = np.isin(cut.group[pods], reserved.group[at])
        more = np.zeros(reserved.request.shape[1], dtype=np.int64)
        priorities = np.unique(reserved.priority[at])[::-1].tolist()
        for q in priorities:
            free = pods[exempt | (rank[cut.group[pods]] > q)]
            above = reserved.request[at[reserved.priority[at] >= q]].astype(object)
            theirs = instance.roles.request[instance.pod_role[free]].sum(axis=0)
            kept = np.maximum(np.minimum(above.sum(axis=0) - theirs, MOST).astype(np.int64), more)
            table.append((int(cut.local[node]), q, -1))
            request.append(kept - more)
            more = kept
        for g in np.unique(reserved.group[at]).tolist():
            if g >= 0 and number[g] >= 0:
                table.append((int(cut.local[node]), priorities[-1], int(number[g])))
                request.append(np.zeros_like(more))
    at_node, priority, group = np.array(table, dtype=np.int64).reshape(-1, 3).T
    amounts = np.array(request, dtype=np.int64).reshape(len(table), instance.nodes.free.shape[1])
    return Reserved(at_node, priority, group, amounts)
