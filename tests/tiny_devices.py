"""Devices and claims for small hand-made instances: ``with_devices(instance, ...)``.

::

    with_devices(
        make_instance(nodes=[{"cpu": 8}], groups=[{"wanted": 2, "request": {"cpu": 1}}]),
        devices=[{"node": 0, "gpu": True, "root": "r0"}, {"node": 0, "nic": True, "root": "r0"}],
        specs=[{"requests": [("g", "gpu"), ("n", "nic")], "match": ["root"]}],
        own={0: [0]},
    )

Words of a device (keys with the value True) are what requests ask for; texts, and lists of texts,
are attributes. A key that is misspelt is an error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gangplan.datasets.devices import Choice, Common, Offer, Own, Request, Rule, Spec, sections
from gangplan.models.claims import ALL, NO_LIMIT
from gangplan.models.instance import Instance

Row = Mapping[str, Any]

DEVICE_KEYS = {"node", "zone", "multi", "taken", "draws", "pots", "name"}
CHOICE_KEYS = {"name", "word", "count", "admin", "uses", "blocked", "barred"}
SPEC_KEYS = {"requests", "match", "distinct"}
SHARED_KEYS = {"spec", "nodes", "roles", "limit", "name"}


def with_devices(
    instance: Instance,
    devices: Sequence[Row],
    specs: Sequence[Row],
    own: Mapping[int, Sequence[int]] | None = None,
    shared: Sequence[Row] = (),
    *,
    counters: Mapping[str, int] | None = None,
) -> Instance:
    """Give an instance devices and claims.

    Parameters
    ----------
    devices : ``node`` (a number) or ``zone`` (numbers of the nodes that reach it); ``multi``,
        ``taken``; ``draws`` {counter: amount}; ``pots`` {capacity: free}; any other key is a word
        (True) or an attribute (a text, or a list of texts).
    specs : ``requests`` [(name, choice, ...)] where a choice is a word or a dictionary: ``word``,
        ``count`` (1; "all"), ``admin``, ``name``, ``uses`` {capacity: amount}, ``blocked`` (numbers
        of devices that only a taint rules out), ``barred`` (nodes). ``match`` and ``distinct``:
        attributes, or (attribute, [request or request/choice names]).
    own : role -> specs of the claims that each of its pods has for itself.
    shared : ``roles``, and ``spec`` or, where it is allocated already, ``nodes``; ``limit``.
    counters : what is left of each.
    """
    n_nodes = len(instance.nodes)
    zones: list[np.ndarray[Any, np.dtype[np.bool_]]] = []
    offers = [_offer(i, row, zones, n_nodes) for i, row in enumerate(devices)]
    for row in shared:
        if strange := set(row) - SHARED_KEYS:
            raise KeyError(f"unknown keys {sorted(strange)}")
    common = [
        Common(
            row.get("name", f"test/c{c}"),
            tuple(row["roles"]),
            row.get("spec", -1),
            _zone(row["nodes"], zones, n_nodes) if "nodes" in row else -1,
            row.get("limit", NO_LIMIT),
        )
        for c, row in enumerate(shared)
    ]
    made = sections(
        n_nodes,
        offers,
        [_spec(row, devices, n_nodes) for row in specs],
        [Own(k, s, f"claim{w}") for k, mine in (own or {}).items() for w, s in enumerate(mine)],
        common,
        counters=counters or {},
        zones=zones,
    )
    names = replace(instance.names, **made.names)
    return replace(instance, devices=made.devices, claims=made.claims, names=names)


def _offer(i: int, row: Row, zones: list[Any], n_nodes: int) -> Offer:
    traits = {
        key: tuple(value) if isinstance(value, list) else (value,)
        for key, value in row.items()
        if key not in DEVICE_KEYS and value is not True
    }
    for key, values in traits.items():
        if not all(isinstance(value, str) for value in values):
            raise KeyError(f"device {i}: {key} is neither a word (True) nor an attribute (texts)")
    return Offer(
        row.get("name", f"test/pool/d{i}"),
        row.get("node", -1),
        _zone(row["zone"], zones, n_nodes) if "zone" in row else -1,
        row.get("multi", False),
        row.get("taken", False),
        row.get("draws", {}),
        row.get("pots", {}),
        traits,
    )


def _zone(nodes: Sequence[int], zones: list[Any], n_nodes: int) -> int:
    flags = np.isin(np.arange(n_nodes), list(nodes))
    for number, known in enumerate(zones):
        if (known == flags).all():
            return number
    zones.append(flags)
    return len(zones) - 1


def _spec(row: Row, devices: Sequence[Row], n_nodes: int) -> Spec:
    if strange := set(row) - SPEC_KEYS:
        raise KeyError(f"unknown keys {sorted(strange)}")
    requests = tuple(
        Request(name, tuple(_choice(choice, devices, n_nodes) for choice in choices))
        for name, *choices in row["requests"]
    )
    rules = [
        _rule(entry, distinct, requests)
        for key, distinct in (("match", False), ("distinct", True))
        for entry in row.get(key, ())
    ]
    return Spec(requests, tuple(rules))


def _choice(choice: str | Row, devices: Sequence[Row], n_nodes: int) -> Choice:
    row: Row = {"word": choice} if isinstance(choice, str) else choice
    if strange := set(row) - CHOICE_KEYS:
        raise KeyError(f"unknown keys {sorted(strange)}")
    match = np.array([device.get(row["word"]) is True for device in devices], dtype=np.bool_)
    blocked = np.isin(np.arange(len(devices)), list(row.get("blocked", ())))
    every = row.get("count") == "all"
    uses = row.get("uses", {})
    return Choice(
        match & ~blocked,
        row.get("name", ""),
        ALL if every else row.get("count", 1),
        row.get("admin", False),
        match if every else None,
        np.isin(np.arange(n_nodes), list(row.get("barred", ()))),
        {
            i: {pot: uses.get(pot, full) for pot, full in device["pots"].items()}
            for i, device in enumerate(devices)
            if match[i] and "pots" in device
        },
    )


def _rule(
    entry: str | tuple[str, Sequence[str]], distinct: bool, requests: Sequence[Request]
) -> Rule:
    attribute, wanted = (entry, None) if isinstance(entry, str) else entry
    members = tuple(
        (q, b)
        for q, request in enumerate(requests)
        for b, choice in enumerate(request.choices)
        if wanted is None or {request.name, f"{request.name}/{choice.name}"} & set(wanted)
    )
    return Rule(attribute, distinct, members)
