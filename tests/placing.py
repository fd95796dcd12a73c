"""Plans by hand: ``place(instance, [0, 0, -1])`` puts pods 0 and 1 on node 0."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gangplan.models.instance import Instance
from gangplan.models.plan import Allocations, Plan


def place(
    instance: Instance, nodes: Sequence[int], devices: Mapping[int, Sequence[int]] | None = None
) -> Plan:
    """Put pod p on ``nodes[p]`` (-1: nowhere), with shared devices ``devices[p]``."""
    assert len(nodes) == instance.n_pods
    held = [(p, j) for p, mine in sorted((devices or {}).items()) for j in mine]
    columns = np.array(held, dtype=np.int64).reshape(-1, 2)
    return Plan(np.array(nodes, dtype=np.int64), columns[:, 0], columns[:, 1])


def give(plan: Plan, *rows: tuple[int, int, int, int]) -> Plan:
    """Give devices to claims: (pod or -1, claim, choice, device) a row."""
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return replace(plan, allocations=Allocations(*columns))
