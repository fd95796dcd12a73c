"""NVIDIA/knavigator network-topology benchmarks: ``nwtopo_config-nodes*.yaml``.

A workflow configures nodes by labels and cordons some; the jobs are in other files as a number of
replicas, so the caller says them. Pods take whole nodes, and would like to be close at every
network level (the benchmark asks for the "optimal nodes from the network topology perspective").
"""

from collections.abc import Sequence
from pathlib import Path

from gangplan.datasets.traces.cluster import Gang, Machine, cluster
from gangplan.datasets.traces.folder import Public
from gangplan.datasets.traces.switches import each_once
from gangplan.datasets.traces.text import Table, read_yaml
from gangplan.models.errors import Fault, InputError
from gangplan.models.instance import Instance
from gangplan.models.topology import PREFERRED

LEVELS = (
    "network.topology.nvidia.com/datacenter",
    "network.topology.nvidia.com/spine",
    "network.topology.nvidia.com/block",
    "network.topology.nvidia.com/accelerator",
)
"""Network labels of the workflows, widest first."""

JOBS = {"nodes": (3,), "nodes-acc": (6, 6)}
"""Replicas of the jobs that the repository's ``run-test`` files send to each configuration."""


def public(name: str) -> Public:
    """Where a configuration is published; ``name`` is a key of JOBS."""
    return Public(
        f"topology/knavigator/nwtopo_config-{name}.yaml",
        "NVIDIA/knavigator",
        f"resources/benchmarks/nwtopo/workflows/config-{name}.yaml",
    )


def knavigator(path: Path, jobs: Sequence[int] = ()) -> Instance:
    """Read a configuration; each job is a gang of so many whole-node pods.

    Raises
    ------
    InputError : not such a workflow, a node without ``node-id`` or ``nvidia.com/gpu.count``.
    """
    source = str(path)
    workflow = Table(read_yaml(path), source, "workflow")
    notes = workflow.unread("name", "description", "tasks")
    machines: list[Machine] = []
    for number, entry in enumerate(workflow.items("tasks")):
        task = Table(entry, source, f"tasks[{number}]")
        params = Table(task.table("params"), source, f"{task.item}.params")
        kind = task.string("type")
        if kind == "Configure":
            machines += _configured(params)
        elif kind == "UpdateNodes":
            machines = _updated(machines, params)
        else:
            notes.append(f"{task.item}: type {kind} is not read")
    each_once([(machine.name, "the workflow") for machine in machines], source)
    if not machines:
        raise InputError([Fault(source, "workflow", "tasks", "no nodes")])
    levels = [key for key in LEVELS if any(key in machine.labels for machine in machines)]
    most = max(machine.gpus for machine in machines)
    near = tuple((key, PREFERRED) for key in levels)
    gangs = [Gang(f"nwtopo/job-{j}", pods, most, rules=near) for j, pods in enumerate(jobs)]
    if jobs:
        notes.append("added: the jobs prefer one domain at every network level")
    return cluster(machines, levels, gangs, notes)


def _configured(params: Table) -> list[Machine]:
    machines = []
    for number, entry in enumerate(params.items("nodes")):
        node = Table(entry, params.source, f"{params.item}.nodes[{number}]")
        labels = node.texts("labels")
        for key in ("node-id", "nvidia.com/gpu.count"):
            if key not in labels:
                raise node.fault(f"labels.{key}", "missing")
        if node.count("count", 1) != 1:
            raise node.fault("count", "1 expected: the label node-id names one node")
        gpus = Table(labels, node.source, f"{node.item}.labels").count("nvidia.com/gpu.count")
        machines.append(Machine(labels["node-id"], gpus, labels))
    return machines


def _updated(machines: list[Machine], params: Table) -> list[Machine]:
    """Cordon the nodes that match any selector."""
    state = Table(params.table("state"), params.source, f"{params.item}.state").table("spec")
    if set(state) != {"unschedulable"} or not isinstance(state["unschedulable"], bool):
        raise params.fault("state.spec", "only unschedulable: true or false can be read")
    chosen: set[str] = set()
    for number, entry in enumerate(params.items("selectors")):
        item = f"{params.item}.selectors[{number}]"
        want = Table({"labels": entry}, params.source, item).texts("labels").items()
        hit = {machine.name for machine in machines if want <= machine.labels.items()}
        if not hit:
            raise InputError([Fault(params.source, item, "", "selects no node")])
        chosen |= hit
    return [
        Machine(
            m.name,
            m.gpus,
            m.labels,
            m.usable if m.name not in chosen else not state["unschedulable"],
        )
        for m in machines
    ]
