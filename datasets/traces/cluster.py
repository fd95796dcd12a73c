"""Nodes with labels and GPUs, and gangs of whole pods, as an Instance: for traces of topologies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

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
from gangplan.models.topology import Rules, Topology

GPU = "nvidia.com/gpu"
"""The one resource of these instances: the files say nothing of processors and memory."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A node of a topology file.

    Attributes
    ----------
    name : of the node.
    gpus : free GPUs; all of them.
    labels : label key -> value.
    usable : False: no pod may go there (cordoned).
    """

    name: str
    gpus: int
    labels: Mapping[str, str]
    usable: bool = True


@dataclass(frozen=True, slots=True)
class Gang:
    """A gang of equal pods.

    Attributes
    ----------
    name : ``namespace/name``.
    pods : pods that wait; all of them are needed unless ``minimum`` says less.
    gpus : of one pod.
    rules : (label key, REQUIRED or PREFERRED) pairs on the gang as a whole.
    """

    name: str
    pods: int
    gpus: int
    priority: int = 0
    minimum: int | None = None
    rules: tuple[tuple[str, int], ...] = field(default=())


def cluster(
    machines: Sequence[Machine],
    levels: Sequence[str],
    gangs: Sequence[Gang] = (),
    notes: Sequence[str] = (),
) -> Instance:
    """Make an Instance: an empty cluster, and gangs that wait.

    Parameters
    ----------
    levels : label keys, widest first; a domain is a label value.
    """
    topology, domains = _topology(machines, levels)
    n = len(machines)
    gpus = np.array([machine.gpus for machine in machines], dtype=np.int64)
    cordoned = np.array([not machine.usable for machine in machines], dtype=np.int64)
    if cordoned.all():
        cordoned[:] = 0
        usable = np.zeros((len(gangs), 1), dtype=np.bool_)
    else:
        usable = np.tile(
            np.array([True, False])[: int(cordoned.max(initial=0)) + 1], (len(gangs), 1)
        )
    return Instance(
        nodes=Nodes(gpus.reshape(n, 1), cordoned, gpus > 0),
        topology=topology,
        roles=_roles(gangs, usable),
        groups=_groups(gangs),
        composites=no_composites(),
        rules=_rules(gangs, levels),
        shared=no_shared(),
        leaving=no_leaving(1),
        names=Names(
            nodes=tuple(machine.name for machine in machines),
            resources=(GPU,),
            levels=tuple(levels),
            domains=domains,
            groups=tuple(gang.name for gang in gangs),
            roles=("",) * len(gangs),
            pods=tuple(f"{gang.name}-{i}" for gang in gangs for i in range(gang.pods)),
            held=("",) * len(gangs),
            notes=tuple(notes),
        ),
        device_columns=(0,),
    )


def _topology(
    machines: Sequence[Machine], levels: Sequence[str]
) -> tuple[Topology, tuple[str, ...]]:
    domain = np.full((len(levels), len(machines)), -1, dtype=np.int64)
    number: dict[tuple[int, str], int] = {}
    for row, key in enumerate(levels):
        for n, machine in enumerate(machines):
            value = machine.labels.get(key)
            if value is not None:
                domain[row, n] = number.setdefault((row, value), len(number))
    level = np.array([row for row, _ in number], dtype=np.int64)
    return Topology(domain, level), tuple(value for _, value in number)


def _roles(gangs: Sequence[Gang], usable: Flags) -> Roles:
    k = len(gangs)
    zero = np.zeros(k, dtype=np.int64)
    gpus = np.array([gang.gpus for gang in gangs], dtype=np.int64)
    wanted = np.array([gang.pods for gang in gangs], dtype=np.int64)
    return Roles(np.arange(k), gpus.reshape(k, 1), wanted, zero, zero, usable, gpus, zero, zero)


def _groups(gangs: Sequence[Gang]) -> Groups:
    zero = np.zeros(len(gangs), dtype=np.int64)
    minimum = [gang.pods if gang.minimum is None else gang.minimum for gang in gangs]
    return Groups(
        priority=np.array([gang.priority for gang in gangs], dtype=np.int64),
        kind=np.full(len(gangs), GANG, dtype=np.int64),
        minimum=np.array(minimum, dtype=np.int64),
        running=zero,
        held=zero > 0,
        age=zero,
        parent=zero - 1,
    )


def _rules(gangs: Sequence[Gang], levels: Sequence[str]) -> Rules:
    row: Mapping[str, int] = {key: number for number, key in enumerate(levels)}
    flat = [(g, row[key], mode) for g, gang in enumerate(gangs) for key, mode in gang.rules]
    table: Ints = np.array(flat, dtype=np.int64).reshape(len(flat), 3)
    none = np.zeros(0, dtype=np.int64)
    return Rules(
        table[:, 0],
        table[:, 1],
        table[:, 2],
        np.zeros(len(flat), dtype=np.int64),
        none,
        none,
        none,
    )
