"""Which nodes reach a device: one node, or a zone (nodeName, nodeSelector, allNodes)."""

from collections.abc import Sequence

import numpy as np

from gangplan.datasets.kubernetes.assemble.eligibility import Tests
from gangplan.datasets.kubernetes.devicerecords import DeviceRecord, SliceRecord, Terms
from gangplan.datasets.kubernetes.records import NodeRecord
from gangplan.models.arrays import Flags

NOWHERE = (-1, -1)
"""A device that no node of the snapshot reaches."""


class Reach:
    """Nodes of devices; equal sets of nodes are one zone.

    Parameters
    ----------
    nodes : in the order of the instance.

    Attributes
    ----------
    zones : (N,) nodes of each zone, numbered as they were asked for.
    """

    def __init__(self, nodes: Sequence[NodeRecord]) -> None:
        self.number = {node.name: n for n, node in enumerate(nodes)}
        self.zones: list[Flags] = []
        self._n_nodes = len(nodes)
        self._tests = Tests(nodes)
        self._zone: dict[bytes, int] = {}
        self._of_terms: dict[Terms, Flags] = {}

    def nodes_of(self, terms: Terms | None) -> Flags:
        """(N,) nodes that a selector selects; all without one."""
        if terms is None:
            return np.ones(self._n_nodes, dtype=np.bool_)
        if terms not in self._of_terms:
            self._of_terms[terms] = self._tests.selected(terms)
        return self._of_terms[terms]

    def zone(self, nodes: Flags) -> int:
        """Give a set of nodes the number of its zone."""
        key = nodes.tobytes()
        if key not in self._zone:
            self._zone[key] = len(self.zones)
            self.zones.append(nodes)
        return self._zone[key]

    def place(self, device: DeviceRecord, inside: SliceRecord) -> tuple[int, int]:
        """(node, zone) of a device, one of them -1; `NOWHERE` where no node reaches it."""
        whose = device if inside.each else inside
        if whose.node:
            return self.number.get(whose.node, -1), -1
        if whose.selector is None and not whose.everywhere:
            return NOWHERE
        nodes = self.nodes_of(whose.selector)
        reached = np.flatnonzero(nodes)
        if len(reached) < 2:  # a zone of one node is that node
            return (int(reached[0]), -1) if len(reached) else NOWHERE
        return -1, self.zone(nodes)

    def of_slice(self, one: SliceRecord) -> Flags:
        """(N,) nodes that a slice is about, whatever its devices say."""
        if one.node:
            alone = np.zeros(self._n_nodes, dtype=np.bool_)
            if one.node in self.number:
                alone[self.number[one.node]] = True
            return alone
        return self.nodes_of(one.selector)
