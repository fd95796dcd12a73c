"""Alibaba cluster-trace-gpu-v2023 ("openb"): nodes with GPUs, and pods that ask for parts of them.

Public repository: alibaba/clusterdata, ``cluster-trace-gpu-v2023/csv`` (Weng et al., USENIX ATC
2023, who published the FGD results on it). Nothing is ADDED: every pod waits before an empty
cluster with priority 0. The trace's times, phase and QoS class are not used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gangplan.datasets.traces.columns import read_columns
from gangplan.datasets.traces.folder import Public
from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import (
    BARE,
    Groups,
    Nodes,
    Roles,
    Shared,
    no_composites,
    no_leaving,
)
from gangplan.models.instance import Instance
from gangplan.models.names import Names
from gangplan.models.topology import no_levels, no_rules

NODE_LISTS = ("gpu", "all")
"""``gpu``: the 1,213 nodes with GPUs; ``all``: 310 nodes without come first."""

POD_LISTS = ("default", "cpu100", "gpushare40", "gpuspec20", "multigpu20", "multigpu40")
"""Pod lists of the repository."""

DEVICE = 1000
"""Thousandths of a GPU."""

MEBI = 2**20

MOST_GPUS = 1024
"""Most GPUs of a node that a list may claim."""


@dataclass(frozen=True, slots=True)
class Spec:
    """What makes two pods equal.

    Attributes
    ----------
    share : thousandths of one GPU, 1..999; 0 where whole GPUs (or none) are asked.
    whole : whole GPUs.
    models : GPU models allowed; empty: any.
    """

    cpu: int
    memory: int
    share: int
    whole: int
    models: tuple[str, ...]

    def name(self) -> str:
        """Name as a group: ``cpu6000m-memory12288Mi-gpu460m``."""
        gpu = f"-gpu{self.share}m" if self.share else f"-gpu{self.whole}" if self.whole else ""
        where = f"-on-{'-'.join(self.models)}" if self.models else ""
        return f"cpu{self.cpu}m-memory{self.memory // MEBI}Mi{gpu}{where}"


@dataclass(frozen=True, slots=True, eq=False)
class NodeList:
    """Nodes of a list, in order: names, (N,) columns, GPU model of each (empty: none)."""

    names: tuple[str, ...]
    cpu: Ints
    memory: Ints
    gpus: Ints
    models: tuple[str, ...]


def public(kind: str, name: str) -> Public:
    """Where a list is published; ``kind`` is ``node`` or ``pod``."""
    file = f"openb_{kind}_list_{name}{'_node' if kind == 'node' else ''}.csv"
    return Public(
        f"alibaba-gpu-v2023/{file}", "alibaba/clusterdata", f"cluster-trace-gpu-v2023/csv/{file}"
    )


def openb(
    node_file: Path,
    pod_file: Path,
    *,
    nodes: int | None = None,
    groups: int | None = None,
    seed: int = 1,
) -> Instance:
    """Read a node list and a pod list: all pods pending before an empty cluster.

    Equal pods are one group of kind BARE, so each pod is a gang of one; a pod with ``num_gpu`` 1
    and ``gpu_milli`` below 1000 asks for a share of one GPU, any other for ``num_gpu`` whole ones.

    Parameters
    ----------
    nodes, groups : draw so many nodes (pods) without repetition by ``seed``, kept in the list's
        order; None: all of them.

    Returns
    -------
    Instance
        Resources ``cpu`` (millicores) and ``memory`` (bytes); GPUs are the shared devices.
        A node class is a GPU model with a number of GPUs.

    Raises
    ------
    InputError : a malformed row, named as file:line:column; at most 20 of them.
    """
    node_list = read_nodes(node_file)
    names, specs = read_pods(pod_file)
    draw = np.random.default_rng(seed)
    node_list = _some_nodes(node_list, _sample(draw, len(node_list.names), nodes))
    kept = _sample(draw, len(names), groups)
    members: dict[Spec, list[str]] = {}
    for p in kept:
        members.setdefault(specs[p], []).append(names[p])
    return _instance(node_list, members)


def read_nodes(path: Path) -> NodeList:
    """Read ``sn, cpu_milli, memory_mib, gpu, model``."""
    table = read_columns(path, ("sn", "cpu_milli", "memory_mib", "gpu", "model"))
    cpu, memory = (table.counts(name) for name in ("cpu_milli", "memory_mib"))
    gpus = table.counts("gpu", MOST_GPUS)
    models = table.texts("model", may_be_empty=True)
    table.check(
        "gpu",
        [bool(g) == bool(m) for g, m in zip(gpus, models, strict=True)],
        "GPUs and model do not agree",
    )
    names = table.names("sn")
    table.finish()
    return NodeList(
        tuple(names),
        np.array(cpu, dtype=np.int64),
        np.array(memory, dtype=np.int64) * MEBI,
        np.array(gpus, dtype=np.int64),
        tuple(models),
    )


def read_pods(path: Path) -> tuple[list[str], list[Spec]]:
    """Read ``name, cpu_milli, memory_mib, num_gpu, gpu_milli`` and, if there, ``gpu_spec``."""
    table = read_columns(path, ("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"))
    cpu, memory = (table.counts(name) for name in ("cpu_milli", "memory_mib"))
    number, milli = table.counts("num_gpu", MOST_GPUS), table.counts("gpu_milli")
    fits = [
        m == (DEVICE if n > 1 else 0) if n != 1 else 1 <= m <= DEVICE
        for n, m in zip(number, milli, strict=True)
    ]
    table.check("gpu_milli", fits, "1 to 1000 for one GPU, 1000 for several, 0 for none")
    spec = (
        table.texts("gpu_spec", may_be_empty=True)
        if "gpu_spec" in table.header
        else [""] * len(cpu)
    )
    names = table.names("name")
    table.finish()
    pods = []
    for c, mib, n, m, models in zip(cpu, memory, number, milli, spec, strict=True):
        share = m if n == 1 and m < DEVICE else 0
        allowed = tuple(sorted({model for model in models.split("|") if model}))
        pods.append(Spec(c, mib * MEBI, share, 0 if share else n, allowed))
    return names, pods


def _sample(draw: np.random.Generator, size: int, wanted: int | None) -> list[int]:
    if wanted is None or wanted >= size:
        return list(range(size))
    chosen: list[int] = np.sort(draw.choice(size, wanted, replace=False)).tolist()
    return chosen


def _some_nodes(nodes: NodeList, kept: Sequence[int]) -> NodeList:
    rows = np.array(kept, dtype=np.int64)
    return NodeList(
        tuple(nodes.names[n] for n in kept),
        nodes.cpu[rows],
        nodes.memory[rows],
        nodes.gpus[rows],
        tuple(nodes.models[n] for n in kept),
    )


def _instance(nodes: NodeList, members: dict[Spec, list[str]]) -> Instance:
    n, k = len(nodes.names), len(members)
    kinds = sorted(set(zip(nodes.models, nodes.gpus.tolist(), strict=True)))
    number = {kind: c for c, kind in enumerate(kinds)}
    classes = [number[kind] for kind in zip(nodes.models, nodes.gpus.tolist(), strict=True)]
    share = np.array([spec.share for spec in members], dtype=np.int64)
    whole = np.array([spec.whole for spec in members], dtype=np.int64)
    zero = np.zeros(k, dtype=np.int64)
    group_names = tuple(f"openb/{spec.name()}" for spec in members)
    devices = np.repeat(np.arange(n), nodes.gpus)
    return Instance(
        nodes=Nodes(
            np.stack([nodes.cpu, nodes.memory], axis=1),
            np.array(classes, dtype=np.int64),
            nodes.gpus > 0,
        ),
        topology=no_levels(n),
        roles=Roles(
            group=np.arange(k),
            request=np.array([[s.cpu, s.memory] for s in members], dtype=np.int64).reshape(k, 2),
            wanted=np.array([len(pods) for pods in members.values()], dtype=np.int64),
            minimum=zero,
            running=zero,
            eligible=_eligible(list(members), kinds),
            devices=share + DEVICE * whole,
            share=share,
            whole=whole,
        ),
        groups=Groups(zero, zero + BARE, zero, zero, zero > 0, zero, zero - 1),
        composites=no_composites(),
        rules=no_rules(),
        shared=Shared(devices, np.full(len(devices), DEVICE, dtype=np.int64)),
        leaving=no_leaving(2),
        names=Names(
            nodes=nodes.names,
            resources=("cpu", "memory"),
            groups=group_names,
            roles=("",) * k,
            pods=tuple(f"openb/{name}" for pods in members.values() for name in pods),
            held=("",) * k,
            notes=(
                "openb: all pods wait before an empty cluster; times, phase and QoS are not used",
            ),
        ),
        device_unit=DEVICE,
    )


def _eligible(specs: Sequence[Spec], kinds: Sequence[tuple[str, int]]) -> Flags:
    """(K, C) the model is allowed, and the node has as many GPUs as one pod asks for."""
    table = np.zeros((len(specs), len(kinds)), dtype=np.bool_)
    for k, spec in enumerate(specs):
        needed = 1 if spec.share else spec.whole
        for c, (model, gpus) in enumerate(kinds):
            table[k, c] = gpus >= needed and (not spec.models or model in spec.models)
    return table
