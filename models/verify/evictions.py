"""What falls with a plan's evicted units, and what that frees: a reading of its own.

Nothing here is shared with ``gangplan.models.victims``, ``gone`` or ``losses``.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.members import ancestors


def roots(instance: Instance) -> list[int]:
    """G owners: the composite at the top of each group's tree as G + h, or the group itself."""
    n = len(instance.groups)
    above = [ancestors(instance, g)[-1:] for g in range(n)]
    return [n + top[0] if top else g for g, top in enumerate(above)]


def ranks(instance: Instance) -> Ints:
    """(G,) priority of each group's root: what counts against units."""
    table = [*instance.groups.priority.tolist(), *instance.composites.priority.tolist()]
    return np.array([table[root] for root in roots(instance)], dtype=np.int64)


def fallen(instance: Instance, evicted: Ints) -> Flags:
    """(U,) pods of the evicted units."""
    gone = np.zeros(len(instance.running), dtype=np.bool_)
    gone[evicted] = True
    falls: Flags = gone[instance.running.pod_unit]
    return falls


def room(instance: Instance, falls: Flags) -> npt.NDArray[Any]:
    """(N, R) room that the fallen pods leave on their nodes."""
    running = instance.running
    here = np.flatnonzero(falls & (running.pod_node >= 0))
    return sums(instance, running.pod_node[here], running.pod_request[here])


def asked(instance: Instance, plan: Plan, pods: Flags) -> npt.NDArray[Any]:
    """(N, R) requests of the flagged (P,) pods, all of them placed."""
    pod = np.flatnonzero(pods)
    return sums(instance, plan.node[pod], instance.roles.request[instance.pod_role[pod]])


def sums(instance: Instance, node: Ints, request: Ints) -> npt.NDArray[Any]:
    """(N, R) requests per node, in Python integers where int64 could wrap around."""
    free = instance.nodes.free
    most = max(int(free.max(initial=0)), int(request.max(initial=0)) * len(node))
    total = np.zeros(free.shape, dtype=object if most >= 2**60 else np.int64)
    if len(node):
        np.add.at(total, node, request.astype(total.dtype))
    return total


def freed(instance: Instance, falls: Flags, placed: Flags) -> Flags:
    """(H,) holdings that come free: every user has fallen, and nobody new uses the claim.

    Parameters
    ----------
    falls : (U,) fallen pods. placed : (P,) pods that are placed.
    """
    running, claims = instance.running, instance.claims
    free = np.ones(len(running.hold_shared), dtype=np.bool_)
    free[running.user_hold[~falls[running.user_pod]]] = False
    roles = np.zeros(len(instance.roles), dtype=np.bool_)
    roles[instance.pod_role[placed]] = True
    used = claims.user_shared[roles[claims.user_role]]
    free[np.isin(running.hold_shared, used)] = False
    return free
