"""What runs and could make room: units that fall as one, what they hold, and what protects them.

A unit is what is evicted as a whole: a pod, or all running pods of a group or a tree whose
disruption mode says so (KEP-5710). Pods that nobody may evict (DaemonSet, static and mirror pods,
pods that are leaving already) are no units; they only count as members.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints, at_least, below, flags, ints
from gangplan.models.errors import InstanceError

POD = 0
"""Unit kind: one pod."""

GROUP = 1
"""Unit kind: all running pods of a group."""

TREE = 2
"""Unit kind: all running pods below a composite."""

UNKNOWN = -1
"""Minutes that a pod has run, where nobody wrote down when it began."""


@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """Units v, their pods u, floors f, budgets b, holdings h.

    Attributes
    ----------
    priority : (V,) of the unit: that of its root, or of the pod itself.
    kind : (V,) POD, GROUP or TREE.
    pod_unit : (U,) unit of each pod; sorted.
    pod_group : (U,) group g it is a member of; -1 where there is none.
    pod_node : (U,) its node; -1 where that is not in the snapshot: it falls with its unit, and
        frees nothing.
    pod_request : (U, R) room that comes free on its node, base units.
    pod_devices : (U,) devices (GPUs) it holds, in ``Instance.device_unit``-ths.
    pod_minutes : (U,) whole minutes it has run; UNKNOWN.
    floor_group : (F,) group that the floor protects; sorted.
    floor_least : (F,) members of the floor that stay, unless the group is taken whole.
    floor_running : (F,) running members of the floor, those that are in no unit included.
    member_floor, member_pod : (M,) pods of each floor; sorted by floor, pod.
    budget_allowed : (B,) victims that a PodDisruptionBudget allows (disruptionsAllowed).
    budget_hard : (B,) no plan may take more; else each one more counts in ``lost-budgets``.
    match_budget, match_pod : (Q,) pods that a budget protects; sorted by budget, pod.
    hold_shared : (H,) shared claim c that the holding is the allocation of; -1 for other claims.
        A holding is the allocation of a claim all of whose users are pods of units.
    user_hold, user_pod : pods that all have to fall before the holding comes free; sorted.
    freed_hold, freed_device : devices i, not ``multi``, that then are no longer ``taken``; sorted.
    back_hold, back_counter, back_amount : what returns to counters; sorted by holding, counter.
    spare_hold, spare_pot, spare_amount : what returns to pots; sorted by holding, pot.
    never : groups g that evict nobody: preemptionPolicy Never, or room is on its way to them;
        sorted. The reader sees to it that their claims fit no device which may come free, and draw
        from no counter or pot that something returns to.
    """

    priority: Ints
    kind: Ints
    pod_unit: Ints
    pod_group: Ints
    pod_node: Ints
    pod_request: Ints
    pod_devices: Ints
    pod_minutes: Ints
    floor_group: Ints
    floor_least: Ints
    floor_running: Ints
    member_floor: Ints
    member_pod: Ints
    budget_allowed: Ints
    budget_hard: Flags
    match_budget: Ints
    match_pod: Ints
    hold_shared: Ints
    user_hold: Ints
    user_pod: Ints
    freed_hold: Ints
    freed_device: Ints
    back_hold: Ints
    back_counter: Ints
    back_amount: Ints
    spare_hold: Ints
    spare_pot: Ints
    spare_amount: Ints
    never: Ints

    def __post_init__(self) -> None:
        """Check shapes and ranges, as far as the section alone can."""
        v, u = len(np.asarray(self.priority)), len(np.asarray(self.pod_unit))
        f, b = len(np.asarray(self.floor_group)), len(np.asarray(self.budget_allowed))
        h = len(np.asarray(self.hold_shared))
        for length_of, names in _LENGTHS.items():
            length = len(np.asarray(getattr(self, length_of)))
            for name in names:
                column = ints(getattr(self, name), length, name=f"running.{name}")
                object.__setattr__(self, name, column)
                if name != "priority":
                    at_least(column, _FLOORS.get(name, 0), f"running.{name}")
        request = ints(self.pod_request, u, -1, name="running.pod_request")
        object.__setattr__(self, "pod_request", request)
        at_least(request, 0, "running.pod_request")
        hard = flags(self.budget_hard, b, name="running.budget_hard")
        object.__setattr__(self, "budget_hard", hard)
        for name in _SORTED:
            at_least(np.diff(getattr(self, name)), 0, f"running.{name} (sorted)")
        for name, size in (
            ("kind", TREE + 1), ("pod_unit", v), ("member_floor", f), ("member_pod", u),
            ("match_budget", b), ("match_pod", u), ("user_hold", h), ("user_pod", u),
            ("freed_hold", h), ("back_hold", h), ("spare_hold", h),
        ):  # fmt: skip
            below(getattr(self, name), size, f"running.{name}")
        pods = np.bincount(self.pod_unit, minlength=v)
        if (pods == 0).any():
            raise InstanceError("running.pod_unit: a unit has no pod")
        if (pods[self.kind == POD] > 1).any():
            raise InstanceError("running.kind: a unit of kind POD is one pod")
        if len(np.unique(self.user_hold)) < h:
            raise InstanceError("running.user_hold: a holding has no user")
        if (self.floor_running < np.bincount(self.member_floor, minlength=f)).any():
            raise InstanceError("running.floor_running: fewer than its pods")
        if len(np.unique(self.freed_device)) < len(self.freed_device):
            raise InstanceError("running.freed_device: one device, two holdings")

    def __len__(self) -> int:
        """Return the number of units V."""
        return len(self.priority)

    def pods_of(self, unit: int) -> range:
        """Numbers of the pods of a unit."""
        first, last = np.searchsorted(self.pod_unit, [unit, unit + 1]).tolist()
        return range(first, last)

    def falling(self, units: Ints) -> Flags:
        """(U,) pods of the given units."""
        falls: Flags = np.isin(self.pod_unit, units)
        return falls

    def freed(self, units: Ints) -> Flags:
        """(H,) holdings all of whose users are pods of the given units."""
        stays = ~self.falling(units)[self.user_pod]
        freed: Flags = np.bincount(self.user_hold[stays], minlength=len(self.hold_shared)) == 0
        return freed


_LENGTHS = {
    "priority": ("priority", "kind"),
    "pod_unit": ("pod_unit", "pod_group", "pod_node", "pod_devices", "pod_minutes"),
    "floor_group": ("floor_group", "floor_least", "floor_running"),
    "member_floor": ("member_floor", "member_pod"),
    "budget_allowed": ("budget_allowed",),
    "match_budget": ("match_budget", "match_pod"),
    "hold_shared": ("hold_shared",),
    "user_hold": ("user_hold", "user_pod"),
    "freed_hold": ("freed_hold", "freed_device"),
    "back_hold": ("back_hold", "back_counter", "back_amount"),
    "spare_hold": ("spare_hold", "spare_pot", "spare_amount"),
    "never": ("never",),
}
_FLOORS = {
    "pod_group": -1,
    "pod_node": -1,
    "pod_minutes": UNKNOWN,
    "hold_shared": -1,
    "back_amount": 1,
    "spare_amount": 1,
}
_SORTED = (
    "pod_unit", "floor_group", "member_floor", "match_budget", "user_hold", "freed_hold",
    "back_hold", "spare_hold", "never",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Reserved:
    """Free room that is kept for somebody, z: nominated pods that no leaving pod makes room for.

    Attributes
    ----------
    node : (Z,) the node.
    priority : (Z,) kept from groups whose root has this priority or a lower one.
    group : (Z,) group g it is kept for, and which may use it; -1: pods of another scheduler.
    request : (Z, R) how much of the free room, base units.
    """

    node: Ints
    priority: Ints
    group: Ints
    request: Ints

    def __post_init__(self) -> None:
        """Check shapes and ranges."""
        z = len(np.asarray(self.node))
        for name in ("node", "priority", "group"):
            column = ints(getattr(self, name), z, name=f"reserved.{name}")
            object.__setattr__(self, name, column)
        request = ints(self.request, z, -1, name="reserved.request")
        object.__setattr__(self, "request", request)
        at_least(self.node, 0, "reserved.node")
        at_least(self.group, -1, "reserved.group")
        at_least(self.request, 0, "reserved.request")

    def __len__(self) -> int:
        """Return the number of reservations Z."""
        return len(self.node)


def _nothing() -> tuple[Running, Reserved]:
    none, table = np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.int64)
    no = np.zeros(0, dtype=np.bool_)
    running = Running(
        none, none, none, none, none, table, none, none, none, none, none, none, none, none, no,
        *[none] * 14,
    )  # fmt: skip
    return running, Reserved(none, none, none, table)


NO_RUNNING, NO_RESERVED = _nothing()
"""Nothing that could make room; nothing kept for anybody. For any number of resources."""
