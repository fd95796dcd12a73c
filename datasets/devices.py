"""Devices and claims as people say them -> the columns of an instance.

Readers and generators describe devices (`Offer`), what claims ask (`Spec`) and who has claims
(`Own`, `Common`); ``sections`` numbers counters, pots, attributes and values, and writes the
columns. Which device fits which choice is decided before: nothing here knows an expression.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.claims import NO_LIMIT, Claims
from gangplan.models.devices import Devices

NOTHING: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True)
class Offer:
    """A device.

    Attributes
    ----------
    name : ``driver/pool/device``.
    node, zone : where it is (the other is -1).
    multi, taken : see `Devices`.
    draws : counter -> amount it draws when first allocated; empty where it is held already.
    pots : capacity -> what is left of it; of ``multi`` devices only.
    traits : attribute -> its values (one, or the elements of a list). Equal hashables are equal
        values, so a value carries its type.
    """

    name: str
    node: int = -1
    zone: int = -1
    multi: bool = False
    taken: bool = False
    draws: Mapping[str, int] = field(default_factory=dict)
    pots: Mapping[str, int] = field(default_factory=dict)
    traits: Mapping[str, tuple[Hashable, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One way to serve a request.

    Attributes
    ----------
    name : of the subrequest; empty for ``exactly``.
    fits : (I,) see `Claims`.
    count : devices, or ``gangplan.models.claims.ALL``.
    asks : (I,) None: as ``fits``. barred : (N,) None: nowhere.
    uses : device number -> capacity -> amount that it takes of the device's pot.
    """

    fits: Flags
    name: str = ""
    count: int = 1
    admin: bool = False
    asks: Flags | None = None
    barred: Flags | None = None
    uses: Mapping[int, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """A request: its choices, best first."""

    name: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A constraint over the devices of choices, each given as (request number, choice number)."""

    attribute: str
    distinct: bool
    members: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Spec:
    """What one claim asks."""

    requests: tuple[Request, ...]
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class Own:
    """Each pod of a role has a claim of this spec for itself; ``name`` as the pod calls it."""

    role: int
    spec: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class Common:
    """A claim that all pods of some roles use: of a ``spec``, or allocated already (``zone``)."""

    name: str
    roles: tuple[int, ...]
    spec: int = -1
    zone: int = -1
    limit: int = NO_LIMIT


@dataclass(frozen=True, slots=True, eq=False)
class Sections:
    """What an `Instance` takes: ``names`` are keyword arguments of `Names`."""

    devices: Devices
    claims: Claims
    names: Mapping[str, tuple[str, ...]]


def sections(
    n_nodes: int,
    offers: Sequence[Offer],
    specs: Sequence[Spec],
    own: Sequence[Own] = (),
    common: Sequence[Common] = (),
    *,
    counters: Mapping[str, int] = NOTHING,
    zones: Sequence[Flags] = (),
) -> Sections:
    """Write the columns.

    Parameters
    ----------
    counters : name -> what is left of each shared counter.
    zones : (N,) nodes of each zone that offers and allocated claims name.

    Raises
    ------
    KeyError : a draw from a counter that is not given.
    """
    devices, numbers = _devices(n_nodes, offers, counters, zones, _compared(specs))
    claims, choices = _claims(n_nodes, len(offers), specs, own, common, numbers)
    names = {
        "devices": tuple(offer.name for offer in offers),
        "counters": tuple(counters),
        "pots": tuple(pot for offer in offers for pot in offer.pots),
        "attributes": tuple(numbers.attribute),
        "values": tuple(_text(value) for value in numbers.value),
        "choices": choices,
        "own": tuple(one.name for one in sorted(own, key=lambda one: one.role)),
        "shared": tuple(one.name for one in common),
    }
    return Sections(devices, claims, names)


@dataclass(slots=True)
class _Numbers:
    """Numbers given to attributes, values and pots (device, capacity)."""

    attribute: dict[str, int]
    value: dict[Hashable, int] = field(default_factory=dict)
    pot: dict[tuple[int, str], int] = field(default_factory=dict)


def _compared(specs: Sequence[Spec]) -> dict[str, int]:
    names = {rule.attribute for spec in specs for rule in spec.rules}
    return {name: number for number, name in enumerate(sorted(names))}


def _devices(
    n_nodes: int,
    offers: Sequence[Offer],
    counters: Mapping[str, int],
    zones: Sequence[Flags],
    attribute: dict[str, int],
) -> tuple[Devices, _Numbers]:
    counter = {name: number for number, name in enumerate(counters)}
    numbers = _Numbers(attribute)
    draws: list[tuple[int, int, int]] = []
    pots: list[tuple[int, int]] = []
    traits: list[tuple[int, int, int]] = []
    for i, offer in enumerate(offers):
        draws += [(i, counter[name], amount) for name, amount in offer.draws.items() if amount]
        for name, free in offer.pots.items():
            numbers.pot[i, name] = len(pots)
            pots.append((i, free))
        for number, name in sorted((attribute[n], n) for n in offer.traits if n in attribute):
            for value in offer.traits[name]:
                known = numbers.value.setdefault(value, len(numbers.value))
                traits.append((i, number, known))
    return (
        Devices(
            node=_column([offer.node for offer in offers]),
            zone=_column([offer.zone for offer in offers]),
            zones=np.array(zones, dtype=np.bool_).reshape(len(zones), n_nodes if zones else 0),
            multi=np.array([offer.multi for offer in offers], dtype=np.bool_),
            taken=np.array([offer.taken for offer in offers], dtype=np.bool_),
            counter_free=_column(list(counters.values())),
            **_split("draw", ("device", "counter", "amount"), draws),
            **_split("pot", ("device", "free"), pots),
            **_split("trait", ("device", "attribute", "value"), traits),
        ),
        numbers,
    )


def _claims(
    n_nodes: int,
    n_devices: int,
    specs: Sequence[Spec],
    own: Sequence[Own],
    common: Sequence[Common],
    numbers: _Numbers,
) -> tuple[Claims, tuple[str, ...]]:
    requests = [(s, request) for s, spec in enumerate(specs) for request in spec.requests]
    choices = [(q, choice) for q, (_, request) in enumerate(requests) for choice in request.choices]
    first_request = np.cumsum([0, *(len(spec.requests) for spec in specs)]).tolist()
    first_choice = np.cumsum([0, *(len(request.choices) for _, request in requests)]).tolist()
    uses = sorted(
        (b, numbers.pot[i, name], amount)
        for b, (_, choice) in enumerate(choices)
        for i, each in choice.uses.items()
        for name, amount in each.items()
    )
    rules = [(s, rule) for s, spec in enumerate(specs) for rule in spec.rules]
    members = sorted(
        (x, first_choice[first_request[s] + request] + choice)
        for x, (s, rule) in enumerate(rules)
        for request, choice in rule.members
    )
    held = sorted(own, key=lambda one: one.role)
    users = sorted({(c, k) for c, one in enumerate(common) for k in one.roles})
    claims = Claims(
        request_spec=_column([s for s, _ in requests]),
        choice_request=_column([q for q, _ in choices]),
        choice_count=_column([choice.count for _, choice in choices]),
        choice_admin=np.array([choice.admin for _, choice in choices], dtype=np.bool_),
        fits=_grid([choice.fits for _, choice in choices], n_devices),
        asks=_grid(
            [choice.fits if choice.asks is None else choice.asks for _, choice in choices],
            n_devices,
        ),
        barred=_grid(
            [
                np.zeros(n_nodes, dtype=np.bool_) if choice.barred is None else choice.barred
                for _, choice in choices
            ],
            n_nodes,
        ),
        **_split("use", ("choice", "pot", "amount"), uses),
        rule_spec=_column([s for s, _ in rules]),
        rule_attribute=_column([numbers.attribute[rule.attribute] for _, rule in rules]),
        rule_distinct=np.array([rule.distinct for _, rule in rules], dtype=np.bool_),
        **_split("member", ("rule", "choice"), members),
        own_role=_column([one.role for one in held]),
        own_spec=_column([one.spec for one in held]),
        shared_spec=_column([one.spec for one in common]),
        shared_zone=_column([one.zone for one in common]),
        shared_limit=_column([one.limit for one in common]),
        **_split("user", ("shared", "role"), users),
    )
    names = (
        f"{requests[q][1].name}/{choice.name}" if choice.name else requests[q][1].name
        for q, choice in choices
    )
    return claims, tuple(names)


def _text(value: Hashable) -> str:
    """Print a value: the last part of a (type, value) pair."""
    return str(value[-1]) if isinstance(value, tuple) and value else str(value)


def _column(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int64)


def _grid(rows: Sequence[Flags], width: int) -> Flags:
    return np.array(rows, dtype=np.bool_).reshape(len(rows), width)


def _split(prefix: str, parts: Sequence[str], rows: Sequence[tuple[int, ...]]) -> dict[str, Ints]:
    table = np.array(rows, dtype=np.int64).reshape(len(rows), len(parts))
    return {f"{prefix}_{part}": table[:, n] for n, part in enumerate(parts)}
