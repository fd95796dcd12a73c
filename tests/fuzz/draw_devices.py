"""Devices and claims for a case of the fuzzer, by its seed; see ``tests.tiny_devices``."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from tests.fuzz.case import Case, Row

FEATURES = (
    "admin", "barred", "common", "counters", "distinct", "every", "lists", "match", "multi",
    "ranks", "settled", "taken", "zones",
)  # fmt: skip
"""What devices and claims may have; each is on in about half of the cases."""

MOST_DEVICES = 8


def with_claims(rng: Random, case: Case) -> Case:
    """Give a case devices and claims."""
    on = {name for name in FEATURES if rng.random() < 0.5}
    counters = {f"c{c}": rng.randint(0, 5) for c in range(2)} if "counters" in on else {}
    kinds = [_kind(rng, on, list(counters)) for _ in range(rng.randint(1, 3))]
    n_nodes = len(case.nodes)
    devices = [
        _placed(rng, on, rng.choice(kinds), {"node": n})
        for n in range(n_nodes)
        for _ in range(rng.randint(0, 4))
    ]
    for _ in range(rng.randint(0, 2) if "zones" in on else 0):
        devices.append(_placed(rng, on, rng.choice(kinds), {"zone": _some(rng, n_nodes)}))
    rng.shuffle(devices)
    devices = devices[:MOST_DEVICES]
    specs = [_spec(rng, on, n_nodes, len(devices)) for _ in range(rng.randint(1, 3))]
    n_roles = sum(len(group["roles"]) for group in case.groups)
    own = {
        str(k): [rng.randrange(len(specs)) for _ in range(rng.choice([1, 1, 2]))]
        for k in range(n_roles)
        if rng.random() < 0.7
    }
    shared = [
        _shared(rng, on, n_nodes, n_roles, len(specs))
        for _ in range(rng.randint(0, 2) if "common" in on else 0)
    ]
    return replace(case, devices=devices, specs=specs, own=own, shared=shared, counters=counters)


def _some(rng: Random, n: int) -> list[int]:
    return sorted(rng.sample(range(n), rng.randint(1, n)))


def _kind(rng: Random, on: set[str], counters: Sequence[str]) -> Row:
    kind: Row = {word: True for word in rng.choice([["gpu"], ["gpu"], ["nic"], ["gpu", "nic"]])}
    if on & {"match", "distinct"} and rng.random() < 0.8:
        kind["root"] = rng.choice(["r0", "r1"])
        if "lists" in on and rng.random() < 0.5:
            kind["root"] = [rng.choice(["r0", "r1", "r2"]) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.5:
            kind["numa"] = rng.choice(["m0", "m1"])
    if counters and rng.random() < 0.5:
        kind["draws"] = {rng.choice(counters): rng.randint(1, 2)}
    if "multi" in on and rng.random() < 0.35:
        kind["multi"] = True
        if rng.random() < 0.6:
            kind["pots"] = {"memory": rng.randint(0, 4)}
    return kind


def _placed(rng: Random, on: set[str], kind: Row, where: Row) -> Row:
    if "taken" not in on or "multi" in kind or rng.random() < 0.8:
        return kind | where
    return {key: value for key, value in kind.items() if key != "draws"} | where | {"taken": True}


def _spec(rng: Random, on: set[str], n_nodes: int, n_devices: int) -> Row:
    requests: list[list[object]] = []
    names = []
    for q in range(rng.randint(1, 2)):
        times = rng.randint(1, 2) if "ranks" in on else 1
        choices = [_choice(rng, on, n_nodes, n_devices) for _ in range(times)]
        names.append(f"q{q}")
        if times > 1:
            choices = [choice | {"name": f"s{b}"} for b, choice in enumerate(choices)]
            names += [f"q{q}/s{b}" for b in range(times)]
        requests.append([f"q{q}", *choices])
    spec: Row = {"requests": requests}
    for rule in ("match", "distinct"):
        if rule in on and rng.random() < 0.4:
            spec[rule] = [
                attribute if rng.random() < 0.5 else [attribute, rng.sample(names, 1)]
                for attribute in rng.choice([["root"], ["numa"], ["root", "numa"]])
            ]
    return spec


def _choice(rng: Random, on: set[str], n_nodes: int, n_devices: int) -> Row:
    choice: Row = {"word": rng.choice(["gpu", "gpu", "nic"]), "count": rng.choice([1, 1, 1, 2])}
    if "every" in on and rng.random() < 0.25:
        choice["count"] = "all"
    if "admin" in on and rng.random() < 0.2:
        choice["admin"] = True
    if "multi" in on and rng.random() < 0.7:
        choice["uses"] = {"memory": rng.randint(0, 2)}
    if "barred" in on and rng.random() < 0.2:
        choice["barred"] = _some(rng, n_nodes)
    if "barred" in on and n_devices and rng.random() < 0.2:
        choice["blocked"] = [rng.randrange(n_devices)]
    return choice


def _shared(rng: Random, on: set[str], n_nodes: int, n_roles: int, n_specs: int) -> Row:
    row: Row = {"roles": sorted(rng.sample(range(n_roles), rng.randint(1, min(3, n_roles))))}
    if "settled" in on and rng.random() < 0.3:
        row["nodes"] = _some(rng, n_nodes)
    else:
        row["spec"] = rng.randrange(n_specs)
    if "settled" in on and rng.random() < 0.25:
        row["limit"] = rng.randint(0, 3)
    return row
