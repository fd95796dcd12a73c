"""Atoms: the small sets of nodes that neighbourhoods are put together from, and what is left there.

Atoms are the domains of the finest level that a required rule names; large ones are cut, and nodes
without the label are dealt by chance. Two atoms are worth planning together where one has what the
other lacks: nodes full of GPUs without a core, and nodes full of cores without a GPU.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.topology import REQUIRED

MOST = 64
"""Nodes of a domain above which it is cut into several atoms."""

CUT = 32
"""Nodes of an atom that is not a domain."""


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """Atoms a of nodes, and the wider domains around them.

    Attributes
    ----------
    of_node : (N,) atom of each node.
    size : (A,) nodes.
    around : (W, A) of each wider level the domain that most of the atom is in; -1 without one.
    """

    of_node: Ints
    size: Ints
    around: Ints

    def __len__(self) -> int:
        """Return the number of atoms A."""
        return len(self.size)

    def sums(self, amounts: Ints) -> Ints:
        """(N, R) amounts per node -> (A, R) sums per atom."""
        total = np.zeros((len(self), amounts.shape[1]), dtype=np.int64)
        np.add.at(total, self.of_node, amounts)
        return total


def atoms_of(instance: Instance, rng: np.random.Generator) -> Atoms:
    """Cut the nodes into atoms."""
    topology, rules = instance.topology, instance.rules
    named = np.unique(rules.level[rules.mode == REQUIRED]).tolist()
    levels = sorted(named, key=lambda level: len(topology.domains_of(level)))
    n = len(instance.nodes)
    base = topology.domain[levels[-1]] if levels else np.full(n, -1, dtype=np.int64)
    # Equal nodes next to each other within a domain; where there is none, by chance.
    order = np.lexsort((rng.permutation(n), base))
    parts = np.split(order, np.flatnonzero(np.diff(base[order])) + 1) if n else []
    of_node = np.zeros(n, dtype=np.int64)
    count = 0
    for part in parts:
        whole = base[part[0]] >= 0 and len(part) <= MOST
        pieces = 1 if whole else -(-len(part) // CUT)
        of_node[part] = count + np.arange(len(part)) * pieces // len(part)
        count += pieces
    size = np.bincount(of_node, minlength=count).astype(np.int64)
    first = np.zeros(count, dtype=np.int64)
    first[of_node[::-1]] = np.arange(n)[::-1]
    around = topology.domain[levels[:-1]][:, first] if len(levels) > 1 else np.zeros((0, count))
    return Atoms(of_node, size, around.astype(np.int64))


def left_of(instance: Instance, plan: Plan) -> Ints:
    """Return (N, R) what is free on the nodes after the plan, with what falls."""
    left = instance.nodes.free.copy()
    pod = np.flatnonzero(plan.node >= 0)
    np.subtract.at(left, plan.node[pod], instance.roles.request[instance.pod_role[pod]])
    if len(plan.evicted):
        falls = instance.running.falling(plan.evicted) & (instance.running.pod_node >= 0)
        np.add.at(left, instance.running.pod_node[falls], instance.running.pod_request[falls])
    return np.maximum(left, 0)


def spare(instance: Instance, plan: Plan, atoms: Atoms) -> Floats:
    """Return (A, R) what is left in each atom, in parts of what all ask who still wait.

    Resources that nobody asks for are left out. Where nobody waits the parts are of what is placed.
    """
    waits = plan.node < 0
    pods = np.bincount(
        instance.pod_role[waits] if waits.any() else instance.pod_role,
        minlength=len(instance.roles),
    )
    asked = instance.roles.request.astype(np.float64).T @ pods
    used = asked > 0
    left = atoms.sums(left_of(instance, plan)[:, used])
    share: Floats = left / asked[used]
    return share if share.shape[1] else np.ones((len(atoms), 1))
