"""A plan for pods that ask parts of devices: each goes where resources and devices are as it asks.

Largest first, by devices and then by what else a pod asks; among the nodes that can take it, the
one whose free resources per free device are nearest to its own, so that neither is left behind;
there, the fullest device that still has room (best fit decreasing; Johnson 1974, and the balance of
Panigrahy et al. 2011). Only pods of their own: no gangs, trees, rules, claims or evictions.
"""

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.columns import EMPTY
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import Tier, worth_of

SMALL = 0.001
"""Part of the average that is added on both sides, so that nothing free is a number too."""

MOST_RATIO = 1e9


def suits(instance: Instance) -> bool:
    """Tell whether all pods are pods of their own, and some ask a part of a device."""
    return not (
        not (instance.roles.share > 0).any()
        or (instance.roles.minimum > 0).any()
        or (instance.groups.minimum > 0).any()
        or len(instance.composites)
        or len(instance.rules)
        or instance.claims
        or len(instance.running)
        or len(instance.reserved)
    )


def balanced_plan(instance: Instance, tiers: tuple[Tier, ...]) -> Plan:
    """Place one pod after the other; see above.

    Parameters
    ----------
    instance : one that ``suits``.
    tiers : pods that the first tier pays for come first, those of higher tiers before.
    """
    state = _State(instance)
    node = np.full(instance.n_pods, -1, dtype=np.int64)
    device_pod: list[int] = []
    device: list[int] = []
    for role in _order(instance, tiers).tolist():
        found = state.place(role, int(instance.roles.wanted[role]))
        for pod, (where, taken) in enumerate(found, int(instance.pod_start[role])):
            node[pod] = where
            device_pod += [pod] * len(taken)
            device += taken
    order = np.argsort(device_pod, kind="stable")
    return Plan(
        node,
        np.array(device_pod, dtype=np.int64)[order],
        np.array(device, dtype=np.int64)[order],
    )


def _order(instance: Instance, tiers: tuple[Tier, ...]) -> Ints:
    """Roles of groups that are not held, in the order in which they are placed."""
    roles = instance.roles
    paying = [worth_of(instance, tier).pod > 0 for tier in tiers if tier.kind == "admitted"]
    rank = np.argmax([*paying, np.ones(len(roles), dtype=np.bool_)], axis=0)
    most = np.maximum(instance.nodes.free.max(axis=0, initial=1), 1)
    asked = (roles.request / most).max(axis=1, initial=0.0)
    order = np.lexsort((-asked, -roles.pooled, rank))
    kept: Ints = order[~instance.groups.held[roles.group[order]]]
    return kept


class _State:
    """What is free, by node and by device of a node."""

    def __init__(self, instance: Instance) -> None:
        shared, n = instance.shared, len(instance.nodes)
        owned = np.bincount(shared.node, minlength=n)
        place = np.arange(len(shared)) - np.concatenate(([0], np.cumsum(owned)))[shared.node]
        self._instance = instance
        self._free = instance.nodes.free.copy()
        self._left = np.zeros((n, int(owned.max(initial=0))), dtype=np.int64)
        self._left[shared.node, place] = shared.free
        self._first = np.concatenate(([0], np.cumsum(owned)))
        self._may = instance.roles.eligible[:, instance.nodes.node_class]
        # What a device of the cluster comes with on average is the unit of each resource.
        average = instance.nodes.free.sum(axis=0) / max(int(shared.free.sum()), 1)
        self._unit = np.where(average > 0, average, 1.0)

    def place(self, role: int, pods: int) -> list[tuple[int, list[int]]]:
        """Place so many pods of a role, as far as there is room; node and devices of each."""
        found: list[tuple[int, list[int]]] = []
        apart = np.full(len(self._free), np.inf)
        nodes = np.arange(len(self._free))
        while len(found) < pods:
            # Only the node that took the last pod has changed.
            apart[nodes] = self._apart(role, nodes)
            node = int(apart.argmin())
            if apart[node] == np.inf:
                break
            found.append((node, self._taken(role, node)))
            nodes = np.array([node])
        return found

    def _taken(self, role: int, node: int) -> list[int]:
        roles, left = self._instance.roles, self._left[node]
        share = int(roles.share[role])
        places = np.flatnonzero(left == EMPTY)[: roles.whole[role]]
        if share:
            places = np.array([np.where(left >= share, left, 2 * EMPTY).argmin()])
        self._free[node] -= roles.request[role]
        left[places] -= share or EMPTY
        devices: list[int] = (self._first[node] + places).tolist()
        return devices

    def _apart(self, role: int, nodes: Ints) -> Floats:
        """How far the scarcest resource per free device is from what a pod asks per device.

        Infinite where a pod does not fit.
        """
        roles = self._instance.roles
        free, left = self._free[nodes], self._left[nodes]
        share, asks = int(roles.share[role]), roles.request[role]
        fits = self._may[role, nodes] & (free >= asks).all(axis=1)
        fits &= left.max(axis=1, initial=0) >= share
        fits &= (left == EMPTY).sum(axis=1) >= roles.whole[role]
        have = free / np.maximum(left.sum(axis=1), 1)[:, None]
        small = SMALL * self._unit
        ratio = (have + small) / (asks / max(int(roles.pooled[role]), 1) + small)
        found: Floats = np.abs(np.log(ratio.min(axis=1, initial=MOST_RATIO)))
        found[~fits] = np.inf
        return found
