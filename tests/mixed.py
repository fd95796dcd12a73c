"""Seeded small clusters of mixed shapes in blocks and racks, that patterns carry."""

from typing import Any

import numpy as np

from gangplan.models.instance import Instance
from tests.tiny import make_instance

KINDS = ({"gpu": 8, "cpu": 16}, {"gpu": 5, "cpu": 24}, {"gpu": 0, "cpu": 12})
SHAPES = ({"gpu": 3, "cpu": 2}, {"gpu": 2, "cpu": 7}, {"cpu": 5}, {"gpu": 1, "cpu": 1})


def mixed(seed: int, nodes: int = 8, groups: int = 8, order: int | None = None) -> Instance:
    """Make a cluster with ``groups`` gangs that want more than there is.

    ``order`` seeds another order of the same nodes.
    """
    random = np.random.default_rng(seed)
    rows = [
        KINDS[int(random.integers(3))] | {"block": f"b{n * 2 // nodes}", "rack": f"r{n // 2}"}
        for n in range(nodes)
    ]
    shuffled = (
        np.arange(nodes) if order is None else np.random.default_rng(order).permutation(nodes)
    )
    rows = [rows[n] for n in shuffled.tolist()]
    return make_instance(rows, [_gang(random) for _ in range(groups)])


def _gang(random: np.random.Generator) -> dict[str, Any]:
    roles: list[dict[str, Any]] = []
    for shape in random.permutation(len(SHAPES))[: random.integers(1, 3)]:
        wanted = int(random.integers(1, 4))
        roles.append({"request": SHAPES[shape], "wanted": wanted})
    total = sum(role["wanted"] for role in roles)
    spare = int(random.integers(2)) * int(random.integers(total))
    level = [[], [("block", "required")], [("rack", "required")]][int(random.integers(3))]
    kind = "basic" if random.random() < 0.15 else "gang"
    return {
        "priority": int(random.choice([1, 4])),
        "minimum": total - spare,
        "roles": roles,
        "rules": level,
    } | ({"kind": kind, "minimum": 0} if kind == "basic" else {})
