"""NVIDIA/topograph ``model_*.yaml``: simulated clusters as a switch tree with blocks of nodes.

A model says where nodes are and nothing of their size or of any work: GPUs per node and the
gangs are ADDED here, and the instance's notes say so.
"""

from pathlib import Path

import numpy as np

from gangplan.datasets.traces.cluster import Gang, Machine, cluster
from gangplan.datasets.traces.folder import Public
from gangplan.datasets.traces.ranges import expand
from gangplan.datasets.traces.switches import (
    DOMAIN,
    FABRIC,
    SUB_DOMAIN,
    each_once,
    fabric_labels,
    fault_of,
    parents_of,
)
from gangplan.datasets.traces.text import Table, read_yaml
from gangplan.models.errors import Fault, InputError
from gangplan.models.instance import Instance
from gangplan.models.topology import PREFERRED, REQUIRED

MODELS = ("small-tree", "medium", "large", "nvl72", "dual-xclr-regular")
"""Models of the public repository."""

ANNOTATIONS = {
    "accelerator.topology.test/domain": DOMAIN,
    "accelerator.topology.test/sub-domain": SUB_DOMAIN,
}
"""Block annotations of a model -> the node labels that topograph writes for them."""


def public(model: str) -> Public:
    """Where a model is published."""
    return Public(
        f"topology/topograph/model_{model}.yaml", "NVIDIA/topograph", f"tests/models/{model}.yaml"
    )


def topograph(
    path: Path, *, gpus: int = 8, nodes: int | None = None, groups: int = 0, seed: int = 1
) -> Instance:
    """Read a model.

    Parameters
    ----------
    gpus : ADDED: GPUs of every node, all free.
    nodes : keep the first so many nodes.
    groups : ADDED: so many gangs drawn by ``seed``: see ``gangs``.

    Returns
    -------
    Instance
        Levels, widest first: labels of switches (region, zone), one level a switch tier
        (``fabric.topograph.run/tier-0`` is next to the node), accelerator domain and sub-domain.

    Raises
    ------
    InputError : not a model; a cycle, an unknown switch, a node in two blocks.
    """
    machines, notes = read_model(path, gpus)
    machines = machines[:nodes]
    levels = levels_of(machines)
    added = f"added: {gpus} GPUs a node"
    if groups:
        added += f", {groups} gangs (seed {seed})"
    return cluster(machines, levels, gangs(groups, gpus, levels, seed), [*notes, added])


def read_model(path: Path, gpus: int) -> tuple[list[Machine], list[str]]:
    """Read the nodes of a model, in the order of its blocks, and notes on what was not used."""
    source = str(path)
    model = Table(read_yaml(path), source, "model")
    switches = {
        name: Table({} if body is None else body, source, f"switch {name}")
        for name, body in model.table("switches").items()
    }
    notes = model.unread("switches", "blocks")
    children = {name: body.strings("switches") for name, body in switches.items()}
    above = parents_of(children, source)
    known = {*children, *above}
    machines: list[Machine] = []
    homes: list[tuple[str, str]] = []
    used: set[str] = set()
    for number, entry in enumerate(model.items("blocks")):
        block = Table(entry, source, f"blocks[{number}]")
        leaf = block.string("switch")
        if leaf not in known:
            raise InputError(
                [Fault(source, block.item, "switch", f"{leaf} is no switch of the model")]
            )
        labels = fabric_labels(leaf, above, source)
        used.update(labels.values())
        for switch in reversed(list(labels.values())):
            if switch in switches:
                labels |= switches[switch].texts("labels")
        annotations = block.texts("annotations")
        labels |= {ANNOTATIONS.get(key, key): value for key, value in annotations.items()}
        for text in block.strings("nodes"):
            for name in fault_of(expand, text, source, block.item):
                machines.append(Machine(name, gpus, labels))
                homes.append((name, f"{block.item} (switch {leaf})"))
        notes += block.unread("switch", "nodes", "annotations")
    each_once(homes, source)
    for body in switches.values():
        notes += body.unread("switches", "labels")
    notes += [f"switch {name} has no node below it" for name in sorted(known - used)]
    if not machines:
        raise InputError([Fault(source, "model", "blocks", "no nodes")])
    return machines, notes


def levels_of(machines: list[Machine]) -> list[str]:
    """Label keys of the machines, widest first: other labels, tiers from the root, accelerators."""
    keys = list(dict.fromkeys(key for machine in machines for key in machine.labels))
    tiers = sorted(
        (key for key in keys if key.startswith(FABRIC)),
        key=lambda key: -int(key.removeprefix(FABRIC)),
    )
    inner = [key for key in (DOMAIN, SUB_DOMAIN) if key in keys]
    return [*(key for key in keys if key not in {*tiers, *inner}), *tiers, *inner]


def gangs(count: int, gpus: int, levels: list[str], seed: int) -> list[Gang]:
    """Draw gangs of whole-node pods: made up, none of it is in the model.

    Sizes 1, 2, 4, 8, 16 (weights 4, 4, 3, 2, 1); priority 0, 10 or 100 (weights 5, 3, 2). Gangs
    of two and more take one of: required accelerator domain (else tier 0), preferred tier 0,
    preferred tier 1 and 0, no rule; equally likely.
    """
    draw = np.random.default_rng(seed)
    near = [key for key in (DOMAIN, f"{FABRIC}0") if key in levels][:1]
    tiers = [key for key in (f"{FABRIC}1", f"{FABRIC}0") if key in levels]
    choices: list[tuple[tuple[str, int], ...]] = [
        tuple((key, REQUIRED) for key in near),
        tuple((key, PREFERRED) for key in tiers[-1:]),
        tuple((key, PREFERRED) for key in tiers),
        (),
    ]
    made = []
    for number in range(count):
        pods = int(draw.choice([1, 2, 4, 8, 16], p=np.array([4, 4, 3, 2, 1]) / 14))
        priority = int(draw.choice([0, 10, 100], p=[0.5, 0.3, 0.2]))
        rules = choices[int(draw.integers(len(choices)))] if pods > 1 else ()
        made.append(Gang(f"topograph/gang-{number:04d}", pods, gpus, priority, rules=rules))
    return made
