"""Make a case small while it still goes wrong the same way: drop, then lower, then forget."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from gangplan.models.errors import GangplanError
from tests.fuzz.case import Case, Row

SECONDS = 60.0
"""Time to shrink one case."""


def shrink(case: Case, wrong: Callable[[Case], bool], seconds: float = SECONDS) -> Case:
    """Return a smaller case for which ``wrong`` holds too; no single step makes it smaller."""
    until = time.monotonic() + seconds
    smaller = True
    while smaller:
        smaller = False
        for tried in _steps(case):
            if time.monotonic() > until:
                return case
            if _still(tried, wrong):
                case, smaller = tried, True
                break
    return case


def _still(case: Case, wrong: Callable[[Case], bool]) -> bool:
    try:
        case.tiers(case.instance())
    except (GangplanError, LookupError, ValueError, TypeError):
        return False  # rows that are no instance any more
    return wrong(case)


def _steps(case: Case) -> Iterator[Case]:
    """Every case that is one step smaller, the big steps first."""
    for h in range(len(case.composites)):
        yield _without_composite(case, h)
    for n in range(len(case.nodes)):
        yield _without_node(case, n)
    if case.objective != "groups":
        yield replace(case, objective="groups", weights={})
    if case.specs:
        yield replace(case, devices=[], specs=[], own={}, shared=[], counters={})
        yield from (_without_group(case, g) for g in range(len(case.groups)))
    if case.pods:
        yield replace(case, pods=[], budgets=[], holds=[], never=[], reserved=[])
    for groups in _less(case.groups):
        yield replace(case, groups=groups)
    for composites in _less(case.composites):
        yield replace(case, composites=composites)
    for nodes in _less(case.nodes):
        yield replace(case, nodes=nodes)
    running = ("budgets", "holds", "never", "reserved", "pods")
    for part in ("shared", "own", "devices", "specs", *running):
        for less in _less(getattr(case, part)):
            yield replace(case, **{part: less})


def _without(rows: Sequence[Any], i: int) -> list[Any]:
    return [*rows[:i], *rows[i + 1 :]]


def _without_composite(case: Case, gone: int) -> Case:
    """Drop a composite; what was below it is below its parent, or a root."""
    up = case.composites[gone].get("parent", -1)

    def moved(row: Row) -> Row:
        parent = row.get("parent", -1)
        parent = up if parent == gone else parent
        parent -= parent > gone
        rest = {key: value for key, value in row.items() if key != "parent"}
        return rest | {"parent": parent} if parent >= 0 else rest

    return replace(
        case,
        groups=[moved(group) for group in case.groups],
        composites=[moved(h) for h in _without(case.composites, gone)],
    )


def _without_node(case: Case, gone: int) -> Case:
    """Drop a node, with the members that run there; the numbers after it move up."""

    def moved(row: Row) -> Row:
        lists = {
            key: [n - (n > gone) for n in row[key] if n != gone]
            for key in ("running", "eligible", "zone", "nodes")
            if key in row
        }
        roles = {"roles": [moved(role) for role in row["roles"]]} if "roles" in row else {}
        return row | lists | roles

    groups = [moved(group) for group in case.groups]
    nodes = _without(case.nodes, gone)
    if case.pods:
        # Who names pods by number is forgotten with them.
        here = [pod | {"node": pod["node"] - (pod["node"] > gone)} for pod in case.pods]
        left = [pod for pod, old in zip(here, case.pods, strict=True) if old["node"] != gone]
        case = replace(case, pods=left, budgets=[], holds=[], reserved=[])
    if not case.specs:
        return replace(case, groups=groups, nodes=nodes)
    devices = []
    for device in case.devices:
        here = device.get("node", -1)
        if here == gone or device.get("zone") == [gone]:
            continue
        where = {"node": here - (here > gone)} if here >= 0 else {}
        devices.append(moved(device | where))
    shared = [
        moved({key: value for key, value in row.items() if key != "roles"})
        | {"roles": row["roles"]}
        for row in case.shared
        if row.get("nodes") != [gone]
    ]
    return replace(case, groups=groups, nodes=nodes, devices=devices, shared=shared)


def _without_group(case: Case, gone: int) -> Case:
    """Drop a group, with the claims of its roles; the numbers of the roles after it move up."""
    first = sum(len(group["roles"]) for group in case.groups[:gone])
    after = first + len(case.groups[gone]["roles"])

    def moved(roles: Sequence[int]) -> list[int]:
        return [k - (after - first) * (k >= after) for k in roles if not first <= k < after]

    rows = [row | {"roles": moved(row["roles"])} for row in case.shared]
    return replace(
        case,
        groups=_without(case.groups, gone),
        own={str(new): specs for k, specs in case.own.items() for new in moved([int(k)])},
        shared=[row for row in rows if row["roles"]],
    )


def _less_row(row: Row) -> Iterator[Row]:
    """Every row with one entry forgotten, one item dropped or one number lowered."""
    for key, value in row.items():
        if key not in ("roles", "request", "wanted", "parent", "kind"):
            yield {k: v for k, v in row.items() if k != key}
        for less in _less(value):
            yield row | {key: less}


def _less(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from _less_row(value)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield _without(value, i)
            if isinstance(item, dict):
                for less in _less_row(item):
                    yield [*value[:i], less, *value[i + 1 :]]
    elif isinstance(value, int) and not isinstance(value, bool) and value > 0:
        yield value - 1
