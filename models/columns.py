"""The sections of an instance: one frozen record of columns an index set."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints, at_least, below, flags, ints
from gangplan.models.errors import InstanceError

GANG = 0
"""Group kind: at least ``minimum`` members or no new pod."""

BASIC = 1
"""Group kind: every pod is a gang of one; topology binds them together."""

BARE = 2
"""Group kind: identical pods without a PodGroup; every pod is a gang of one."""

EMPTY = 1000
"""Thousandths of a shared device that nobody holds."""


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """Nodes n in 0..N-1.

    Attributes
    ----------
    free : (N, R) room for new pods: allocatable minus what bound pods hold, base units, >= 0.
    node_class : (N,) class c of the node: nodes of a class are equal to every selector and
        toleration of the instance (their free room may differ).
    intact : (N,) the node has devices (GPUs) and all of them are free.
    """

    free: Ints
    node_class: Ints
    intact: Flags

    def __post_init__(self) -> None:
        """Check shapes and ranges."""
        n, r = np.asarray(self.free).shape
        object.__setattr__(self, "free", ints(self.free, n, r, name="nodes.free"))
        object.__setattr__(self, "node_class", ints(self.node_class, n, name="nodes.node_class"))
        object.__setattr__(self, "intact", flags(self.intact, n, name="nodes.intact"))
        at_least(self.free, 0, "nodes.free")
        at_least(self.node_class, 0, "nodes.node_class")

    def __len__(self) -> int:
        """Return the number of nodes N."""
        return int(self.free.shape[0])

    @property
    def n_classes(self) -> int:
        """Number of node classes C."""
        return int(self.node_class.max()) + 1 if len(self) else 0


@dataclass(frozen=True, slots=True, eq=False)
class Roles:
    """Roles k in 0..K-1: pods of one group that are equal to the planner.

    Attributes
    ----------
    group : (K,) the group g; roles are sorted by group.
    request : (K, R) what one pod asks of a node, base units.
    wanted : (K,) pending pods that may be placed (gated and finished ones do not count), >= 1.
    minimum : (K,) a minimum of the role's own, running members included; 0 where it has none.
    running : (K,) running members of the role, for its own minimum.
    eligible : (K, C) may the role use nodes of class c (selectors, affinity, taints, readiness).
    devices : (K,) devices (GPUs) one pod holds, in ``Instance.device_unit``-ths.
    share : (K,) part of one shared device a pod asks, 1..999 thousandths; 0 where it asks none.
    whole : (K,) whole devices of the shared pool a pod asks: empty ones; 0 where shares are off
        or the role asks a share.
    """

    group: Ints
    request: Ints
    wanted: Ints
    minimum: Ints
    running: Ints
    eligible: Flags
    devices: Ints
    share: Ints
    whole: Ints

    def __post_init__(self) -> None:
        """Check shapes and ranges."""
        k, r = np.asarray(self.request).shape
        object.__setattr__(self, "request", ints(self.request, k, r, name="roles.request"))
        for name in ("group", "wanted", "minimum", "running", "devices", "share", "whole"):
            object.__setattr__(self, name, ints(getattr(self, name), k, name=f"roles.{name}"))
            at_least(getattr(self, name), 0, f"roles.{name}")
        object.__setattr__(self, "eligible", flags(self.eligible, k, -1, name="roles.eligible"))
        at_least(self.request, 0, "roles.request")
        at_least(self.wanted, 1, "roles.wanted")
        at_least(np.diff(self.group), 0, "roles.group (sorted by group)")
        below(self.share, EMPTY, "roles.share")
        if ((self.share > 0) & (self.whole > 0)).any():
            raise InstanceError("roles.share: a role asks a part of a device, or whole ones")

    def __len__(self) -> int:
        """Return the number of roles K."""
        return len(self.group)

    @property
    def pooled(self) -> Ints:
        """(K,) thousandths of the shared pool that one pod takes."""
        return self.share + EMPTY * self.whole


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups g in 0..G-1: PodGroups, and bare pods as groups of kind BARE.

    Attributes
    ----------
    priority : (G,) the PodGroup's priority.
    kind : (G,) GANG, BASIC or BARE.
    minimum : (G,) minCount of a gang, running members included; 0 for the other kinds.
    running : (G,) running members: bound, not finished, not terminating.
    held : (G,) True: the group may place nothing now; ``names.held`` says why.
    age : (G,) seconds the group has waited.
    parent : (G,) composite h above it; -1 where it is a root. Only a GANG has a parent.
    """

    priority: Ints
    kind: Ints
    minimum: Ints
    running: Ints
    held: Flags
    age: Ints
    parent: Ints

    def __post_init__(self) -> None:
        """Check shapes and ranges."""
        g = len(np.asarray(self.priority))
        for name in ("priority", "kind", "minimum", "running", "age", "parent"):
            object.__setattr__(self, name, ints(getattr(self, name), g, name=f"groups.{name}"))
        object.__setattr__(self, "held", flags(self.held, g, name="groups.held"))
        for name, floor in (
            ("kind", 0),
            ("minimum", 0),
            ("running", 0),
            ("age", 0),
            ("parent", -1),
        ):
            at_least(getattr(self, name), floor, f"groups.{name}")
        below(self.kind, 3, "groups.kind")
        at_least(self.minimum[self.kind == GANG], 1, "groups.minimum (of a gang)")

    def __len__(self) -> int:
        """Return the number of groups G."""
        return len(self.priority)


@dataclass(frozen=True, slots=True, eq=False)
class Composites:
    """Composite pod groups h in 0..H-1; a parent stands before its children.

    Attributes
    ----------
    parent : (H,) composite above it; -1 for a root.
    minimum : (H,) children that must be admitted (standing ones included); basic: 1.
    priority : (H,) priority of the tree.
    held : (H,) True: nothing below it may be placed.
    """

    parent: Ints
    minimum: Ints
    priority: Ints
    held: Flags

    def __post_init__(self) -> None:
        """Check shapes, ranges and the order that rules out cycles."""
        h = len(np.asarray(self.parent))
        for name in ("parent", "minimum", "priority"):
            object.__setattr__(self, name, ints(getattr(self, name), h, name=f"composites.{name}"))
        object.__setattr__(self, "held", flags(self.held, h, name="composites.held"))
        at_least(self.parent, -1, "composites.parent")
        at_least(self.minimum, 1, "composites.minimum")
        at_least(np.arange(h) - self.parent, 1, "composites.parent (before its children)")

    def __len__(self) -> int:
        """Return the number of composites H."""
        return len(self.parent)


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Devices of a shared pool, one row a device j in 0..J-1: fractional GPUs.

    Attributes
    ----------
    node : (J,) the node it is on; sorted.
    free : (J,) thousandths of the device that are free, 0..EMPTY.
    """

    node: Ints
    free: Ints

    def __post_init__(self) -> None:
        """Check shapes and ranges."""
        j = len(np.asarray(self.node))
        object.__setattr__(self, "node", ints(self.node, j, name="shared.node"))
        object.__setattr__(self, "free", ints(self.free, j, name="shared.free"))
        at_least(self.free, 0, "shared.free")
        below(self.free, EMPTY + 1, "shared.free")
        at_least(np.diff(self.node), 0, "shared.node (sorted)")

    def __len__(self) -> int:
        """Return the number of shared devices J."""
        return len(self.node)


@dataclass(frozen=True, slots=True, eq=False)
class Leaving:
    """Pods being deleted: they hold room until they are gone, and count for no minimum.

    Attributes
    ----------
    node : (V,) the node.
    request : (V, R) the room that comes free, base units.
    """

    node: Ints
    request: Ints

    def __post_init__(self) -> None:
        """Check shapes and ranges."""
        v, r = np.asarray(self.request).shape
        object.__setattr__(self, "node", ints(self.node, v, name="leaving.node"))
        object.__setattr__(self, "request", ints(self.request, v, r, name="leaving.request"))

    def __len__(self) -> int:
        """Return the number of leaving pods V."""
        return len(self.node)


def no_composites() -> Composites:
    """Return an empty set of composites."""
    none = np.zeros(0, dtype=np.int64)
    return Composites(none, none, none, np.zeros(0, dtype=np.bool_))


def no_shared() -> Shared:
    """Return an empty pool of shared devices."""
    none = np.zeros(0, dtype=np.int64)
    return Shared(none, none)


def no_leaving(n_resources: int) -> Leaving:
    """Return an empty set of leaving pods, for R = ``n_resources``."""
    return Leaving(np.zeros(0, dtype=np.int64), np.zeros((0, n_resources), dtype=np.int64))
