"""What a generator draws, in round numbers, and the instance that it means.

A draft counts cores, GiB, GPUs and pods; an instance counts millicores, bytes, GPUs and pods.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from gangplan.datasets.devices import Common, Offer, Own, Sections, Spec, sections
from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import (
    GANG,
    Groups,
    Nodes,
    Roles,
    no_composites,
    no_leaving,
    no_shared,
)
from gangplan.models.instance import Instance
from gangplan.models.names import Names
from gangplan.models.topology import PREFERRED, REQUIRED, Rules, Topology

RESOURCES = ("cpu", "memory", "nvidia.com/gpu", "pods")

UNITS = np.array([1000, 2**30, 1, 1], dtype=np.int64)
"""Base units in one core, one GiB, one GPU, one pod."""

GPU = 2
"""Column of the GPUs."""

LEVELS = ("block", "rack")

Vector = tuple[int, int, int, int]
"""Cores, GiB, GPUs, pods."""


@dataclass(frozen=True, slots=True)
class Gang:
    """A rigid gang: all its pods or none.

    Attributes
    ----------
    roles : (pods, what each asks) pairs; the first is the worker, a second one the leader.
    level : ``rack`` or ``block``: all pods in one of them; ``none``: one block is preferred.
    priority : of the group.
    claims : for each role, specs of the claims that each of its pods has for itself.
    common : specs of the claims of its PodGroup, which all its pods share.
    """

    roles: tuple[tuple[int, Vector], ...]
    level: str
    priority: int
    claims: tuple[tuple[int, ...], ...] = ()
    common: tuple[int, ...] = ()

    @property
    def gpus(self) -> int:
        """GPUs that all pods together ask for."""
        return sum(pods * each[GPU] for pods, each in self.roles)


@dataclass(frozen=True, slots=True)
class Work:
    """Running pods of one kind, which somebody may evict.

    Attributes
    ----------
    nodes : node of each pod. each : what each holds.
    priority : of the group, or of the pods.
    whole : they fall as one. alone : they are no group.
    minimum : members that the group needs.
    guarded : a PodDisruptionBudget allows one victim among them.
    minutes : that they have run.
    """

    nodes: tuple[int, ...]
    each: Vector
    priority: int
    whole: bool
    alone: bool
    minimum: int
    guarded: bool
    minutes: int


@dataclass(frozen=True, slots=True, eq=False)
class Hardware:
    """Devices, and what claims ask of them; see `gangplan.datasets.devices.sections`."""

    offers: tuple[Offer, ...]
    specs: tuple[Spec, ...]
    counters: Mapping[str, int] = field(default_factory=dict)
    zones: tuple[Flags, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A cluster with work on it, and the gangs that wait.

    Attributes
    ----------
    free : (N, 4) cores, GiB, GPUs and pods that are free.
    gpus : GPUs of a node when nothing runs on it.
    nodes_per_rack, racks_per_block : nodes and racks stand in this order.
    gangs : in the order drawn.
    hardware : where GPUs are devices that claims ask for; the column of the GPUs is then only what
        a node has free and what a pod holds, and no resource.
    work : what runs; ``free`` is without it.
    """

    free: Ints
    gpus: int
    nodes_per_rack: int
    racks_per_block: int
    gangs: tuple[Gang, ...]
    hardware: Hardware | None = None
    work: tuple[Work, ...] = ()

    @property
    def standing(self) -> tuple[Work, ...]:
        """Work that is groups; they stand after the gangs."""
        return tuple(one for one in self.work if not one.alone)


def racks_for(nodes: int, nodes_per_rack: int) -> int:
    """Whole racks nearest to so many nodes, at least one.

    Raises
    ------
    ValueError : fewer than one node, or racks of fewer than one.
    """
    if nodes < 1 or nodes_per_rack < 1:
        raise ValueError(f"{nodes} nodes in racks of {nodes_per_rack}: at least 1 expected")
    return max((2 * nodes + nodes_per_rack) // (2 * nodes_per_rack), 1)


def gangs_for(
    draw: Callable[[], Gang],
    groups: int | None,
    gpus: float,
    weigh: Callable[[Gang], float] = lambda gang: gang.gpus,
) -> tuple[Gang, ...]:
    """Draw gangs: exactly ``groups`` of them, or, where None, until they ask for ``gpus`` GPUs.

    ``weigh``: GPUs that a gang asks for, where its pods do not say it.
    """
    gangs: list[Gang] = []
    asked = 0.0
    while asked < gpus if groups is None else len(gangs) < groups:
        gangs.append(draw())
        asked += weigh(gangs[-1])
    return tuple(gangs)


def instance_of(draft: Draft, space: str) -> Instance:
    """Turn a draft into an instance whose groups live in the namespace ``space``."""
    n_nodes = len(draft.free)
    kept = [r for r in range(len(RESOURCES)) if r != GPU or draft.hardware is None]
    wanted = [pods for gang in draft.gangs for pods, _ in gang.roles]
    request = [each for gang in draft.gangs for _, each in gang.roles]
    role_group = np.repeat(np.arange(len(draft.gangs)), [len(gang.roles) for gang in draft.gangs])
    sizes = np.bincount(role_group, weights=wanted, minlength=len(draft.gangs)).astype(np.int64)
    n_groups, n_roles = len(sizes), len(wanted)
    zero, off = np.zeros(n_roles, np.int64), np.zeros(n_groups, bool)
    asks = np.array(request, dtype=np.int64).reshape(n_roles, len(RESOURCES))
    still = np.zeros(n_groups, np.int64)
    made = _devices(draft, space) if draft.hardware else sections(n_nodes, (), ())
    return Instance(
        nodes=Nodes(
            (draft.free * UNITS)[:, kept],
            np.zeros(n_nodes, np.int64),
            draft.free[:, GPU] == draft.gpus,
        ),
        topology=_topology(draft),
        roles=Roles(
            group=role_group,
            request=(asks * UNITS)[:, kept],
            wanted=np.array(wanted, dtype=np.int64),
            minimum=zero,
            running=zero,
            eligible=np.ones((n_roles, 1), dtype=np.bool_),
            devices=asks[:, GPU],
            share=zero,
            whole=zero,
        ),
        groups=Groups(
            priority=np.array([gang.priority for gang in draft.gangs], dtype=np.int64),
            kind=np.full(n_groups, GANG),
            minimum=sizes,
            running=still,
            held=off,
            age=still,
            parent=still - 1,
        ),
        composites=no_composites(),
        rules=_rules(draft),
        shared=no_shared(),
        leaving=no_leaving(len(kept)),
        names=replace(
            _names(draft, space), resources=tuple(RESOURCES[r] for r in kept), **made.names
        ),
        device_columns=(GPU,) if draft.hardware is None else (),
        devices=made.devices,
        claims=made.claims,
    )


def _devices(draft: Draft, space: str) -> Sections:
    """Write the hardware down, with the claims of the gangs."""
    hardware = draft.hardware
    assert hardware is not None
    own: list[Own] = []
    common: list[Common] = []
    role = 0
    for g, gang in enumerate(draft.gangs):
        roles = tuple(range(role, role + len(gang.roles)))
        for k, specs in zip(roles, gang.claims, strict=True):
            own += [Own(k, s, f"claim-{n}") for n, s in enumerate(specs)]
        common += [
            Common(f"{space}/g{g:04d}:shared-{n}", roles, s) for n, s in enumerate(gang.common)
        ]
        role += len(roles)
    return sections(
        len(draft.free),
        hardware.offers,
        hardware.specs,
        own,
        common,
        counters=hardware.counters,
        zones=hardware.zones,
    )


def _places(draft: Draft) -> tuple[Ints, Ints]:
    """(N,) block and (N,) rack of every node."""
    rack = np.arange(len(draft.free), dtype=np.int64) // draft.nodes_per_rack
    return rack // draft.racks_per_block, rack


def _topology(draft: Draft) -> Topology:
    block, rack = _places(draft)
    n_blocks, n_racks = int(block[-1]) + 1, int(rack[-1]) + 1
    return Topology(np.stack([block, n_blocks + rack]), np.repeat([0, 1], [n_blocks, n_racks]))


def _rules(draft: Draft) -> Rules:
    n = len(draft.gangs)
    none = np.zeros(0, np.int64)
    level = [LEVELS.index("block" if gang.level == "none" else gang.level) for gang in draft.gangs]
    mode = [PREFERRED if gang.level == "none" else REQUIRED for gang in draft.gangs]
    return Rules(np.arange(n), np.array(level), np.array(mode), np.zeros(n, int), none, none, none)


def _names(draft: Draft, space: str) -> Names:
    block, rack = _places(draft)
    groups = tuple(f"{space}/g{i:04d}" for i in range(len(draft.gangs)))
    roles = tuple(
        name
        for gang in draft.gangs
        for name, _ in zip(("worker", "leader"), gang.roles, strict=False)
    )
    return Names(
        nodes=tuple(f"n{i:05d}" for i in range(len(draft.free))),
        resources=RESOURCES,
        levels=LEVELS,
        domains=(
            *(f"block-{i:03d}" for i in range(int(block[-1]) + 1)),
            *(f"rack-{i:03d}" for i in range(int(rack[-1]) + 1)),
        ),
        groups=groups,
        roles=roles,
        pods=tuple(
            f"{group}-{name}-{i}"
            for group, gang in zip(groups, draft.gangs, strict=True)
            for name, (pods, _) in zip(("worker", "leader"), gang.roles, strict=False)
            for i in range(pods)
        ),
        held=("",) * len(groups),
    )
