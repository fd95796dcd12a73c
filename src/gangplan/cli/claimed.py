"""Which devices the claims of a group get, in a few words, however many pods it has."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gangplan.cli.hostlist import hostlist
from gangplan.datasets.allocation_entries import device_name
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan

REQUESTS = 4
"""Requests of a group that are written; the others are counted."""

POOLS = 2
"""Sets of devices of one request that are written; the devices of the others are counted."""


def claimed(instance: Instance, plan: Plan, group: int) -> list[str]:
    """Say which, a line a request: ``gpu/r: 16 x gpu.example.com node-[1-2]/gpu-[0-7]``.

    Devices of one request stand together, whichever pod they are for: claim, request, driver, and
    the devices of each pool; requests of one name in several claims too, ``gpu-[0-3]/r``. A claim
    that pods share is written once and called so, and so is a choice that is not the first of its
    request.
    """
    given, names = plan.allocations, instance.names
    rank = instance.claims.rank.tolist()
    roles = np.flatnonzero(instance.roles.group == group)
    used = np.unique(instance.claims.user_shared[np.isin(instance.claims.user_role, roles)])
    own = given.pod >= 0
    mine = own & np.isin(instance.pod_role[given.pod], roles) if instance.n_pods else own
    if plan.placed_per_group(instance)[group]:
        mine |= ~own & np.isin(given.claim, used)
    of: dict[_Line, _Given] = defaultdict(_Given)
    for p, c, b, i in sorted(
        zip(
            (~own[mine]).tolist(),
            given.claim[mine].tolist(),
            given.choice[mine].tolist(),
            given.device[mine].tolist(),
            strict=True,
        )
    ):
        line = _Line(p, names.choices[b], rank[b], device_name(names.devices[i])[0])
        of[line].claims.setdefault(names.shared[c] if p else names.own[c])
        of[line].devices.append(names.devices[i])
    told = [_told(*pair) for pair in of.items()]
    more = len(told) - REQUESTS
    rest = [f"and {more} request{'s' * (more > 1)} more (-o FILE writes them all)"]
    return told[:REQUESTS] + rest * (more > 0)


class _Line(NamedTuple):
    """What one line is about."""

    shared: bool
    request: str
    rank: int
    driver: str


@dataclass(slots=True)
class _Given:
    """What one line tells: claims, each once, and a device for every time it is given."""

    claims: dict[str, None] = field(default_factory=dict)
    devices: list[str] = field(default_factory=list)


def _told(line: _Line, given: _Given) -> str:
    about = ["shared"] * line.shared + [f"choice {line.rank + 1}"] * (line.rank > 0)
    said = f" ({', '.join(about)})" if about else ""
    times = f"{len(given.devices)} x " if len(given.devices) > 1 else ""
    return (
        f"{hostlist(list(given.claims))}/{line.request}{said}:"
        f" {times}{line.driver} {_pools(sorted(set(given.devices)))}"
    )


def _pools(devices: Sequence[str]) -> str:
    """Fold devices: pools with the same devices are written together, as nodes are."""
    here: dict[str, list[str]] = defaultdict(list)
    for name in devices:
        _, pool, device = device_name(name)
        here[pool].append(device)
    alike: dict[str, list[str]] = defaultdict(list)
    for pool, inside in here.items():
        alike[hostlist(inside)].append(pool)
    most = sorted(alike.items(), key=lambda pair: -sum(len(here[pool]) for pool in pair[1]))
    said = ", ".join(f"{hostlist(pools)}/{inside}" for inside, pools in most[:POOLS])
    more = sum(len(here[pool]) for _, pools in most[POOLS:] for pool in pools)
    return f"{said} and {more} more" if more else said
