"""What a generator draws, in round numbers, and the instance that it means.

A draft counts cores, GiB, GPUs and pods; an instance counts millicores, bytes, GPUs and pods.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.columns import (
    GANG,
    Groups,
    Nodes,
    Roles,
    no_composites,
    no_leaving,
    no_shared,
)
from gangplan.models.instance import Instance, Names
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
    """

    roles: tuple[tuple[int, Vector], ...]
    level: str
    priority: int

    @property
    def gpus(self) -> int:
        """GPUs that all pods together ask for."""
        return sum(pods * each[GPU] for pods, each in self.roles)


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A cluster with work on it, and the gangs that wait.

    Attributes
    ----------
    free : (N, 4) cores, GiB, GPUs and pods that are free.
    gpus : GPUs of a node when nothing runs on it.
    nodes_per_rack, racks_per_block : nodes and racks stand in this order.
    gangs : in the order drawn.
    """

    free: Ints
    gpus: int
    nodes_per_rack: int
    racks_per_block: int
    gangs: tuple[Gang, ...]


def racks_for(nodes: int, nodes_per_rack: int) -> int:
    """Whole racks nearest to so many nodes, at least one.

    Raises
    ------
    ValueError : fewer than one node, or racks of fewer than one.
    """
    if nodes < 1 or nodes_per_rack < 1:
        raise ValueError(f"{nodes} nodes in racks of {nodes_per_rack}: at least 1 expected")
    return max((2 * nodes + nodes_per_rack) // (2 * nodes_per_rack), 1)


def gangs_for(draw: Callable[[], Gang], groups: int | None, gpus: float) -> tuple[Gang, ...]:
    """Draw gangs: exactly ``groups`` of them, or, where None, until they ask for ``gpus`` GPUs."""
    gangs: list[Gang] = []
    asked = 0
    while asked < gpus if groups is None else len(gangs) < groups:
        gangs.append(draw())
        asked += gangs[-1].gpus
    return tuple(gangs)


def instance_of(draft: Draft, space: str) -> Instance:
    """Turn a draft into an instance whose groups live in the namespace ``space``."""
    n_nodes, n_resources = draft.free.shape
    wanted = [pods for gang in draft.gangs for pods, _ in gang.roles]
    request = [each for gang in draft.gangs for _, each in gang.roles]
    role_group = np.repeat(np.arange(len(draft.gangs)), [len(gang.roles) for gang in draft.gangs])
    sizes = np.bincount(role_group, weights=wanted, minlength=len(draft.gangs)).astype(np.int64)
    n_groups, n_roles = len(sizes), len(wanted)
    zero, off = np.zeros(n_roles, np.int64), np.zeros(n_groups, bool)
    asks = np.array(request, dtype=np.int64).reshape(n_roles, n_resources)
    still = np.zeros(n_groups, np.int64)
    return Instance(
        nodes=Nodes(
            draft.free * UNITS, np.zeros(n_nodes, np.int64), draft.free[:, GPU] == draft.gpus
        ),
        topology=_topology(draft),
        roles=Roles(
            group=role_group,
            request=asks * UNITS,
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
        leaving=no_leaving(n_resources),
        names=_names(draft, space),
        device_columns=(GPU,),
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
