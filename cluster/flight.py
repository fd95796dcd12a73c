"""A flight: the smallest part of a plan that is carried out as a whole, and what it is made of.

Groups are in one flight when they share a tree (CompositePodGroup), an eviction or the allocation
of a claim. A flight survives its process: it is written to the journal before its first step, so
it holds names and UIDs, and nothing that has to be planned again.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

STEPS = ("evict", "clear", "claim", "ready", "bind", "confirm", "undo")
"""In this order; ``undo`` follows on any of them. Each can be done again at any time."""


@dataclass(frozen=True, slots=True)
class Placing:
    """A pod that gets a node; ``mark`` is ``minimum`` or ``elastic``."""

    pod: str
    uid: str
    node: str
    node_uid: str
    group: str
    mark: str


@dataclass(frozen=True, slots=True)
class Falling:
    """A pod that is evicted, of the unit that falls (``kind`` pod, group or tree).

    ``whole`` names PodGroups (``namespace/name``) that lose all their pods: their claims come free.
    """

    pod: str
    uid: str
    node: str
    unit: str
    kind: str
    ours: bool
    whole: str = ""


@dataclass(frozen=True, slots=True)
class Allocating:
    """A claim that gets devices, new users, or both.

    Attributes
    ----------
    claim, uid : ``namespace/name`` and UID of a ResourceClaim that exists.
    allocation : ``status.allocation`` to write; None where the claim is allocated already.
    users : entries of ``status.reservedFor`` to add, as the API has them.
    """

    claim: str
    uid: str
    allocation: Mapping[str, Any] | None
    users: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A group that gets pods: a PodGroup, or a pod of its own (``kind`` ``Pod``).

    ``minimum`` : members that must be bound in the end, those that run already included; 0 where
    each pod stands for itself. ``roles`` : role name -> (minimum, its pods), for roles with a
    minimum of their own.
    """

    group: str
    uid: str
    kind: str
    minimum: int
    roles: Mapping[str, tuple[int, tuple[str, ...]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Flight:
    """See the module.

    Attributes
    ----------
    key : short name, the same for the same groups: part of the journal's name.
    priority : the highest of its groups.
    tree : ``namespace/name`` of the root CompositePodGroup; empty without one.
    plan : digest of the instance that was planned.
    """

    key: str
    priority: int
    members: tuple[Member, ...]
    placings: tuple[Placing, ...]
    fallings: tuple[Falling, ...] = ()
    allocatings: tuple[Allocating, ...] = ()
    tree: str = ""
    plan: str = ""

    @property
    def name(self) -> str:
        """What people call it: its tree, or its groups."""
        return self.tree or ", ".join(member.group for member in self.members)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Nodes that get a pod, by name."""
        return tuple(sorted({placing.node for placing in self.placings}))

    def as_json(self) -> dict[str, Any]:
        """Give plain dictionaries and lists."""
        return asdict(self)


def flight_of(document: Mapping[str, Any]) -> Flight:
    """Read what ``Flight.as_json`` gave, after JSON."""
    members = (
        Member(**{**m, "roles": {r: (n, tuple(p)) for r, (n, p) in m["roles"].items()}})
        for m in document["members"]
    )
    allocatings = (Allocating(**{**a, "users": tuple(a["users"])}) for a in document["allocatings"])
    return Flight(
        key=document["key"],
        priority=document["priority"],
        members=tuple(members),
        placings=tuple(Placing(**p) for p in document["placings"]),
        fallings=tuple(Falling(**f) for f in document["fallings"]),
        allocatings=tuple(allocatings),
        tree=document["tree"],
        plan=document["plan"],
    )
