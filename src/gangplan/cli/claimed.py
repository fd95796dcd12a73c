"""Which devices the claims of a group get, in a few words, however many pods it has."""

from collections import defaultdict
from collections.abc import Sequence

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
    the devices of each pool. A claim that pods share is written once and called so, and so is a
    choice that is not the first of its request.
    """
    given, names = plan.allocations, instance.names
    rank = instance.claims.rank.tolist()
    roles = np.flatnonzero(instance.roles.group == group)
    used = np.unique(instance.claims.user_shared[np.isin(instance.claims.user_role, roles)])
    own = given.pod >= 0
    mine = own & np.isin(instance.pod_role[given.pod], roles) if instance.n_pods else own
    if plan.placed_per_group(instance)[group]:
        mine |= ~own & np.isin(given.claim, used)
    devices: dict[tuple[bool, str, int, str], list[str]] = defaultdict(list)
    for p, c, b, i in zip(
        given.pod[mine].tolist(),
        given.claim[mine].tolist(),
        given.choice[mine].tolist(),
        given.device[mine].tolist(),
        strict=True,
    ):
        claim = names.own[c] if p >= 0 else names.shared[c]
        driver = device_name(names.devices[i])[0]
        devices[p < 0, claim, b, driver].append(names.devices[i])
    told = [
        f"{claim}/{names.choices[b]}{_about(shared=shared, rank=rank[b])}: {_devices(driver, of)}"
        for (shared, claim, b, driver), of in sorted(devices.items())
    ]
    more = len(told) - REQUESTS
    rest = [f"and {more} request{'s' * (more > 1)} more (-o FILE writes them all)"]
    return told[:REQUESTS] + rest * (more > 0)


def _about(*, shared: bool, rank: int) -> str:
    said = ["shared"] * shared + [f"choice {rank + 1}"] * (rank > 0)
    return f" ({', '.join(said)})" if said else ""


def _devices(driver: str, devices: Sequence[str]) -> str:
    times = f"{len(devices)} x " if len(devices) > 1 else ""
    return f"{times}{driver} {_pools(sorted(set(devices)))}"


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
