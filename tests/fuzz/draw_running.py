"""Running work for a case of the fuzzer, by its seed; see ``tests.tiny_running``."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from tests.fuzz.case import Case, Row

MOST_PODS = 7
"""Running pods: brute force looks at every set of them."""


def with_pods(rng: Random, case: Case) -> Case:
    """Fill the nodes, mostly below what waits; what was drawn before waits as it did."""
    by = rng.choice([0, 1, 4, 9])
    nodes = [_fuller(rng, node) for node in case.nodes]
    groups = [group | {"priority": group["priority"] + by} for group in case.groups]
    composites = [h | {"priority": h["priority"] + by} for h in case.composites]
    waiting = len(groups)
    for _ in range(rng.randint(0, 2)):
        more = _tree(rng, len(nodes)) if rng.random() < 0.3 else ([_group(rng, nodes)], [])
        base = len(composites)
        groups += [g | ({"parent": g["parent"] + base} if "parent" in g else {}) for g in more[0]]
        composites += more[1]
    known = {"cpu", "gpu"} & {key for node in nodes for key in node}
    pods = _members(rng, groups, composites, known)
    for _ in range(rng.randint(0, min(3, MOST_PODS - len(pods)))):
        alone = {"priority": rng.choice([0, 3, 5, -1])}
        pods.append(_pod(rng, rng.randrange(len(nodes)), known) | alone)
    less = replace(case, nodes=nodes, groups=groups, composites=composites, pods=pods)
    if not pods:
        return less
    holds, devices = _holds(rng, case, len(pods))
    return replace(
        less,
        devices=devices,
        holds=holds,
        budgets=[_budget(rng, len(pods)) for _ in range(rng.choice([0, 0, 1, 2]))],
        never=_never(rng, case, composites, waiting),
        reserved=[_reserved(rng, nodes, waiting)] if rng.random() < 0.2 else [],
    )


def _fuller(rng: Random, node: Row) -> Row:
    if rng.random() < 0.2:
        return node
    return node | {key: rng.randint(0, 1) for key in ("gpu", "cpu") if key in node}


def _group(rng: Random, nodes: Sequence[Row]) -> Row:
    """Draw a group all of whose members run."""
    here = [rng.randrange(len(nodes)) for _ in range(rng.randint(1, 4))]
    group: Row = {"kind": "gang", "priority": rng.choice([0, 0, 3, 5]), "roles": []}
    levels = [level for level in ("block", "rack") if any(level in n for n in nodes)]
    if levels and rng.random() < 0.3:
        here = [n for n in here[:2] for _ in range(2)]
        group["rules"] = [[rng.choice(levels), "required", 2]]
    elif rng.random() < 0.2:
        return group | {"kind": "basic", "running": here}
    return group | {"running": here, "minimum": rng.randint(1, len(here))}


def _tree(rng: Random, n_nodes: int) -> tuple[list[Row], list[Row]]:
    priority, children = rng.choice([0, 3, 5]), rng.randint(1, 3)
    groups = []
    for _ in range(children):
        here = [rng.randrange(n_nodes) for _ in range(rng.randint(1, 2))]
        least = rng.randint(1, len(here))
        groups.append(
            {"kind": "gang", "priority": priority, "roles": [], "parent": 0}
            | {"running": here, "minimum": least}
        )
    return groups, [{"priority": priority, "minimum": rng.randint(1, children)}]


def _pod(rng: Random, node: int, known: set[str]) -> Row:
    asked = {"cpu": rng.randint(1, 4), "gpu": rng.choice([2, 1, 3, 0])}
    request = {key: amount for key, amount in asked.items() if key in known}
    minutes = {"minutes": rng.choice([0, 1, 30])} if rng.random() < 0.5 else {}
    return {"node": node, "request": request} | minutes


def _members(
    rng: Random, groups: Sequence[Row], composites: Sequence[Row], known: set[str]
) -> list[Row]:
    """Pods of the running members, root by root; members left out are in no unit."""
    roots: dict[str, list[int]] = {}
    for g, group in enumerate(groups):
        h = group.get("parent", -1)
        while h >= 0 and "parent" in composites[h]:
            h = composites[h]["parent"]
        roots.setdefault(f"g{g}" if h < 0 else f"h{h}", []).append(g)
    pods: list[Row] = []
    for root, below in roots.items():
        mode = rng.choice(["pods", "pods", "groups", "root"])
        mine = []
        for g in below:
            where = [*groups[g].get("running", ())]
            where += [n for role in groups[g]["roles"] for n in role.get("running", ())]
            unit = {"groups": {"unit": f"g{g}"}, "root": {"unit": root}}.get(mode, {})
            daemon = mode == "pods" and rng.random() < 0.15
            mine += [_pod(rng, n, known) | {"group": g} | unit for n in where[daemon:]]
        if len(pods) + len(mine) <= MOST_PODS:
            pods += mine
    return pods


def _budget(rng: Random, n_pods: int) -> Row:
    pods = sorted(rng.sample(range(n_pods), rng.randint(1, n_pods)))
    return {"allowed": rng.randint(0, 2), "pods": pods, "hard": rng.random() < 0.2}


def _never(rng: Random, case: Case, composites: Sequence[Row], waiting: int) -> list[int]:
    """Sometimes a root that evicts nobody, where nothing that asks for devices is in it."""
    if case.specs or rng.random() < 0.75:
        return []
    chosen = rng.randrange(waiting)
    if "parent" not in case.groups[chosen]:
        return [chosen]
    return [g for g in range(waiting) if "parent" in case.groups[g]]


def _reserved(rng: Random, nodes: Sequence[Row], waiting: int) -> Row:
    n = rng.randrange(len(nodes))
    kept = {key: rng.randint(0, nodes[n][key]) for key in ("cpu", "gpu") if key in nodes[n]}
    group = rng.randint(-1, waiting - 1)
    return {"node": n, "priority": rng.choice([0, 3, 5, 9]), "group": group, "request": kept}


def _holds(rng: Random, case: Case, n_pods: int) -> tuple[list[Row], list[Row]]:
    """Devices that running pods hold, with what they draw; and allocations in use."""
    devices: list[Row] = [dict(device) for device in case.devices]
    holds: list[Row] = []
    counters = {name: c for c, name in enumerate(case.counters)}
    for i, device in enumerate(devices):
        if device.get("multi") or rng.random() < 0.6:
            continue
        device["taken"] = True
        back: Counter[str] = Counter()
        for name, amount in device.get("draws", {}).items():
            back[str(counters[name])] += amount
        users = sorted(rng.sample(range(n_pods), rng.randint(1, min(2, n_pods))))
        holds.append({"users": users, "devices": [i], "counters": dict(back)})
    for c, row in enumerate(case.shared):
        if "nodes" in row and holds and rng.random() < 0.5:
            holds[rng.randrange(len(holds))].setdefault("shared", c)
    return holds, devices
