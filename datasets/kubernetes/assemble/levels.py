"""Topology levels of the nodes: one a label key that a rule names, and the declared ones.

A key that is not declared cuts nodes by the label's value. Declared keys (``--levels``, Kueue's
Topology) are a hierarchy: a domain is the path of values down to it, so racks of one name under two
blocks are two domains; a node that lacks a wider label of the path lies in no domain.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.datasets.kubernetes.order import natural
from gangplan.datasets.kubernetes.records import NodeRecord
from gangplan.models.arrays import Ints
from gangplan.models.topology import Topology


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The topology columns and their names.

    Attributes
    ----------
    keys : label key of each level l.
    domains : name of each domain d; a path has its values joined with ``/``.
    topology : the columns.
    """

    keys: tuple[str, ...]
    domains: tuple[str, ...]
    topology: Topology

    def number(self, key: str) -> int:
        """Level of a key."""
        return self.keys.index(key)

    def is_empty(self, key: str) -> bool:
        """Whether no node lies in a domain of the level."""
        return not len(self.topology.domains_of(self.number(key)))


def levels_of(nodes: Sequence[NodeRecord], declared: Sequence[str], named: Iterable[str]) -> Levels:
    """Cut the nodes into domains at every level.

    Parameters
    ----------
    declared : hierarchy of label keys, widest first.
    named : keys that rules name.
    """
    keys = (*declared, *sorted(set(named) - set(declared), key=natural))
    column: list[Ints] = []
    names: list[str] = []
    level: list[int] = []
    for number, key in enumerate(keys):
        path = declared[: number + 1] if number < len(declared) else (key,)
        where = [_identity(node, path) for node in nodes]
        found = sorted(
            {one for one in where if one is not None}, key=lambda one: list(map(natural, one))
        )
        of = {one: len(names) + index for index, one in enumerate(found)}
        column.append(np.array([-1 if one is None else of[one] for one in where], dtype=np.int64))
        names += ["/".join(one) for one in found]
        level += [number] * len(found)
    domain = np.array(column, dtype=np.int64).reshape(len(keys), len(nodes))
    return Levels(keys, tuple(names), Topology(domain, np.array(level, dtype=np.int64)))


def _identity(node: NodeRecord, path: Sequence[str]) -> tuple[str, ...] | None:
    values = [node.labels.get(key) for key in path]
    return None if None in values else tuple(value for value in values if value is not None)
