"""What a plan wants of the claims of its pods: devices, users, or both."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gangplan.cluster.errors import Changed
from gangplan.cluster.flight import Allocating
from gangplan.cluster.flights.allocation import allocation_of
from gangplan.cluster.uses import Use, uses_of
from gangplan.cluster.world import Object, World, name_of, uid_of
from gangplan.datasets.plan_fields import objects, text

Row = Mapping[str, Any]
"""A device in a plan file: claim, request, driver, pool, device, consumed, nodes."""


@dataclass(slots=True)
class Want:
    """A claim of pods that get a node.

    Attributes
    ----------
    rows : the devices it gets; None where it has them already.
    node : node of its first user.
    users : entry of ``reservedFor`` by UID, with the group whose pods ask for it; those that the
        claim has already are left out.
    groups : groups whose pods use it, by the name of their draft.
    """

    claim: Object
    rows: Sequence[Row] | None
    node: str
    users: dict[str, tuple[Mapping[str, str], str]] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)

    @property
    def new(self) -> bool:
        """Whether it is to be allocated."""
        return self.rows is not None


class Wants:
    """Claims of placed pods, gathered pod by pod."""

    def __init__(self, world: World, plan_document: Mapping[str, Any]) -> None:
        self._world = world
        self._wants: dict[str, Want] = {}
        self._shared: dict[str, list[Row]] = {}
        shared = objects("plan", "shared_claims", plan_document.get("shared_claims", []))
        for i, row in enumerate(shared):
            name = _claim_of(row, f"shared_claims[{i}]")
            self._shared.setdefault(name, []).append(row)

    def add(self, group: str, pod: Object, entry: Mapping[str, Any]) -> list[str]:
        """Take the claims of a pod; give the pools that its new devices are of.

        Raises
        ------
        Changed : a claim that is not there, or for which the plan has no devices.
        InputError : a device without a name.
        """
        own: dict[str, list[Row]] = {}
        for row in objects("plan", "groups", entry.get("claims", [])):
            own.setdefault(_claim_of(row, "groups.pods.claims"), []).append(row)
        places = []
        for use in uses_of(self._world, pod):
            rows = own.pop(use.entry, None)
            if rows is None:
                rows = self._shared.get(use.name)
            self._add(group, pod, use, rows, str(entry["node"]))
            places += [pool_of(row) for row in rows or ()]
        if own:
            said = (
                f"Pod {name_of(pod)}: it has no claim {min(own)}, to which the plan gives devices"
            )
            raise Changed((said,))
        return places

    def found(self) -> tuple[Want, ...]:
        """Give the claims, by name."""
        return tuple(want for _, want in sorted(self._wants.items()))

    def _add(
        self, group: str, pod: Object, use: Use, rows: Sequence[Row] | None, node: str
    ) -> None:
        want = self._wants.get(use.name)
        if want is None:
            asks = (use.claim["spec"].get("devices") or {}).get("requests")
            if use.allocated and rows is not None:
                raise Changed((f"ResourceClaim {use.name}: it is allocated already",))
            if not use.allocated and rows is None and asks:
                said = f"ResourceClaim {use.name}: the plan gives it no devices"
                raise Changed((f"{said} (of Pod {name_of(pod)})",))
            given = None if use.allocated else list(rows or ())
            want = self._wants[use.name] = Want(use.claim, given, node)
        if not use.reserved:
            want.users.setdefault(use.user["uid"], (use.user, group))
        if group not in want.groups:
            want.groups.append(group)


def _claim_of(row: Row, field: str) -> str:
    """Name the claim of a row, once all that identifies its device is there."""
    for key in ("request", "driver", "pool", "device"):
        text("plan", f"{field}.{key}", row.get(key))
    return text("plan", f"{field}.claim", row.get("claim"))


def pool_of(row: Mapping[str, Any]) -> str:
    """Name the pool of a device; no node has such a name."""
    return f"{row['driver']}//{row['pool']}"


def allocating_of(world: World, want: Want, groups: Iterable[str]) -> Allocating:
    """Make the part of a flight for one claim, with the users of these groups."""
    mine = set(groups)
    users = tuple(user for user, group in want.users.values() if group in mine)
    allocation = None
    if want.rows is not None:
        allocation = allocation_of(world, want.claim, want.rows, want.node)
    return Allocating(name_of(want.claim), uid_of(want.claim), allocation, users)
