"""Instance: a snapshot of a cluster and its waiting groups, made numeric.

Glossary of the index sets (the same letters in array code and in the paper): g groups, k roles,
h composites, n nodes, c node classes, r resources, l levels, d domains, t topology rules,
j shared devices, p pending pods, i devices, s claim specs, q requests, b choices of a request,
w own claims of roles, c shared claims (node classes never meet the latter), v running units,
u pods of them.

Everything is a frozen column; quantities are int64 in base units (millicores, bytes, counts).
Names (names.py) stand beside the columns and are never read by the maths.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from gangplan.models.arrays import Flags, Ints, below
from gangplan.models.claims import NO_CLAIMS, Claims
from gangplan.models.columns import GANG, Composites, Groups, Leaving, Nodes, Roles, Shared
from gangplan.models.devices import NO_DEVICES, Devices
from gangplan.models.errors import InstanceError
from gangplan.models.names import OPTIONAL_NAMES, Names
from gangplan.models.running import NO_RESERVED, NO_RUNNING, Reserved, Running
from gangplan.models.topology import Rules, Topology


# No slots: cached_property needs a __dict__.
@dataclass(frozen=True, eq=False)
class Instance:
    """A validated snapshot; compare two by ``digest()``.

    Attributes
    ----------
    device_unit : what ``roles.devices`` counts: 1 = devices, 1000 = thousandths of a device.
    device_columns : resource numbers r that count as devices (GPUs).
    """

    nodes: Nodes
    topology: Topology
    roles: Roles
    groups: Groups
    composites: Composites
    rules: Rules
    shared: Shared
    leaving: Leaving
    names: Names
    device_unit: int = 1
    device_columns: tuple[int, ...] = ()
    devices: Devices = NO_DEVICES
    claims: Claims = NO_CLAIMS
    running: Running = NO_RUNNING
    reserved: Reserved = NO_RESERVED

    def __post_init__(self) -> None:
        """Check that the sections fit together."""
        n, r = self.nodes.free.shape
        below(self.roles.group, len(self.groups), "roles.group")
        below(self.groups.parent, len(self.composites), "groups.parent")
        below(self.rules.owner, len(self.groups) + len(self.composites), "rules.owner")
        below(self.rules.level, self.topology.n_levels, "rules.level")
        below(self.rules.member_domain, self.topology.n_domains, "rules.member_domain")
        below(self.shared.node, n, "shared.node")
        below(self.leaving.node, n, "leaving.node")
        _same("roles.request", self.roles.request.shape[1], r)
        _same("leaving.request", self.leaving.request.shape[1], r)
        _same("topology.domain", self.topology.domain.shape[1], n)
        if self.roles.eligible.shape[1] < self.nodes.n_classes:
            raise InstanceError("roles.eligible: fewer columns than node classes")
        sliced = self.rules.owner[self.rules.slice > 0]
        below(sliced, len(self.groups), "rules.owner (of a rule with slices)")
        if (self.groups.kind[self.roles.group[self.roles.minimum > 0]] != GANG).any():
            raise InstanceError("roles.minimum: only a role of a gang has a minimum of its own")
        if (self.groups.kind[self.groups.parent >= 0] != GANG).any():
            raise InstanceError("groups.kind: a group below a composite is a gang")
        self._check_devices(n)
        self._check_running(n, r)
        names = self.names
        for what, have, want in (
            ("nodes", names.nodes, n),
            ("resources", names.resources, r),
            ("levels", names.levels, self.topology.n_levels),
            ("domains", names.domains, self.topology.n_domains),
            ("groups", names.groups, len(self.groups)),
            ("composites", names.composites, len(self.composites)),
            ("roles", names.roles, len(self.roles)),
            ("pods", names.pods, self.n_pods),
            ("held", names.held, len(self.groups)),
            ("held_composites", names.held_composites, len(self.composites)),
            ("leaving", names.leaving, len(self.leaving)),
            ("devices", names.devices, len(self.devices)),
            ("counters", names.counters, len(self.devices.counter_free)),
            ("pots", names.pots, len(self.devices.pot_device)),
            ("choices", names.choices, len(self.claims.choice_request)),
            ("own", names.own, len(self.claims.own_role)),
            ("shared", names.shared, self.claims.n_shared),
            ("units", names.units, len(self.running)),
            ("running", names.running, len(self.running.pod_unit)),
            ("budgets", names.budgets, len(self.running.budget_allowed)),
        ):
            _same(f"names.{what}", len(have), want)

    def _check_devices(self, n_nodes: int) -> None:
        devices, claims, names = self.devices, self.claims, self.names
        below(devices.node, n_nodes, "devices.node")
        below(devices.trait_attribute, len(names.attributes), "devices.trait_attribute")
        below(devices.trait_value, len(names.values), "devices.trait_value")
        below(claims.rule_attribute, len(names.attributes), "claims.rule_attribute")
        below(claims.use_pot, len(devices.pot_device), "claims.use_pot")
        below(claims.own_role, len(self.roles), "claims.own_role")
        below(claims.user_role, len(self.roles), "claims.user_role")
        below(claims.shared_zone, len(devices.zones), "claims.shared_zone")
        if len(devices.zones):
            _same("devices.zones", devices.zones.shape[1], n_nodes)
        if len(claims.fits):
            _same("claims.fits", claims.fits.shape[1], len(devices))
            _same("claims.barred", claims.barred.shape[1], n_nodes)

    def _check_running(self, n_nodes: int, n_resources: int) -> None:
        running, reserved, groups = self.running, self.reserved, len(self.groups)
        below(running.pod_node, n_nodes, "running.pod_node")
        below(running.pod_group, groups, "running.pod_group")
        below(running.floor_group, groups, "running.floor_group")
        below(running.never, groups, "running.never")
        below(running.hold_shared, self.claims.n_shared, "running.hold_shared")
        below(running.freed_device, len(self.devices), "running.freed_device")
        below(running.back_counter, len(self.devices.counter_free), "running.back_counter")
        below(running.spare_pot, len(self.devices.pot_free), "running.spare_pot")
        below(reserved.node, n_nodes, "reserved.node")
        below(reserved.group, groups, "reserved.group")
        if len(running.pod_unit):
            _same("running.pod_request", running.pod_request.shape[1], n_resources)
        if len(reserved):
            _same("reserved.request", reserved.request.shape[1], n_resources)
        if not self.devices.taken[running.freed_device].all():
            raise InstanceError("running.freed_device: a device comes free that nobody holds")
        grouped = running.pod_group >= 0
        members = np.bincount(running.pod_group[grouped], minlength=groups)
        if (members > self.groups.running).any():
            raise InstanceError("running.pod_group: more members than groups.running")

    @property
    def n_pods(self) -> int:
        """Number of pending pods P."""
        return int(self.roles.wanted.sum())

    @cached_property
    def role_start(self) -> Ints:
        """(G+1,) roles of group g are numbered role_start[g] .. role_start[g + 1] - 1."""
        return np.searchsorted(self.roles.group, np.arange(len(self.groups) + 1)).astype(np.int64)

    @cached_property
    def pod_start(self) -> Ints:
        """(K+1,) pods of role k are numbered pod_start[k] .. pod_start[k+1] - 1."""
        return np.concatenate(([0], np.cumsum(self.roles.wanted))).astype(np.int64)

    @cached_property
    def pod_role(self) -> Ints:
        """(P,) role of each pending pod."""
        return np.repeat(np.arange(len(self.roles)), self.roles.wanted)

    def roles_of(self, owner: int) -> Ints:
        """Roles below a rule's owner: of group g, or of every group under composite owner - G."""
        return np.flatnonzero(np.isin(self.roles.group, self.groups_of(owner)))

    def groups_of(self, owner: int) -> Ints:
        """Return the groups below a rule's owner: itself, or all under a composite."""
        n_groups = len(self.groups)
        if owner < n_groups:
            return np.array([owner], dtype=np.int64)
        below_it = {owner - n_groups}
        for h in range(owner - n_groups + 1, len(self.composites)):
            if int(self.composites.parent[h]) in below_it:
                below_it.add(h)
        return np.flatnonzero(np.isin(self.groups.parent, sorted(below_it)))

    def ancestors(self, group: int) -> list[int]:
        """Composites h above a group, the nearest first."""
        above: list[int] = []
        h = int(self.groups.parent[group])
        while h >= 0:
            above.append(h)
            h = int(self.composites.parent[h])
        return above

    def owners_above(self, groups: Flags) -> Flags:
        """(G + H,) the flagged groups (G,), and every composite above one of them."""
        n_groups, parent = len(self.groups), self.composites.parent
        owners = np.append(groups, np.zeros(len(parent), dtype=np.bool_))
        above = self.groups.parent[groups]
        owners[n_groups + above[above >= 0]] = True
        for h in range(len(parent) - 1, -1, -1):
            if owners[n_groups + h] and parent[h] >= 0:
                owners[n_groups + parent[h]] = True
        return owners

    def per_group(self, amounts: Ints) -> Ints:
        """(K,) amounts per role -> (G,) sums per group."""
        total = np.zeros(len(self.groups), dtype=np.int64)
        np.add.at(total, self.roles.group, amounts)
        return total

    @cached_property
    def blocked(self) -> tuple[Flags, Flags]:
        """(G,) groups and (H,) composites that are held themselves, or below a held composite."""
        trees = self.composites.held.copy()
        for h, parent in enumerate(self.composites.parent.tolist()):
            trees[h] |= parent >= 0 and bool(trees[parent])
        return self.groups.held | np.append(trees, False)[self.groups.parent], trees

    def owner_name(self, owner: int) -> str:
        """``namespace/name`` of a rule's owner."""
        n_groups = len(self.groups)
        return (
            self.names.groups[owner]
            if owner < n_groups
            else self.names.composites[owner - n_groups]
        )

    @cached_property
    def can_use(self) -> Flags:
        """(K, N) role k may use node n: eligible, and one pod fits the free room of every resource.

        Held groups can use nothing. Topology is not looked at.
        """
        usable = self.roles.eligible[:, self.nodes.node_class].copy()
        for r in range(self.nodes.free.shape[1]):
            usable &= self.roles.request[:, r, None] <= self.nodes.free[None, :, r]
        usable &= ~self.groups.held[self.roles.group][:, None]
        return usable

    def digest(self) -> str:
        """Hex sha256 over every column and name; equal instances have equal digests."""
        sha = hashlib.sha256(b"gangplan/instance/v1")
        for part in _columns(self):
            sha.update(part)
        return sha.hexdigest()


def _absent(section: Devices | Claims | Running | Reserved) -> bool:
    """Tell whether a section has no row; its digest is that of an instance without it."""
    return not any(len(getattr(section, column.name)) for column in fields(section))


def _columns(instance: Instance) -> Iterator[bytes]:
    for section in fields(instance):
        value = getattr(instance, section.name)
        if isinstance(value, (int, tuple)):
            yield f"{section.name}={value!r};".encode()
            continue
        if isinstance(value, (Devices, Claims, Running, Reserved)) and _absent(value):
            continue
        for column in fields(value):
            data = getattr(value, column.name)
            if column.name in OPTIONAL_NAMES and section.name == "names" and not data:
                continue  # as if there were no such column: digests of before devices stay
            yield f"{section.name}.{column.name}:".encode()
            if isinstance(data, np.ndarray):
                yield (
                    f"{data.dtype.str}{data.shape};".encode() + np.ascontiguousarray(data).tobytes()
                )
            else:
                yield repr(data).encode()


def _same(what: str, have: int, want: int) -> None:
    if have != want:
        raise InstanceError(f"{what}: {want} expected, not {have}")
