"""Slurm ``topology.conf``: switch trees (topology/tree) and blocks (topology/block).

Format: slurm.schedmd.com/topology.conf.html. GPUs per node are ADDED, as for topograph models.
"""

import re
from pathlib import Path

from gangplan.datasets.traces.cluster import Machine, cluster
from gangplan.datasets.traces.folder import Public
from gangplan.datasets.traces.ranges import expand, split
from gangplan.datasets.traces.switches import DOMAIN, each_once, fabric_labels, fault_of, parents_of
from gangplan.datasets.traces.text import read_text
from gangplan.datasets.traces.topograph import levels_of
from gangplan.models.errors import Fault, InputError
from gangplan.models.instance import Instance

FILES = {"tree": "expected.slinky-oci-sim-tree.conf", "block": "expected.slinky-dra-block.conf"}
"""Examples of the public repository: what topograph writes for its model ``large``."""

_PAIR = re.compile(r"(\w+)=(\S+)")


def public(kind: str) -> Public:
    """Where an example is published; ``kind`` is ``tree`` or ``block``."""
    return Public(
        f"topology/topograph/slurm_{kind}_topology.conf",
        "NVIDIA/topograph",
        f"tests/ci/{FILES[kind]}",
    )


def slurm(path: Path, *, gpus: int = 8) -> Instance:
    """Read a ``topology.conf``: an empty cluster with a level a switch tier, or one for the blocks.

    Raises
    ------
    InputError : a line that cannot be read, a cycle, a node named twice.
    """
    source = str(path)
    below: dict[str, list[str]] = {}
    leaves: list[tuple[str, list[str], str]] = []
    blocks: list[tuple[str, list[str], str]] = []
    notes = [f"added: {gpus} GPUs a node"]
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        pairs = _pairs(line, f"{source}:{number}")
        where = f"{source}:{number}"
        nodes = _names(pairs.get("nodes", ""), where)
        if "switchname" in pairs:
            name = pairs["switchname"]
            if name in below:
                raise InputError([Fault(where, f"switch {name}", "", "named twice")])
            below[name] = _names(pairs.get("switches", ""), where)
            leaves.append((name, nodes, where))
        elif "blockname" in pairs:
            blocks.append((pairs["blockname"], nodes, where))
        else:
            notes += [f"{key} is not read" for key in pairs]
    above = parents_of(below, source)
    for child in above:
        if child not in below:
            raise InputError([Fault(source, f"switch {child}", "", "has no line of its own")])
    machines = [
        Machine(name, gpus, fabric_labels(leaf, above, source))
        for leaf, names, _ in leaves
        for name in names
    ]
    machines += [
        Machine(name, gpus, {DOMAIN: block}) for block, names, _ in blocks for name in names
    ]
    each_once([(n, where) for _, names, where in leaves + blocks for n in names], source)
    if not machines:
        raise InputError([Fault(source, "", "", "no nodes")])
    return cluster(machines, levels_of(machines), (), notes)


def _pairs(line: str, where: str) -> dict[str, str]:
    """``Key=value`` pairs of a line, keys in lower case as Slurm reads them; comments taken off."""
    text = line.split("#", 1)[0].strip()
    pairs = {key.lower(): value for key, value in _PAIR.findall(text)}
    if _PAIR.sub("", text).strip():
        raise InputError([Fault(where, "", "", "not a line of Key=value pairs")])
    return pairs


def _names(text: str, where: str) -> list[str]:
    return [name for part in split(text) for name in fault_of(expand, part, where, "")]
