"""The label levels of a cluster, and the rules that bind groups to their domains.

A level (a node-label key) cuts the nodes that carry the label into domains. Order and path
identity between levels exist only where declared; for a bare PodGroup key a domain is the label
value, and a node without the key lies in no domain of that level.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints, at_least, below, ints
from gangplan.models.errors import InstanceError

REQUIRED = 0
"""Rule mode: all pods of the owner (or of each slice) in one domain."""

PREFERRED = 1
"""Rule mode: a cost of 1 for each domain used beyond the first."""


@dataclass(frozen=True, slots=True, eq=False)
class Topology:
    """Domains of every level, numbered 0..D-1 over all levels together.

    Attributes
    ----------
    domain : (L, N) domain of node n at level l; -1 where the node lacks the label.
    level : (D,) the level a domain belongs to.
    """

    domain: Ints
    level: Ints

    def __post_init__(self) -> None:
        """Check that each domain is used at its own level only."""
        levels, nodes = np.asarray(self.domain).shape
        object.__setattr__(self, "domain", ints(self.domain, levels, nodes, name="topology.domain"))
        object.__setattr__(self, "level", ints(self.level, -1, name="topology.level"))
        at_least(self.domain, -1, "topology.domain")
        below(self.domain, len(self.level), "topology.domain")
        at_least(self.level, 0, "topology.level")
        below(self.level, levels, "topology.level")
        for number in range(levels):
            used = self.domain[number][self.domain[number] >= 0]
            if (self.level[used] != number).any():
                raise InstanceError(f"topology.domain: level {number} uses another level's domain")

    @property
    def n_levels(self) -> int:
        """Number of levels L."""
        return int(self.domain.shape[0])

    @property
    def n_domains(self) -> int:
        """Number of domains D."""
        return len(self.level)

    def domains_of(self, level: int) -> Ints:
        """Numbers of the domains of ``level``, in order."""
        return np.flatnonzero(self.level == level).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """Topology rules, T of them: who must, or would like to, be close.

    Attributes
    ----------
    owner : (T,) a group number g < G, or G + h for composite h (all groups below it).
    level : (T,) the level the rule speaks of.
    mode : (T,) REQUIRED or PREFERRED.
    slice : (T,) 0: the owner as a whole; k > 0: each slice of k pods by itself (groups only,
        REQUIRED only): running plus new pods of the group per domain are a multiple of k.
    member_rule, member_domain, member_count : (M,) how many running members of the rule's owner
        stand in a domain. A whole REQUIRED rule has members in one domain at most: they fix it.
    """

    owner: Ints
    level: Ints
    mode: Ints
    slice: Ints
    member_rule: Ints
    member_domain: Ints
    member_count: Ints

    def __post_init__(self) -> None:
        """Check shapes, ranges and that a whole required rule is fixed to one domain at most."""
        n = len(np.asarray(self.owner))
        for name in ("owner", "level", "mode", "slice"):
            object.__setattr__(self, name, ints(getattr(self, name), n, name=f"rules.{name}"))
        m = len(np.asarray(self.member_rule))
        for name in ("member_rule", "member_domain", "member_count"):
            object.__setattr__(self, name, ints(getattr(self, name), m, name=f"rules.{name}"))
        for name in ("owner", "level", "mode", "slice", "member_rule", "member_domain"):
            at_least(getattr(self, name), 0, f"rules.{name}")
        at_least(self.member_count, 1, "rules.member_count")
        below(self.mode, 2, "rules.mode")
        below(self.member_rule, n, "rules.member_rule")
        if ((self.slice > 0) & (self.mode != REQUIRED)).any():
            raise InstanceError("rules.slice: a preferred rule has no slices")
        whole = self.is_whole()[self.member_rule]
        fixed = np.unique(self.member_rule[whole], return_counts=True)[1]
        if (fixed > 1).any():
            raise InstanceError("rules.member_domain: a required rule has members in two domains")

    def __len__(self) -> int:
        """Return the number of rules T."""
        return len(self.owner)

    def is_whole(self) -> Flags:
        """(T,) True for REQUIRED rules on the owner as a whole."""
        whole: Flags = (self.mode == REQUIRED) & (self.slice == 0)
        return whole

    def members(self, rule: int) -> dict[int, int]:
        """Return the running members of the rule's owner: domain -> count."""
        mine = self.member_rule == rule
        return {
            int(d): int(c)
            for d, c in zip(self.member_domain[mine], self.member_count[mine], strict=True)
        }

    def fixed(self) -> Ints:
        """(T,) the domain that running members fix for a whole required rule; -1 where free."""
        domain = np.full(len(self), -1, dtype=np.int64)
        whole = self.is_whole()[self.member_rule]
        domain[self.member_rule[whole]] = self.member_domain[whole]
        return domain


def no_levels(n_nodes: int) -> Topology:
    """Return a topology without levels, for N = ``n_nodes``."""
    return Topology(np.zeros((0, n_nodes), dtype=np.int64), np.zeros(0, dtype=np.int64))


def no_rules() -> Rules:
    """Return an empty set of rules."""
    none = np.zeros(0, dtype=np.int64)
    return Rules(none, none, none, none, none, none, none)
