"""Eligible pairs e = (pod p, node n): where the x-columns live."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.gone import loosened
from gangplan.models.instance import Instance
from gangplan.models.topology import REQUIRED


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The pairs, sorted by pod, then node.

    Attributes
    ----------
    pod, node : (E,) the pair.
    role, group : (E,) of the pod.
    start : (G + 1,) pairs of group g are numbered start[g] .. start[g + 1] - 1.
    pods : (K,) pods of each role that have a pair: all that wait, or none.
    """

    pod: Ints
    node: Ints
    role: Ints
    group: Ints
    start: Ints
    pods: Ints

    def __len__(self) -> int:
        """Return the number of pairs E."""
        return len(self.pod)

    def of_owner(self, instance: Instance, owner: int) -> Ints:
        """Return the pairs below a rule's owner, in order."""
        groups = instance.groups_of(owner)
        none = np.zeros(0, dtype=np.int64)
        return np.concatenate(
            [none, *(np.arange(self.start[g], self.start[g + 1]) for g in groups.tolist())]
        )


def pairs_of_pods(pairs: Pairs, pods: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of the listed pods: (number in the list, pair), one entry a pair."""
    first = np.searchsorted(pairs.pod, pods)
    number = np.searchsorted(pairs.pod, pods, side="right") - first
    row = np.repeat(np.arange(len(pods)), number)
    offset = np.arange(len(row)) - np.repeat(np.cumsum(number) - number, number)
    return row, first[row] + offset


def pairs_of(
    instance: Instance,
    *,
    eligible: bool = True,
    fit: bool = True,
    rules: bool = True,
    preemption: bool = True,
) -> Pairs:
    """Find the pairs; groups that are held, or below a held composite, have none.

    A pod fits where it does once every unit that can fall is gone; one of a group that evicts
    nobody, where it does now.

    Parameters
    ----------
    eligible : False: selectors and taints are ignored (the assign family is off).
    fit : False: a pod that is larger than the node has a pair too (the capacity family is off).
    rules : False: required topology cuts no pair (the topology family is off).
    preemption : False: nobody falls (the preemption family is off).
    """
    roles, nodes = instance.roles, instance.nodes
    room = loosened(instance).nodes.free if preemption else nodes.free
    never = np.isin(roles.group, instance.running.never)
    held, _ = instance.blocked
    grid = np.repeat(~held[roles.group][:, None], len(nodes), axis=1)
    if eligible:
        grid &= roles.eligible[:, nodes.node_class]
    for r in range(nodes.free.shape[1] if fit else 0):
        grid &= roles.request[:, r, None] <= room[None, :, r]
        grid[never] &= roles.request[never, r, None] <= nodes.free[None, :, r]
    if rules:
        _cut(instance, grid)
    pod, node = np.nonzero(grid[instance.pod_role])
    role = instance.pod_role[pod]
    group = roles.group[role]
    start = np.searchsorted(group, np.arange(len(instance.groups) + 1)).astype(np.int64)
    return Pairs(pod, node, role, group, start, np.where(grid.any(axis=1), roles.wanted, 0))


def _cut(instance: Instance, grid: Flags) -> None:
    """Take nodes away, in place, that required rules rule out; see topology.py."""
    rules = instance.rules
    fixed = rules.fixed()
    for t in np.flatnonzero(rules.mode == REQUIRED).tolist():
        domain = instance.topology.domain[rules.level[t]]
        grid[instance.roles_of(int(rules.owner[t]))] &= (
            (domain >= 0) if fixed[t] < 0 else (domain == fixed[t])
        )
