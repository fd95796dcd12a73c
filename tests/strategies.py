"""Hypothesis strategies: tiny random instances with every feature, and random plans for them.

Small enough for brute force (milliseconds each): up to 12 pods on 6 nodes, 2 blocks x 2 racks and a
zone that crosses them, several identical groups. Each feature can be switched off.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import comb
from typing import Any

import numpy as np
from hypothesis import assume, note
from hypothesis import strategies as st

from gangplan.models.instance import Instance
from gangplan.models.plan import NO_ALLOCATIONS, Plan
from tests.strategies_devices import allocations, with_claims
from tests.tiny import make_instance

Row = dict[str, Any]

RACKS = (("b0", "r0"), ("b0", "r1"), ("b1", "r2"), ("b1", "r3"))
"""Block and rack: racks nest in blocks."""


@dataclass(frozen=True)
class Features:
    """What an instance may contain."""

    identical: bool = True
    roles: bool = True
    role_minima: bool = True
    running: bool = True
    loose: bool = True
    elastic: bool = True
    required: bool = True
    slices: bool = True
    preferred: bool = True
    composites: bool = True
    shares: bool = True
    held: bool = True
    ineligible: bool = True
    priorities: bool = True
    claims: bool = True
    match: bool = True
    distinct: bool = True
    lists: bool = True
    counters: bool = True
    multi: bool = True
    every: bool = True
    admin: bool = True
    ranks: bool = True
    zones: bool = True
    common: bool = True
    settled: bool = True
    barred: bool = True
    taken: bool = True


EACH = {field.name: st.booleans() for field in fields(Features)}

SOME_FEATURES = st.builds(Features, **EACH | {"claims": st.just(False)})

DEVICES = (
    "match", "distinct", "lists", "counters", "multi", "every", "admin", "ranks", "zones",
    "common", "settled", "barred", "taken",
)  # fmt: skip
"""Features of devices and claims; none of them without ``claims``."""

PLAIN = {name: st.just(name == "claims") for name in EACH} | {d: st.booleans() for d in DEVICES}

WITH_CLAIMS = st.one_of(
    st.builds(Features, **PLAIN), st.builds(Features, **EACH | {"claims": st.just(True)})
)
"""Instances with devices and claims: half of them have nothing else that could go wrong."""


@st.composite
def instances(
    draw: st.DrawFn,
    features: Features | None = None,
    max_nodes: int = 6,
    max_pods: int = 10,
    effort: int = 100_000,
) -> Instance:
    """Draw an instance; ``effort`` bounds what brute force has to look at.

    Without ``features`` a random part of them is on, so that rare combinations come up too.
    """
    f = draw(SOME_FEATURES) if features is None else features
    if f.claims:
        max_nodes, max_pods, effort = min(max_nodes, 4), min(max_pods, 7), min(effort, 5_000)
    shares = f.shares and draw(st.booleans())
    nodes, groups, composites = draw(rows(f, shares, max_nodes, max_pods, effort))
    note(f"nodes={nodes}\ngroups={groups}\ncomposites={composites}")
    instance = make_instance(nodes, groups, composites, device_unit=1000 if shares else 1)
    return draw(with_claims(instance, f)) if f.claims else instance


@st.composite
def rows(
    draw: st.DrawFn, f: Features, shares: bool, max_nodes: int, max_pods: int, effort: int
) -> tuple[list[Row], list[Row], list[Row]]:
    """Draw nodes, groups and composites, as ``make_instance`` takes them."""
    nodes = [draw(_node(shares)) for _ in range(draw(st.integers(1, max_nodes)))]
    groups: list[Row] = []
    composites: list[Row] = []
    pods = 0
    while (pods < max_pods and draw(st.integers(0, 3)) > 0) or not groups:
        tree = f.composites and draw(st.integers(0, 3)) > 1
        copies = draw(st.integers(1, 3)) if f.identical else 1
        one = draw(_tree(f, nodes, shares) if tree else _root_group(f, nodes, shares))
        for _ in range(copies):
            size = sum(_pods(group) for group in one[0])
            if groups and pods + size > max_pods:
                break
            pods += size
            for group in one[0]:
                up = {"parent": group["parent"] + len(composites)} if "parent" in group else {}
                groups.append(group | up)
            base = len(composites)
            for h in one[1]:
                up = {"parent": h["parent"] + base} if "parent" in h else {}
                composites.append(h | up)
    assume(_effort(nodes, groups) <= effort)
    return nodes, groups, composites


def claiming(**limits: int) -> st.SearchStrategy[Instance]:
    """Instances with devices and claims; ``limits`` as in ``instances``."""
    return WITH_CLAIMS.flatmap(lambda features: instances(features, **limits))


def _pods(group: Row) -> int:
    return sum(int(role["wanted"]) for role in group["roles"])


def _effort(nodes: Sequence[Row], groups: Sequence[Row]) -> int:
    """Pairs of placements of the two largest root units, room and rules aside."""
    total: dict[int, int] = {}
    for g, group in enumerate(groups):
        unit = -1 - g if "parent" not in group else group["parent"] // 2
        for role in group["roles"]:
            each = comb(role["wanted"] + len(nodes), len(nodes))
            total[unit] = total.get(unit, 1) * each
    largest = [1, *sorted(total.values())][-2:]
    return largest[0] * largest[1]


@st.composite
def _node(draw: st.DrawFn, shares: bool) -> Row:
    node: Row = {
        "gpu": draw(st.sampled_from([4, 0, 2, 3])),
        "cpu": draw(st.sampled_from([8, 4, 3])),
    }
    block, rack = draw(st.sampled_from(RACKS))
    labels = draw(st.integers(0, 7))
    if labels != 7:
        node["block"] = block
    if labels not in (6, 7):
        node["rack"] = rack
    if draw(st.integers(0, 2)):
        node["zone"] = draw(st.sampled_from(["z0", "z1"]))
    if shares:
        sizes = st.sampled_from([1000, 1000, 700, 400])
        node["shared"] = draw(st.lists(sizes, max_size=3))
        node["gpu"] = 0
    node["intact"] = bool(node["gpu"] or node.get("shared")) and draw(st.booleans())
    return node


@st.composite
def _role(draw: st.DrawFn, f: Features, n_nodes: int, shares: bool, gang: bool, most: int) -> Row:
    role: Row = {"wanted": draw(st.integers(1, most)), "request": {"cpu": draw(st.integers(0, 3))}}
    if not shares:
        role["request"]["gpu"] = draw(st.integers(0, 3))
    elif draw(st.booleans()):
        role["share"] = draw(st.sampled_from([300, 400, 600, 900]))
    else:
        role["whole"] = draw(st.integers(0, 2))
    if f.ineligible and draw(st.integers(0, 3)) == 0:
        role["eligible"] = [n for n in range(n_nodes) if draw(st.booleans())]
    if gang and f.running and draw(st.integers(0, 4)) == 0:
        role["running"] = draw(st.lists(st.integers(0, n_nodes - 1), min_size=1, max_size=2))
    if gang and f.role_minima and draw(st.integers(0, 3)) == 0:
        role["minimum"] = draw(st.integers(1, role["wanted"] + len(role.get("running", ()))))
    return role


@st.composite
def _group(
    draw: st.DrawFn, f: Features, nodes: Sequence[Row], shares: bool, kind: str, below: bool
) -> Row:
    gang = kind == "gang"
    most = 2 if below else 3
    n_roles = draw(st.integers(1, 2)) if f.roles and kind != "bare" and not below else 1
    group: Row = {
        "kind": kind,
        "roles": [draw(_role(f, len(nodes), shares, gang, most)) for _ in range(n_roles)],
        "age": draw(st.sampled_from([0, 59, 600])),
    }
    if f.running and kind != "bare" and draw(st.integers(0, 4)) == 0:
        group["running"] = draw(st.lists(st.integers(0, len(nodes) - 1), min_size=1, max_size=2))
    members = len(group.get("running", ())) + sum(len(r.get("running", ())) for r in group["roles"])
    if gang:
        everybody = members + _pods(group)
        rare = int(draw(st.integers(0, 9)) == 0)
        group["minimum"] = draw(st.integers(1, everybody + rare)) if f.elastic else everybody
    if f.held and draw(st.integers(0, 9)) == 0:
        group["held"] = True
    if kind != "bare":
        group["rules"] = draw(_rules(f, nodes, below_composite=False))
    return group


@st.composite
def _rules(
    draw: st.DrawFn, f: Features, nodes: Sequence[Row], below_composite: bool
) -> list[tuple[object, ...]]:
    levels = [level for level in ("block", "rack", "zone") if any(level in n for n in nodes)]
    modes = ["required"] * f.required + ["preferred"] * 2 * f.preferred
    if f.slices and not below_composite:
        modes.append("slices")
    rules: list[tuple[object, ...]] = []
    while levels and modes and len(rules) < 2 and draw(st.integers(0, 2)):
        mode, level = draw(st.sampled_from(modes)), draw(st.sampled_from(levels))
        rules.append((level, "required", 2) if mode == "slices" else (level, mode))
    return rules


def _settle(group: Row, home: int) -> Row:
    """Move every running member to one node: required rules have members in one domain."""
    roles = [
        role | ({"running": [home] * len(role["running"])} if "running" in role else {})
        for role in group["roles"]
    ]
    here = {"running": [home] * len(group["running"])} if "running" in group else {}
    return group | {"roles": roles} | here


def _binds(rules: Sequence[tuple[object, ...]]) -> bool:
    return any(rule[1] == "required" and len(rule) == 2 for rule in rules)


@st.composite
def _root_group(
    draw: st.DrawFn, f: Features, nodes: Sequence[Row], shares: bool
) -> tuple[list[Row], list[Row]]:
    kind = draw(st.sampled_from(["gang", "gang", "gang", "basic", "bare"])) if f.loose else "gang"
    group = draw(_group(f, nodes, shares, kind, below=False))
    group["priority"] = draw(st.sampled_from([0, 5])) if f.priorities else 0
    if _binds(group.get("rules", ())):
        group = _settle(group, draw(st.integers(0, len(nodes) - 1)))
    return [group], []


@st.composite
def _tree(
    draw: st.DrawFn, f: Features, nodes: Sequence[Row], shares: bool
) -> tuple[list[Row], list[Row]]:
    """Draw a composite over gangs and over a second composite (which may be empty)."""
    priority = draw(st.sampled_from([0, 5])) if f.priorities else 0
    parents = draw(st.sampled_from([[0], [0, 0], [0, 1], [1, 1], [0, 1, 1], [0, 0, 1]]))
    groups = [
        draw(_group(f, nodes, shares, "gang", below=True)) | {"parent": h, "priority": priority}
        for h in parents
    ]
    children = [parents.count(0) + (1 in parents), parents.count(1)]
    composites: list[Row] = [
        {
            "minimum": draw(st.sampled_from([max(n, 1), 1, max(n - 1, 1)])),
            "priority": priority,
            "rules": draw(_rules(f, nodes, below_composite=True)),
            "held": f.held and draw(st.integers(0, 9)) == 0,
        }
        for n in children
    ]
    composites[1]["parent"] = 0
    home = draw(st.integers(0, len(nodes) - 1))
    if any(_binds(h["rules"]) for h in composites) or any(_binds(g["rules"]) for g in groups):
        groups = [_settle(group, home) for group in groups]
    return groups, composites


@st.composite
def plans(draw: st.DrawFn, instance: Instance) -> Plan:
    """Draw a plan, sound or not: some groups nothing, some close together, some anywhere."""
    node = np.full(instance.n_pods, -1, dtype=np.int64)
    n_nodes = len(instance.nodes)
    for g in range(len(instance.groups)):
        mine = np.flatnonzero(instance.roles.group[instance.pod_role] == g).tolist()
        style = draw(st.integers(0, 3))
        if style == 0:
            continue
        pool = [draw(st.integers(0, n_nodes - 1))] if style == 1 else list(range(n_nodes))
        if style == 3:
            pool.append(-1)
        for pod in mine:
            node[pod] = draw(st.sampled_from(pool))
    held = [
        (pod, j)
        for pod in np.flatnonzero(node >= 0).tolist()
        for j in draw(_devices(instance, pod, int(node[pod])))
    ]
    columns = np.array(held, dtype=np.int64).reshape(-1, 2).T
    given = draw(allocations(instance, node)) if instance.claims else NO_ALLOCATIONS
    return Plan(node, columns[0], columns[1], given)


@st.composite
def _devices(draw: st.DrawFn, instance: Instance, pod: int, node: int) -> list[int]:
    """Devices for one pod: mostly as many as it asks, of its own node."""
    if not len(instance.shared):
        return []
    k = int(instance.pod_role[pod])
    asked = 1 if instance.roles.share[k] else int(instance.roles.whole[k])
    here = np.flatnonzero(instance.shared.node == node).tolist()
    pool, unique = here, True
    if draw(st.integers(0, 15)) == 0:
        asked, pool, unique = draw(st.integers(0, 2)), list(range(len(instance.shared))), False
    if len(pool) < asked:
        return list(pool)
    return draw(
        st.lists(st.sampled_from(pool), min_size=asked, max_size=asked, unique=unique)
        if pool
        else st.just([])
    )


def anything(max_nodes: int = 6, max_pods: int = 10) -> st.SearchStrategy[Instance]:
    """Instances of every sort, a third of them with devices and claims."""
    without = instances(max_nodes=max_nodes, max_pods=max_pods)
    return st.one_of(without, without, claiming(max_nodes=max_nodes, max_pods=max_pods))


def weights_for(instance: Instance) -> st.SearchStrategy[dict[int, int]]:
    """Weights of the objective ``weighted-gpus``: one positive integer a priority."""
    priorities = sorted(set(instance.groups.priority.tolist()))
    return st.fixed_dictionaries({p: st.integers(1, 3) for p in priorities})
