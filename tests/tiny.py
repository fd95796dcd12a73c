"""Small hand-made instances: ``make_instance(nodes=[...], groups=[...])``.

::

    make_instance(
        nodes=[{"gpu": 8, "rack": "r0"}, {"gpu": 8, "rack": "r1"}],
        groups=[{"wanted": 2, "request": {"gpu": 8}, "rules": [("rack", "required")]}],
    )

Numbers of a node are its free room, strings are its labels (each label key is a level). A key that
is misspelt is an error, so that no test passes by accident.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gangplan.models.columns import (
    BARE,
    BASIC,
    GANG,
    Composites,
    Groups,
    Leaving,
    Nodes,
    Roles,
    Shared,
)
from gangplan.models.instance import Instance
from gangplan.models.names import Names
from gangplan.models.topology import PREFERRED, REQUIRED, Rules, Topology

KINDS = {"gang": GANG, "basic": BASIC, "bare": BARE}
MODES = {"required": REQUIRED, "preferred": PREFERRED}
ROLE_KEYS = {
    "request",
    "wanted",
    "minimum",
    "running",
    "eligible",
    "devices",
    "share",
    "whole",
    "name",
}
GROUP_KEYS = {
    "priority", "kind", "minimum", "roles", "rules", "running", "held", "age", "parent", "name",
}  # fmt: skip
COMPOSITE_KEYS = {"parent", "minimum", "priority", "held", "rules", "name"}

Row = Mapping[str, Any]


def make_instance(
    nodes: Sequence[Row],
    groups: Sequence[Row],
    composites: Sequence[Row] = (),
    *,
    device: str = "gpu",
    device_unit: int = 1,
) -> Instance:
    """Build an instance from plain dictionaries.

    Parameters
    ----------
    nodes : ``{"gpu": 8, "cpu": 16, "rack": "r0"}``: int = free room, str = label of a level.
        Also ``"intact": bool`` (default: it has devices) and ``"shared": [1000, 400]``, the free
        thousandths of each device of the shared pool.
    groups : ``priority`` (0), ``kind`` ("gang", "basic", "bare"), ``minimum`` (gang: 1),
        ``running`` (nodes of running members of no role), ``held``, ``age``, ``parent`` (-1),
        ``rules`` [(level, "required" | "preferred"[, slice])], ``roles`` [...]; the keys of a
        single role may stand in the group itself.
    Roles : ``request`` {resource: amount}, ``wanted`` (1), ``minimum`` (0), ``running`` (nodes of
        its running members), ``eligible`` (node numbers; default all), ``share`` (0), ``whole``
        (0), ``devices`` (default: requested devices; in thousandths share + 1000 whole).
    composites : ``parent`` (-1), ``minimum`` (1), ``priority`` (0), ``held``, ``rules``.
    device : the resource that counts as devices.
    """
    groups = [_spread(group) for group in groups]
    composites = [_known(h, COMPOSITE_KEYS) for h in composites]
    roles = [(g, role) for g, group in enumerate(groups) for role in group["roles"]]
    resources = _keys([*nodes, *(role.get("request", {}) for _, role in roles)], int)
    levels = _keys(nodes, str)
    topology, domains = _topology(nodes, levels)
    eligible = np.zeros((len(roles), len(nodes)), dtype=np.bool_)
    for k, (_, role) in enumerate(roles):
        eligible[k, list(role.get("eligible", range(len(nodes))))] = True
    columns, node_class = np.unique(eligible, axis=1, return_inverse=True)
    free = [[node.get(r, 0) for r in resources] for node in nodes]
    shared = [(n, free) for n, node in enumerate(nodes) for free in node.get("shared", ())]
    return Instance(
        nodes=Nodes(
            free=np.array(free, dtype=np.int64).reshape(len(nodes), len(resources)),
            node_class=np.asarray(node_class).reshape(len(nodes)),
            intact=np.array(
                [bool(v.get("intact", v.get(device, 0) or v.get("shared"))) for v in nodes],
                dtype=bool,
            ),
        ),
        topology=topology,
        roles=_roles(roles, resources, columns, device, device_unit),
        groups=_groups(groups),
        composites=Composites(
            parent=_column(composites, "parent", -1),
            minimum=_column(composites, "minimum", 1),
            priority=_column(composites, "priority", 0),
            held=_column(composites, "held", False).astype(np.bool_),
        ),
        rules=_rules(groups, composites, levels, topology),
        shared=Shared(
            np.array([n for n, _ in shared], dtype=np.int64),
            np.array([free for _, free in shared], dtype=np.int64),
        ),
        leaving=Leaving(np.zeros(0, dtype=np.int64), np.zeros((0, len(resources)), dtype=np.int64)),
        names=_names(len(nodes), roles, groups, composites, resources, levels, domains),
        device_unit=device_unit,
        device_columns=tuple(r for r, name in enumerate(resources) if name == device),
    )


def _names(
    n_nodes: int,
    roles: Sequence[tuple[int, Row]],
    groups: Sequence[Row],
    composites: Sequence[Row],
    resources: Sequence[str],
    levels: Sequence[str],
    domains: tuple[str, ...],
) -> Names:
    group_names = [group.get("name", f"test/g{g}") for g, group in enumerate(groups)]
    return Names(
        nodes=tuple(f"n{n}" for n in range(n_nodes)),
        resources=tuple(resources),
        levels=tuple(levels),
        domains=domains,
        groups=tuple(group_names),
        composites=tuple(h.get("name", f"test/h{i}") for i, h in enumerate(composites)),
        roles=tuple(role.get("name", "") for _, role in roles),
        pods=tuple(
            f"{group_names[g]}-{k}-{i}"
            for k, (g, role) in enumerate(roles)
            for i in range(role.get("wanted", 1))
        ),
        held=tuple("held by the test" if group.get("held") else "" for group in groups),
        held_composites=tuple("held by the test" if h.get("held") else "" for h in composites),
    )


def _spread(group: Row) -> dict[str, Any]:
    """Give a group that states a single role's keys itself its list of roles."""
    if "roles" in group:
        spread = dict(group)
    else:
        own = {key: group[key] for key in (ROLE_KEYS - GROUP_KEYS) & set(group)}
        spread = {key: group[key] for key in group if key not in own}
        spread["roles"] = [own]
    spread["roles"] = [_known(role, ROLE_KEYS) for role in spread["roles"]]
    return _known(spread, GROUP_KEYS)


def _known(row: Row, keys: set[str]) -> dict[str, Any]:
    if strange := set(row) - keys:
        raise KeyError(f"unknown keys {sorted(strange)}; known: {sorted(keys)}")
    return dict(row)


def _keys(rows: Sequence[Row], kind: type) -> list[str]:
    """Keys whose values are of ``kind``, in order of first appearance."""
    found = {
        key: None
        for row in rows
        for key, value in row.items()
        if isinstance(value, kind) and not isinstance(value, bool)
    }
    return list(found)


def _column(rows: Sequence[Row], key: str, default: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array([row.get(key, default) for row in rows], dtype=np.int64)


def _topology(nodes: Sequence[Row], levels: Sequence[str]) -> tuple[Topology, tuple[str, ...]]:
    numbers: dict[tuple[int, str], int] = {}
    domain = np.full((len(levels), len(nodes)), -1, dtype=np.int64)
    for number, level in enumerate(levels):
        for n, node in enumerate(nodes):
            if level in node:
                domain[number, n] = numbers.setdefault((number, node[level]), len(numbers))
    level_of = np.array([number for number, _ in numbers], dtype=np.int64)
    return Topology(domain, level_of), tuple(value for _, value in numbers)


def _roles(
    roles: Sequence[tuple[int, Row]],
    resources: Sequence[str],
    eligible: np.ndarray[Any, np.dtype[np.bool_]],
    device: str,
    device_unit: int,
) -> Roles:
    rows = [role for _, role in roles]
    request = [[role.get("request", {}).get(r, 0) for r in resources] for role in rows]
    devices = [
        role.get(
            "devices",
            role.get("share", 0) + 1000 * role.get("whole", 0)
            if device_unit == 1000
            else role.get("request", {}).get(device, 0),
        )
        for role in rows
    ]
    return Roles(
        group=np.array([g for g, _ in roles], dtype=np.int64),
        request=np.array(request, dtype=np.int64).reshape(len(rows), len(resources)),
        wanted=_column(rows, "wanted", 1),
        minimum=_column(rows, "minimum", 0),
        running=np.array([len(role.get("running", ())) for role in rows], dtype=np.int64),
        eligible=eligible,
        devices=np.array(devices, dtype=np.int64),
        share=_column(rows, "share", 0),
        whole=_column(rows, "whole", 0),
    )


def _groups(groups: Sequence[Row]) -> Groups:
    kind = np.array([KINDS[group.get("kind", "gang")] for group in groups], dtype=np.int64)
    minimum = [group.get("minimum", int(k == GANG)) for group, k in zip(groups, kind, strict=True)]
    return Groups(
        priority=_column(groups, "priority", 0),
        kind=kind,
        minimum=np.array(minimum, dtype=np.int64),
        running=np.array([len(_members(group)) for group in groups], dtype=np.int64),
        held=_column(groups, "held", False).astype(np.bool_),
        age=_column(groups, "age", 0),
        parent=_column(groups, "parent", -1),
    )


def _members(group: Row) -> list[int]:
    """Nodes of all running members of a group."""
    return [
        *group.get("running", ()),
        *(n for role in group["roles"] for n in role.get("running", ())),
    ]


def _rules(
    groups: Sequence[Row], composites: Sequence[Row], levels: Sequence[str], topology: Topology
) -> Rules:
    rules: list[tuple[int, int, int, int]] = []
    members: list[tuple[int, int, int]] = []
    for owner, row in enumerate([*groups, *composites]):
        below = _groups_below(owner, groups, composites)
        running = [n for g in below for n in _members(groups[g])]
        for level_name, mode, *size in row.get("rules", ()):
            level = levels.index(level_name)
            domain = topology.domain[level, np.array(running, dtype=np.int64)]
            for d, count in zip(*np.unique(domain[domain >= 0], return_counts=True), strict=True):
                members.append((len(rules), int(d), int(count)))
            rules.append((owner, level, MODES[mode], size[0] if size else 0))
    rule_columns = np.array(rules, dtype=np.int64).reshape(-1, 4).T
    member_columns = np.array(members, dtype=np.int64).reshape(-1, 3).T
    return Rules(*rule_columns, *member_columns)


def _groups_below(owner: int, groups: Sequence[Row], composites: Sequence[Row]) -> list[int]:
    if owner < len(groups):
        return [owner]
    below = {owner - len(groups)}
    for h, composite in enumerate(composites):
        if composite.get("parent", -1) in below:
            below.add(h)
    return [g for g, group in enumerate(groups) if group.get("parent", -1) in below]
