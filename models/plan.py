"""Plan: what we would do. Which pending pod goes where, with which devices; who makes room."""

from dataclasses import dataclass, field

import numpy as np

from gangplan.models.arrays import Ints, at_least, below, ints
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance


@dataclass(frozen=True, slots=True, eq=False)
class Allocations:
    """Devices that claims get, one row a device; sorted by (pod, claim, choice, device).

    Attributes
    ----------
    pod : (A,) pod p that has the claim for itself; -1 for a shared claim.
    claim : (A,) number w of the role's own claim, or number c of the shared claim.
    choice : (A,) choice b that the device serves.
    device : (A,) device i.
    """

    pod: Ints
    claim: Ints
    choice: Ints
    device: Ints

    def __post_init__(self) -> None:
        """Check shapes, and sort."""
        a = len(np.asarray(self.pod))
        columns = [ints(getattr(self, n), a, name=f"plan.allocations.{n}") for n in _COLUMNS]
        order = np.lexsort(columns[::-1])
        for name, column in zip(_COLUMNS, columns, strict=True):
            at_least(column, -1 if name == "pod" else 0, f"plan.allocations.{name}")
            object.__setattr__(self, name, ints(column[order], a, name=name))

    def __len__(self) -> int:
        """Return the number of rows A."""
        return len(self.pod)


_COLUMNS = ("pod", "claim", "choice", "device")


def _no_allocations() -> Allocations:
    none = np.zeros(0, dtype=np.int64)
    return Allocations(none, none, none, none)


NO_ALLOCATIONS = _no_allocations()

NOBODY: Ints = np.zeros(0, dtype=np.int64)
"""No unit is evicted."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Placements of pending pods; nothing here is checked against the rules (see verify).

    Attributes
    ----------
    node : (P,) node of each pending pod, in the instance's pod order; -1 = not placed.
    device_pod, device : (A,) pod p holds shared device j (a share of it, or whole); sorted by pod.
    allocations : devices of claims.
    evicted : units v that are evicted; sorted, each once.
    """

    node: Ints
    device_pod: Ints
    device: Ints
    allocations: Allocations = NO_ALLOCATIONS
    evicted: Ints = field(default_factory=lambda: NOBODY)

    def __post_init__(self) -> None:
        """Check shapes."""
        object.__setattr__(self, "node", ints(self.node, -1, name="plan.node"))
        a = len(np.asarray(self.device_pod))
        object.__setattr__(self, "device_pod", ints(self.device_pod, a, name="plan.device_pod"))
        object.__setattr__(self, "device", ints(self.device, a, name="plan.device"))
        at_least(self.node, -1, "plan.node")
        at_least(np.diff(self.device_pod), 0, "plan.device_pod (sorted)")
        object.__setattr__(self, "evicted", ints(self.evicted, -1, name="plan.evicted"))
        at_least(self.evicted, 0, "plan.evicted")
        at_least(np.diff(self.evicted), 1, "plan.evicted (sorted, each once)")

    def fits(self, instance: Instance) -> None:
        """Raise InstanceError where the plan's numbers lie outside the instance's index sets."""
        ints(self.node, instance.n_pods, name="plan.node")
        below(self.node, len(instance.nodes), "plan.node")
        below(self.device, len(instance.shared), "plan.device")
        below(self.device_pod, instance.n_pods, "plan.device_pod")
        given, claims = self.allocations, instance.claims
        below(given.pod, instance.n_pods, "plan.allocations.pod")
        below(given.claim[given.pod >= 0], len(claims.own_role), "plan.allocations.claim")
        below(given.claim[given.pod < 0], claims.n_shared, "plan.allocations.claim")
        below(given.choice, len(claims.choice_request), "plan.allocations.choice")
        below(given.device, len(instance.devices), "plan.allocations.device")
        below(self.evicted, len(instance.running), "plan.evicted")

    def placed_per_role(self, instance: Instance) -> Ints:
        """(K,) placed pods of each role."""
        role = instance.pod_role[self.node >= 0]
        return np.bincount(role, minlength=len(instance.roles)).astype(np.int64)

    def placed_per_group(self, instance: Instance) -> Ints:
        """(G,) placed pods of each group."""
        return instance.per_group(self.placed_per_role(instance))

    def counts(self, instance: Instance) -> tuple[Ints, Ints, Ints]:
        """Placed pods as sparse counts: role (E,), node (E,), pods (E,), sorted, pods >= 1."""
        placed = self.node >= 0
        n_nodes = max(len(instance.nodes), 1)
        key = instance.pod_role[placed] * n_nodes + self.node[placed]
        cell, pods = np.unique(key, return_counts=True)
        return cell // n_nodes, cell % n_nodes, pods.astype(np.int64)


def empty_plan(instance: Instance) -> Plan:
    """Return the plan that places nothing; always allowed."""
    none = np.zeros(0, dtype=np.int64)
    return Plan(np.full(instance.n_pods, -1, dtype=np.int64), none, none)


def plan_from_counts(
    instance: Instance,
    role: Ints,
    node: Ints,
    pods: Ints,
    device_pod: Ints | None = None,
    device: Ints | None = None,
) -> Plan:
    """Hand out pods of each role, in pod order, to nodes: the inverse of ``Plan.counts``.

    Parameters
    ----------
    role, node, pods : (E,) ``pods[e]`` pods of ``role[e]`` go to ``node[e]``.
    device_pod, device : (A,) shared devices; pod numbers as handed out here.

    Raises
    ------
    PlanError : more pods of a role than wait.
    """
    total = np.bincount(role, weights=pods, minlength=len(instance.roles))
    if (total > instance.roles.wanted).any():
        k = int(np.argmax(total > instance.roles.wanted))
        raise PlanError(f"{int(total[k])} pods of role {k}, {int(instance.roles.wanted[k])} wait")
    where = np.full(instance.n_pods, -1, dtype=np.int64)
    order = np.lexsort((node, role))
    flat_role = np.repeat(role[order], pods[order])
    flat_node = np.repeat(node[order], pods[order])
    first = np.searchsorted(flat_role, flat_role, side="left")
    where[instance.pod_start[flat_role] + np.arange(len(flat_role)) - first] = flat_node
    none = np.zeros(0, dtype=np.int64)
    return Plan(
        where,
        none if device_pod is None else device_pod,
        none if device is None else device,
    )
