"""Devices and claims for random instances: few kinds of devices, so that many are alike.

At most 8 devices, 4 specs of one or two requests, and 2 shared claims: small enough to try every
allocation. Every device and every claim can use each feature that is on.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import note
from hypothesis import strategies as st

from gangplan.models.arrays import Ints
from gangplan.models.instance import Instance
from gangplan.models.plan import Allocations
from tests.tiny_devices import with_devices

if TYPE_CHECKING:
    from tests.strategies import Features

Row = dict[str, Any]
Rows = list[tuple[int, int, int, int]]

WORDS = ("gpu", "nic")
ROOTS = ("r0", "r1")
NUMA = ("m0", "m1")


@st.composite
def with_claims(draw: st.DrawFn, instance: Instance, f: "Features", most: int = 8) -> Instance:
    """Draw devices and claims for an instance, up to ``most`` devices."""
    n_nodes, n_roles = len(instance.nodes), len(instance.roles)
    counters = {"c0": draw(st.integers(0, 5)), "c1": draw(st.integers(0, 3))} if f.counters else {}
    kinds = draw(st.lists(_kind(f, list(counters)), min_size=1, max_size=3))
    devices: list[Row] = []
    for n in range(n_nodes):
        for kind in draw(
            st.lists(st.sampled_from(kinds), min_size=draw(st.integers(0, 3)), max_size=4)
        ):
            devices.append(_placed(draw, f, kind, {"node": n}))
    for _ in range(draw(st.integers(0, 2)) if f.zones else 0):
        zone = {"zone": draw(_nodes(n_nodes))}
        devices.append(_placed(draw, f, draw(st.sampled_from(kinds)), zone))
    devices = draw(st.permutations(devices))[:most]
    specs = draw(st.lists(_spec(f, n_nodes, len(devices)), min_size=1, max_size=3))
    numbers = st.integers(0, len(specs) - 1)
    own = {
        k: draw(st.lists(numbers, min_size=1, max_size=draw(st.sampled_from([1, 1, 2]))))
        for k in range(n_roles)
        if draw(st.integers(0, 3))
    }
    shared = [
        _shared(draw, f, n_nodes, n_roles, numbers)
        for _ in range(draw(st.integers(0, 2)) if f.common else 0)
    ]
    note(f"devices={devices}\nspecs={specs}\nown={own}\nshared={shared}\ncounters={counters}")
    return with_devices(instance, devices, specs, own, shared, counters=counters)


@st.composite
def _kind(draw: st.DrawFn, f: "Features", counters: Sequence[str]) -> Row:
    words: tuple[tuple[str, ...], ...] = (("gpu",), ("gpu",), ("nic",), WORDS)
    kind: Row = {word: True for word in draw(st.sampled_from(words))}
    if (f.match or f.distinct) and draw(st.integers(0, 4)):
        kind["root"] = draw(st.sampled_from(ROOTS))
        if f.lists and draw(st.booleans()):
            kind["root"] = draw(st.lists(st.sampled_from((*ROOTS, "r2")), min_size=1, max_size=3))
        if draw(st.booleans()):
            kind["numa"] = draw(st.sampled_from(NUMA))
    if len(counters) and draw(st.booleans()):
        kind["draws"] = {draw(st.sampled_from(counters)): draw(st.integers(1, 2))}
    if f.multi and draw(st.integers(0, 2)) == 0:
        kind["multi"] = True
        if draw(st.booleans()):
            kind["pots"] = {"memory": draw(st.integers(0, 4))}
    return kind


def _placed(draw: st.DrawFn, f: "Features", kind: Row, where: Row) -> Row:
    if not f.taken or "multi" in kind or draw(st.integers(0, 5)):
        return kind | where
    return {key: value for key, value in kind.items() if key != "draws"} | where | {"taken": True}


@st.composite
def _nodes(draw: st.DrawFn, n_nodes: int) -> list[int]:
    return sorted(draw(st.sets(st.integers(0, n_nodes - 1), min_size=1)))


@st.composite
def _spec(draw: st.DrawFn, f: "Features", n_nodes: int, n_devices: int) -> Row:
    requests: list[tuple[Any, ...]] = []
    for q in range(draw(st.integers(1, 2))):
        times = draw(st.integers(1, 2)) if f.ranks else 1
        choices = [draw(_choice(f, n_nodes, n_devices)) for _ in range(times)]
        if times > 1:
            choices = [choice | {"name": f"s{b}"} for b, choice in enumerate(choices)]
        requests.append((f"q{q}", *choices))
    spec: Row = {"requests": requests}
    names = [q for q, *_ in requests]
    names += [
        f"{q}/{choice['name']}" for q, *mine in requests for choice in mine if "name" in choice
    ]
    for rule in ("match", "distinct"):
        if getattr(f, rule) and draw(st.integers(0, 2)) == 0:
            bound = st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True)
            spec[rule] = [
                attribute if draw(st.booleans()) else (attribute, draw(bound))
                for attribute in draw(st.sampled_from([["root"], ["numa"], ["root", "numa"]]))
            ]
    return spec


@st.composite
def _choice(draw: st.DrawFn, f: "Features", n_nodes: int, n_devices: int) -> Row:
    choice: Row = {"word": draw(st.sampled_from(WORDS))}
    every = f.every and draw(st.integers(0, 4)) == 0
    choice["count"] = "all" if every else draw(st.sampled_from([1, 1, 1, 2]))
    if f.admin and draw(st.integers(0, 5)) == 0:
        choice["admin"] = True
    if f.multi and draw(st.integers(0, 3)):
        choice["uses"] = {"memory": draw(st.integers(0, 2))}
    if f.barred and draw(st.integers(0, 7)) == 0:
        choice["barred"] = draw(_nodes(n_nodes))
    if f.barred and n_devices and draw(st.integers(0, 7)) == 0:
        choice["blocked"] = [draw(st.integers(0, n_devices - 1))]
    return choice


def _shared(
    draw: st.DrawFn, f: "Features", n_nodes: int, n_roles: int, specs: st.SearchStrategy[int]
) -> Row:
    roles = st.sets(st.integers(0, n_roles - 1), min_size=1, max_size=3)
    row: Row = {"roles": sorted(draw(roles))}
    if f.settled and draw(st.integers(0, 3)) == 0:
        row["nodes"] = draw(_nodes(n_nodes))
    else:
        row["spec"] = draw(specs)
    if f.settled and draw(st.integers(0, 4)) == 0:
        row["limit"] = draw(st.integers(0, 3))
    return row


@st.composite
def allocations(draw: st.DrawFn, instance: Instance, node: Ints) -> Allocations:
    """Draw devices for the claims of pods on these nodes: mostly as they should be."""
    claims = instance.claims
    rows: Rows = []
    used: set[int] = set()
    role = instance.pod_role
    for p in np.flatnonzero(node >= 0).tolist():
        for w in claims.own_of(int(role[p])):
            spec = int(claims.own_spec[w])
            rows += [(p, w, *row) for row in _given(draw, instance, spec, [int(node[p])], used)]
    for c, spec in enumerate(claims.shared_spec.tolist()):
        users = np.isin(role, claims.user_role[claims.user_shared == c]) & (node >= 0)
        if spec >= 0 and users.any() != (draw(st.integers(0, 30)) == 0):
            nodes = np.unique(node[users]).tolist() or [0]
            rows += [(-1, c, *row) for row in _given(draw, instance, spec, nodes, used)]
    if rows and draw(st.integers(0, 15)) == 0:
        rows.remove(draw(st.sampled_from(rows)))
    if rows and draw(st.integers(0, 15)) == 0:
        rows.append(draw(st.sampled_from(rows)))
    return Allocations(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)


def _given(
    draw: st.DrawFn, instance: Instance, spec: int, nodes: Sequence[int], used: set[int]
) -> list[tuple[int, int]]:
    """Choices and devices for one claim; ``used`` devices are left out where others are there."""
    claims, devices = instance.claims, instance.devices
    rows: list[tuple[int, int]] = []
    wild = draw(st.integers(0, 20)) == 0
    there = np.all([devices.reachable(n) for n in nodes], axis=0)
    for q in np.flatnonzero(claims.request_spec == spec).tolist():
        b = draw(st.sampled_from(np.flatnonzero(claims.choice_request == q).tolist()))
        count = int(claims.choice_count[b])
        if count == 0:
            opener = draw(st.sampled_from(list(nodes)))
            mine = np.flatnonzero(claims.asks[b] & devices.reachable(opener)).tolist()
            rows += [(b, i) for i in mine]
            continue
        may = claims.fits[b] & there & (claims.choice_admin[b] | ~devices.taken)
        pool = np.flatnonzero(may).tolist()
        pool = [i for i in pool if i not in used or devices.multi[i]] or pool
        if wild:
            pool = list(range(len(devices)))
        for _ in range(count):
            if pool:
                i = draw(st.sampled_from(pool))
                rows.append((b, i))
                if not devices.multi[i]:
                    used.add(i)
                    pool = [other for other in pool if other != i]
    return rows
