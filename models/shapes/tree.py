"""The tree of the domains that required rules name; its root is the cluster.

Only levels that nest make a tree: every domain of a finer level has all its nodes in one domain of
a coarser level, or none of them in any.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.topology import REQUIRED

ROOT = 0


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Vertices v; a parent has a smaller number than its children.

    Attributes
    ----------
    parent : (V,) -1 for the root.
    of_node : (N,) the narrowest vertex that a node is in.
    of_domain : (D,) vertex of a domain; -1 where no rule names its level.
    depth : (L,) place of a level among those that rules name, the widest first; -1 for the others.
    """

    parent: Ints
    of_node: Ints
    of_domain: Ints
    depth: Ints

    def __len__(self) -> int:
        """Return the number of vertices V."""
        return len(self.parent)

    def path(self, vertex: int) -> list[int]:
        """Return the vertex and all above it, the root last."""
        path = []
        while vertex >= 0:
            path.append(vertex)
            vertex = int(self.parent[vertex])
        return path


def tree_of(instance: Instance) -> Tree:
    """Build the tree.

    Raises
    ------
    FormulationError : two levels cross; it names them.
    """
    topology, rules = instance.topology, instance.rules
    named = sorted(set(rules.level[rules.mode == REQUIRED].tolist()))
    # A level that nests in another has no larger domain than the largest of that.
    largest = {
        level: int(np.bincount(topology.domain[level] + 1)[1:].max(initial=0)) for level in named
    }
    levels = sorted(named, key=lambda level: (-largest[level], level))
    depth = np.full(topology.n_levels, -1, dtype=np.int64)
    depth[levels] = np.arange(len(levels))
    parent = [-1]
    of_node = np.zeros(len(instance.nodes), dtype=np.int64)
    of_domain = np.full(topology.n_domains, -1, dtype=np.int64)
    for level in levels:
        domain = topology.domain[level]
        deeper = of_node.copy()
        for d in topology.domains_of(level).tolist():
            nodes = np.flatnonzero(domain == d)
            if not len(nodes):
                continue
            above = np.unique(of_node[nodes])
            if len(above) > 1:
                names = instance.names
                raise FormulationError(
                    f"levels that cross: {names.levels[level]} {names.domains[d]} is part of "
                    "several domains of a wider level; patterns need levels that nest"
                )
            of_domain[d] = len(parent)
            deeper[nodes] = len(parent)
            parent.append(int(above[0]))
        of_node = deeper
    return Tree(np.array(parent, dtype=np.int64), of_node, of_domain, depth)
