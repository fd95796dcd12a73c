"""A random small instance by its seed: every feature, in every mixture, within brute force.

Apart from ``tests.strategies`` on purpose: a seed is a number to print and to run again, and a
second generator has blind spots of its own.
"""

from collections.abc import Sequence
from math import comb
from random import Random

from tests.fuzz.case import Case, Row
from tests.fuzz.draw_devices import with_claims
from tests.fuzz.draw_running import with_pods

FEATURES = (
    "composites", "copies", "elastic", "gpus", "held", "ineligible", "loose", "preferred",
    "priorities", "required", "role minima", "roles", "running", "shares", "slices",
)  # fmt: skip
"""What an instance may have; each is on in about two of three."""

CLAIMS = 0.35
"""Cases with devices and claims, of those without shares that are small enough."""

RUNNING = 0.3
"""Cases with running work that could make room, of those that are small enough."""

SMALL = 3_000
"""The effort that leaves room for devices, and for running work."""

MOST_PODS = 10
EFFORT = 60_000
"""Pairs of placements of the two largest root units that brute force has to look at."""

OBJECTIVES = ("groups", "groups", "gpus", "age", "weighted-gpus")


def draw(seed: int) -> Case:
    """Return the case of a seed, always the same one."""
    rng = Random(seed)
    while True:
        case = _draw(rng, seed)
        if _effort(case) <= EFFORT:
            break
    # Numbers of its own: a case without claims stays what it was.
    claims = Random(f"claims {seed}")
    few = case.device_unit == 1 and _effort(case) <= SMALL
    case = with_claims(claims, case) if few and claims.random() < CLAIMS else case
    running = Random(f"running {seed}")
    if not few or case.objective == "weighted-gpus" or running.random() >= RUNNING:
        return case
    return with_pods(running, case)


def draw_claiming(seed: int) -> Case:
    """Return another case of a seed, which has devices and claims."""
    rng = Random(f"claiming {seed}")
    while True:
        case = _draw(rng, seed)
        if case.device_unit == 1 and _effort(case) <= SMALL:
            return with_claims(rng, case)


def draw_running(seed: int) -> Case:
    """Return another case of a seed, in which pods run that could make room; some have claims."""
    rng = Random(f"evicting {seed}")
    while True:
        case = _draw(rng, seed)
        if case.device_unit == 1 and case.objective != "weighted-gpus" and _effort(case) <= SMALL:
            case = with_pods(rng, with_claims(rng, case) if rng.random() < CLAIMS else case)
            if case.pods:
                return case


def _draw(rng: Random, seed: int) -> Case:
    on = {name for name in FEATURES if rng.random() < 0.65}
    if rng.random() < 0.6:
        on.discard("shares")
    nodes = [_node(rng, on) for _ in range(rng.randint(1, 6))]
    groups: list[Row] = []
    composites: list[Row] = []
    while not groups or (_pods(groups) < MOST_PODS and rng.random() < 0.75):
        tree = "composites" in on and rng.random() < 0.4
        new, above = _tree(rng, on, nodes) if tree else ([_root(rng, on, nodes)], [])
        for _ in range(rng.randint(1, 3) if "copies" in on else 1):
            if groups and _pods(groups) + _pods(new) > MOST_PODS:
                break
            up = len(composites)
            groups += [_moved(group, up) for group in new]
            composites += [_moved(h, up) for h in above]
    objective = rng.choice(OBJECTIVES)
    weights = {}
    if objective == "weighted-gpus":
        weights = {str(row["priority"]): rng.randint(1, 3) for row in [*groups, *composites]}
    unit = 1000 if "shares" in on else 1
    return Case(nodes, groups, composites, unit, objective, weights, seed)


def _moved(row: Row, up: int) -> Row:
    return row | {"parent": row["parent"] + up} if "parent" in row else dict(row)


def _pods(groups: Sequence[Row]) -> int:
    return sum(int(role["wanted"]) for group in groups for role in group["roles"])


def _effort(case: Case) -> int:
    """Pairs of placements of the two largest root units; room and rules aside."""
    ways: dict[int, int] = {}
    for g, group in enumerate(case.groups):
        unit = -1 - g
        if "parent" in group:
            unit = group["parent"]
            while "parent" in case.composites[unit]:
                unit = case.composites[unit]["parent"]
        for role in group["roles"]:
            spread = comb(role["wanted"] + len(case.nodes), len(case.nodes))
            ways[unit] = ways.get(unit, 1) * spread
    largest = [1, *sorted(ways.values())][-2:]
    return largest[0] * largest[1]


def _node(rng: Random, on: set[str]) -> Row:
    node: Row = {"cpu": rng.choice([3, 4, 8])}
    if "gpus" in on and "shares" not in on:
        node["gpu"] = rng.choice([0, 2, 3, 4])
    if rng.random() < 0.8:
        rack = rng.randint(0, 3)
        node["block"] = f"b{rack // 2}"
        if rng.random() < 0.85:
            node["rack"] = f"r{rack}"
    if rng.random() < 0.5:
        node["zone"] = rng.choice(["z0", "z1"])
    if "shares" in on:
        node["shared"] = [rng.choice([1000, 1000, 700, 400]) for _ in range(rng.randint(0, 3))]
    node["intact"] = bool(node.get("gpu") or node.get("shared")) and rng.random() < 0.5
    return node


def _role(rng: Random, on: set[str], n_nodes: int, gang: bool, most: int) -> Row:
    request = {"cpu": rng.randint(0, 3)}
    role: Row = {"wanted": rng.randint(1, most), "request": request}
    if "shares" in on:
        if rng.random() < 0.6:
            role["share"] = rng.choice([300, 400, 600, 900])
        else:
            role["whole"] = rng.randint(0, 2)
    elif "gpus" in on:
        request["gpu"] = rng.randint(0, 3)
    if "ineligible" in on and rng.random() < 0.3:
        role["eligible"] = [n for n in range(n_nodes) if rng.random() < 0.6]
    if gang and "running" in on and rng.random() < 0.25:
        role["running"] = [rng.randrange(n_nodes) for _ in range(rng.randint(1, 2))]
    if gang and "role minima" in on and rng.random() < 0.35:
        role["minimum"] = rng.randint(1, role["wanted"] + len(role.get("running", ())))
    return role


def _group(rng: Random, on: set[str], nodes: Sequence[Row], kind: str, below: bool) -> Row:
    gang = kind == "gang"
    two = "roles" in on and kind != "bare" and rng.random() < (0.2 if below else 0.4)
    most = 2 if below else 3
    roles = [_role(rng, on, len(nodes), gang, most) for _ in range(1 + two)]
    group: Row = {"kind": kind, "roles": roles, "age": rng.choice([0, 59, 600])}
    if "running" in on and kind != "bare" and rng.random() < 0.2:
        group["running"] = [rng.randrange(len(nodes)) for _ in range(rng.randint(1, 2))]
    if gang:
        members = len(group.get("running", ())) + sum(len(r.get("running", ())) for r in roles)
        everybody = members + _pods([group])
        beyond = int(rng.random() < 0.1)
        group["minimum"] = rng.randint(1, everybody + beyond) if "elastic" in on else everybody
    if "held" in on and rng.random() < 0.1:
        group["held"] = True
    if kind != "bare":
        group["rules"] = _rules(rng, on, nodes, slices=gang or kind == "basic")
    return group


def _rules(rng: Random, on: set[str], nodes: Sequence[Row], slices: bool) -> list[list[object]]:
    levels = [level for level in ("block", "rack", "zone") if any(level in n for n in nodes)]
    modes = sorted({"required", "preferred", "slices"} & on - (set() if slices else {"slices"}))
    rules: list[list[object]] = []
    while levels and modes and len(rules) < 2 and rng.random() < 0.5:
        mode, level = rng.choice(modes), rng.choice(levels)
        size = [rng.choice([2, 2, 3])] if mode == "slices" else []
        rules.append([level, "required" if size else mode, *size])
    return rules


def _root(rng: Random, on: set[str], nodes: Sequence[Row]) -> Row:
    kind = rng.choice(["gang", "gang", "basic", "bare"]) if "loose" in on else "gang"
    group = _group(rng, on, nodes, kind, below=False)
    group["priority"] = rng.choice([0, 5]) if "priorities" in on else 0
    return _settled(rng, [group], [group], len(nodes))[0]


def _tree(rng: Random, on: set[str], nodes: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Draw up to three composites in one tree (some may be empty), and gangs below them."""
    priority = rng.choice([0, 5]) if "priorities" in on else 0
    composites: list[Row] = []
    for h in range(rng.randint(1, 3)):
        row: Row = {"priority": priority, "rules": _rules(rng, on, nodes, slices=False)}
        if h:
            row["parent"] = rng.randrange(h)
        if "held" in on and rng.random() < 0.1:
            row["held"] = True
        composites.append(row)
    groups = []
    for _ in range(rng.randint(1, 3)):
        group = _group(rng, on, nodes, "gang", below=True)
        groups.append(group | {"parent": rng.randrange(len(composites)), "priority": priority})
    for h, row in enumerate(composites):
        children = sum(child.get("parent", -1) == h for child in [*groups, *composites])
        row["minimum"] = rng.randint(1, max(children, 1))
    return _settled(rng, groups, [*groups, *composites], len(nodes)), composites


def _settled(rng: Random, groups: list[Row], owners: Sequence[Row], n_nodes: int) -> list[Row]:
    """Move running members to one node where a required rule wants them in one domain."""
    rules = [rule for owner in owners for rule in owner.get("rules", ())]
    if not any(rule[1:] == ["required"] for rule in rules):
        return groups
    home = rng.randrange(n_nodes)
    return [
        _at_home(group, home) | {"roles": [_at_home(role, home) for role in group["roles"]]}
        for group in groups
    ]


def _at_home(row: Row, home: int) -> Row:
    return row | {"running": [home] * len(row["running"])} if "running" in row else dict(row)
