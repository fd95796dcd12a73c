"""Hypothesis strategies: tiny full clusters on which somebody could make room.

What waits is drawn as in ``strategies.rows``; beside it there are groups that only run, trees of
them, and pods of no group. Few nodes, little free room, up to 7 running pods.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import note
from hypothesis import strategies as st

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from tests.brute_victims import every_set, lawful
from tests.strategies import EACH, WITH_CLAIMS, Features, plans, rows
from tests.strategies_devices import with_claims
from tests.tiny import make_instance
from tests.tiny_running import with_running

Row = dict[str, Any]

MOST = 7
"""Running pods that brute force looks at."""

Floors = list[tuple[int, int, list[int]]]

FULL = st.builds(Features, **EACH | {"claims": st.just(False), "shares": st.just(False)})

LEVELS = ("block", "rack")


@st.composite
def preempting(
    draw: st.DrawFn, max_nodes: int = 4, max_pods: int = 5, effort: int = 3_000
) -> Instance:
    """Draw an instance with units, budgets and reservations, and without claims."""
    return draw(_instance(draw(FULL), max_nodes, max_pods, effort))


@st.composite
def preempting_with(
    draw: st.DrawFn, features: Features, max_nodes: int = 4, max_pods: int = 5, effort: int = 3_000
) -> Instance:
    """Draw an instance with units, budgets and, of all else, what ``features`` say."""
    return draw(_instance(features, max_nodes, max_pods, effort))


@st.composite
def preempting_claims(
    draw: st.DrawFn, max_nodes: int = 3, max_pods: int = 4, effort: int = 500
) -> Instance:
    """Draw an instance with units that hold devices too."""
    features = replace(draw(WITH_CLAIMS), shares=False)
    if draw(st.booleans()):
        features = replace(features, common=True, settled=True)
    return draw(_instance(features, max_nodes, max_pods, effort))


@st.composite
def _instance(draw: st.DrawFn, f: Features, max_nodes: int, max_pods: int, effort: int) -> Instance:
    nodes, groups, composites = draw(rows(f, False, max_nodes, max_pods, effort))
    nodes = [draw(_fuller(node)) for node in nodes]
    first = len(groups)
    for _ in range(draw(st.integers(0, 2))):
        more = draw(_running_tree(f, nodes) if draw(st.integers(0, 3)) == 0 else _runs(f, nodes))
        base = len(composites)
        for into, rows_of in ((groups, more[0]), (composites, more[1])):
            into += [
                row | ({"parent": row["parent"] + base} if "parent" in row else {})
                for row in rows_of
            ]
    if draw(st.integers(0, 3)) < 3:
        groups, composites = _higher(draw(st.integers(1, 9)), groups, composites, first)
    pods, floors = _members(draw, groups, composites, len(nodes))
    away = Counter(pod["group"] for pod in pods if pod["node"] < 0)
    for _ in range(draw(st.integers(0, min(3, MOST - len(pods))))):
        away_too = {"node": -1} if draw(st.integers(0, 9)) == 9 else {}
        priority = draw(st.sampled_from([0, 3, 5, -1]))
        pods.append(draw(_pod(len(nodes))) | {"priority": priority} | away_too)
    note(f"nodes={nodes}\ngroups={groups}\ncomposites={composites}\npods={pods}")
    instance = _with_members_away(make_instance(nodes, groups, composites), away)
    if f.claims:
        instance = draw(with_claims(instance, f, 6))
    instance, holds = draw(_holdings(instance, len(pods)))
    budgets = draw(st.lists(_budget(len(pods)), max_size=3)) if pods else []
    never = draw(_never(instance, first))
    reserved = draw(_reserved(instance)) if draw(st.integers(0, 3)) == 3 else []
    note(f"holds={holds}\nbudgets={budgets}\nnever={never}\nreserved={reserved}")
    return with_running(
        instance, pods, budgets, holds, floors=floors, never=never, reserved=reserved
    )


@st.composite
def _fuller(draw: st.DrawFn, node: Row) -> Row:
    """Leave little room on most nodes."""
    if draw(st.integers(0, 4)) == 4:
        return node
    return node | {"gpu": draw(st.integers(0, 1)), "cpu": draw(st.integers(0, 1))}


def _higher(
    by: int, groups: Sequence[Row], composites: Sequence[Row], first: int
) -> tuple[list[Row], list[Row]]:
    """Raise what waits above (most of) what runs; ``first`` groups wait."""
    waits: set[int] = set()
    for group in groups[:first]:
        h = group.get("parent", -1)
        while h >= 0:
            waits.add(h)
            h = composites[h].get("parent", -1)
    below = [h for h, row in enumerate(composites) if row.get("parent") in waits]
    waits.update(below)
    up = [
        row | ({"priority": row["priority"] + by} if g < first else {})
        for g, row in enumerate(groups)
    ]
    trees = [
        row | ({"priority": row["priority"] + by} if h in waits else {})
        for h, row in enumerate(composites)
    ]
    return up, trees


@st.composite
def _runs(draw: st.DrawFn, f: Features, nodes: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    return [draw(_running_group(f, nodes, draw(st.sampled_from([0, 0, 3, 5]))))], []


@st.composite
def _running_group(draw: st.DrawFn, f: Features, nodes: Sequence[Row], priority: int) -> Row:
    """Draw a group all of whose pods run."""
    where = st.integers(0, len(nodes) - 1)
    kind = draw(st.sampled_from(["gang", "gang", "gang", "basic"])) if f.loose else "gang"
    here = draw(st.lists(where, min_size=1, max_size=4))
    group: Row = {"kind": kind, "priority": priority, "roles": [], "running": here}
    levels = [level for level in LEVELS if any(level in n for n in nodes)]
    if kind == "gang":
        group["minimum"] = draw(st.integers(1, len(here)))
    if kind == "gang" and f.slices and levels and draw(st.integers(0, 2)) == 0:
        sliced = draw(st.lists(st.sampled_from(levels), min_size=1, max_size=2, unique=True))
        group["rules"] = [(level, "required", 2) for level in sliced]
        group["running"] = [n for n in here for _ in range(2)][:4]
        group["minimum"] = min(group["minimum"], len(group["running"]))
    elif f.required and levels and draw(st.integers(0, 3)) == 0:
        group["rules"] = [(draw(st.sampled_from(levels)), "required")]
        group["running"] = [here[0]] * len(here)
    return group


@st.composite
def _running_tree(
    draw: st.DrawFn, f: Features, nodes: Sequence[Row]
) -> tuple[list[Row], list[Row]]:
    """Draw gangs that run below a composite, some of them below a second one in it."""
    priority = draw(st.sampled_from([0, 0, 3, 5]))
    parents = draw(st.sampled_from([[0], [0, 0], [0, 0, 0], [0, 1], [1, 1], [0, 1, 1]]))
    groups = []
    for h in parents:
        group = draw(_running_group(replace(f, loose=False), nodes, priority)) | {"parent": h}
        groups.append(group | {"running": group["running"][:2]})
    for group in groups:
        group["minimum"] = min(group["minimum"], len(group["running"]))
    inner = parents.count(1)
    children = parents.count(0) + (inner > 0)
    composites: list[Row] = [
        {"minimum": draw(st.integers(1, n)), "priority": priority} for n in (children, inner) if n
    ]
    if inner:
        composites[1]["parent"] = 0
    return groups, composites


@st.composite
def _pod(draw: st.DrawFn, n_nodes: int) -> Row:
    pod: Row = {
        "node": draw(st.integers(0, n_nodes - 1)),
        "request": {"gpu": draw(st.sampled_from([2, 1, 3, 0])), "cpu": draw(st.integers(1, 4))},
    }
    if draw(st.booleans()):
        pod["minutes"] = draw(st.sampled_from([0, 59, 60, 1800]))
    return pod


def _members(
    draw: st.DrawFn, groups: Sequence[Row], composites: Sequence[Row], n_nodes: int
) -> tuple[list[Row], Floors]:
    """Pods of the running members, root by root, and the floors of their roles.

    A member that is left out is in no unit: nobody may evict it.
    """
    roots = [_root(g, groups, composites) for g in range(len(groups))]
    pods: list[Row] = []
    floors: Floors = []
    for root in dict.fromkeys(roots):
        below = [g for g, other in enumerate(roots) if other == root]
        modes = _modes(draw, below, groups, composites)
        mine = [pod for g in below for pod in draw(_members_of(g, groups[g], n_nodes, modes[g]))]
        if len(pods) + len(mine) > MOST:
            continue
        for g in below:
            for k, role in enumerate(groups[g]["roles"]):
                here = [len(pods) + u for u, pod in enumerate(mine) if pod.get("role") == (g, k)]
                if role.get("minimum") and 0 < len(here) == len(role["running"]):
                    floors.append((g, role["minimum"], here))
        pods += mine
    return [{key: pod[key] for key in pod if key != "role"} for pod in pods], floors


def _modes(
    draw: st.DrawFn, below: Sequence[int], groups: Sequence[Row], composites: Sequence[Row]
) -> dict[int, str]:
    """Name the unit of each group of a root; "": its pods fall one by one.

    Everything as one, each as it likes, or what is below an inner composite as one.
    """
    if draw(st.integers(0, 4)) == 4:
        return dict.fromkeys(below, f"root{below[0]}")
    several = draw(st.integers(0, 4)) == 4
    modes = {g: draw(st.sampled_from([f"group{g}", ""])) if several else "" for g in below}
    inner = [
        g for g in below if "parent" in groups[g] and "parent" in composites[groups[g]["parent"]]
    ]
    if inner and draw(st.integers(0, 2)) == 2:
        modes |= dict.fromkeys(inner, f"inner{inner[0]}")
    return modes


def _root(g: int, groups: Sequence[Row], composites: Sequence[Row]) -> int:
    h = groups[g].get("parent", -1)
    while h >= 0 and composites[h].get("parent", -1) >= 0:
        h = composites[h]["parent"]
    return g if h < 0 else len(groups) + h


@st.composite
def _members_of(draw: st.DrawFn, g: int, group: Row, n_nodes: int, key: str) -> list[Row]:
    where: list[Row] = [{"node": n} for n in group.get("running", ())]
    for k, role in enumerate(group["roles"]):
        where += [{"node": n, "role": (g, k)} for n in role.get("running", ())]
    if where and not key and draw(st.integers(0, 7)) == 0:
        where = where[1:]
    if where and draw(st.integers(0, 9)) == 0:
        where.append({"node": -1})
    unit = {"unit": key} if key else {}
    return [draw(_pod(n_nodes)) | here | unit | {"group": g} for here in where]


def _with_members_away(instance: Instance, away: Mapping[int, int]) -> Instance:
    """Count members that run on nodes outside the snapshot."""
    more = [away.get(g, 0) for g in range(len(instance.groups))]
    running = instance.groups.running + np.array(more, dtype=np.int64)
    return replace(instance, groups=replace(instance.groups, running=running))


@st.composite
def _budget(draw: st.DrawFn, n_pods: int) -> Row:
    pods = draw(st.sets(st.integers(0, n_pods - 1), min_size=1))
    hard = draw(st.integers(0, 3)) == 0
    return {"allowed": draw(st.integers(0, 2)), "pods": sorted(pods), "hard": hard}


@st.composite
def _never(draw: st.DrawFn, instance: Instance, first: int) -> list[int]:
    """Groups that evict nobody, and have no claim that a holding could serve."""
    claims = instance.claims
    with_claim = set(instance.roles.group[[*claims.own_role, *claims.user_role]].tolist())
    may = sorted(set(range(first)) - with_claim)
    if not may or draw(st.integers(0, 3)) == 0:
        return []
    trees: dict[int, list[int]] = {
        _owner(instance, g): [] for g in may if instance.groups.parent[g] >= 0
    }
    for g in may:
        trees.get(_owner(instance, g), []).append(g)
    if not trees:
        return sorted(draw(st.sets(st.sampled_from(may), max_size=2)))
    # Of a tree some groups, or all.
    tree = draw(st.sampled_from(sorted(trees.values())))
    return sorted(tree if draw(st.integers(0, 2)) == 2 else {draw(st.sampled_from(tree))})


def _owner(instance: Instance, group: int) -> int:
    above = instance.ancestors(group)
    return len(instance.groups) + above[-1] if above else group


@st.composite
def _reserved(draw: st.DrawFn, instance: Instance) -> list[Row]:
    """Keep a part of what is free, or more than that."""
    names = instance.names.resources
    left = instance.nodes.free.copy()
    rows: list[Row] = []
    for _ in range(draw(st.integers(1, 2))):
        n = draw(st.integers(0, len(left) - 1))
        beyond = 3 * (draw(st.integers(0, 3)) == 3)
        kept = [draw(st.integers(0, most + beyond)) for most in left[n].tolist()]
        left[n] = np.maximum(left[n] - kept, 0)
        rows.append({
            "node": n,
            "priority": draw(st.sampled_from([0, 3, 5, 9])),
            "group": draw(st.integers(-1, len(instance.groups) - 1)),
            "request": dict(zip(names, kept, strict=True)),
        })  # fmt: skip
    return rows


@st.composite
def _holdings(draw: st.DrawFn, instance: Instance, n_pods: int) -> tuple[Instance, list[Row]]:
    """Let running pods hold devices, shares, and allocations that may still be used."""
    devices, claims = instance.devices, instance.claims
    holds: list[Row] = []
    if not n_pods:
        return instance, holds
    users = st.sets(st.integers(0, n_pods - 1), min_size=1, max_size=2).map(sorted)
    free = np.flatnonzero(~devices.multi).tolist()
    held = sorted(draw(st.sets(st.sampled_from(free), max_size=3))) if free else []
    taken = devices.taken.copy()
    taken[held] = True
    while held:
        n = draw(st.integers(1, min(2, len(held))))
        mine, held = held[:n], held[n:]
        back: Counter[int] = Counter()
        for i in mine:
            for d in np.flatnonzero(devices.draw_device == i).tolist():
                back[int(devices.draw_counter[d])] += int(devices.draw_amount[d])
        holds.append({"users": draw(users), "devices": mine, "counters": dict(back)})
    for m in range(len(devices.pot_device)):
        if draw(st.booleans()):
            holds.append({"users": draw(users), "pots": {m: draw(st.integers(1, 2))}})
    for c in np.flatnonzero(claims.shared_zone >= 0).tolist():
        if draw(st.booleans()):
            if not holds or draw(st.booleans()):
                holds.append({"users": draw(users)})
            if "shared" not in holds[-1]:
                holds[-1]["shared"] = c
    return replace(instance, devices=replace(devices, taken=taken)), holds


@st.composite
def evicting_plans(draw: st.DrawFn, instance: Instance) -> Plan:
    """Draw a plan with evictions, sound or not; mostly units that may fall together."""
    plan = draw(plans(instance))
    sets = [units for units in every_set(instance) if units and lawful(instance, units)]
    if sets and draw(st.integers(0, 3)) > 0:
        units: frozenset[int] = draw(st.sampled_from(sets))
        evicted = sorted(units)
    else:
        evicted = [v for v in range(len(instance.running)) if draw(st.booleans())]
    return replace(plan, evicted=np.array(evicted, dtype=np.int64))
