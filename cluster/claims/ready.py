"""Devices that have to be made ready first: binding conditions (KEP-5007)."""

import time
from collections.abc import Mapping
from typing import Any

from gangplan.cluster.claims.changing import kind_of_claims, same_devices
from gangplan.cluster.errors import ClusterError, NotFound
from gangplan.cluster.flight import Allocating, Flight
from gangplan.cluster.site import Site
from gangplan.cluster.uses import allocation_in
from gangplan.cluster.world import Object, uid_of

_PAUSE, _LONGEST = 0.1, 2.0


def ready(site: Site, flight: Flight) -> None:
    """Wait until the devices of a flight's claims have all their binding conditions.

    Raises
    ------
    ClusterError : a failure condition is True, a claim has lost its devices, or they are not ready
        after ``waits.ready``.
    """
    until = time.monotonic() + site.waits.ready
    pause = _PAUSE
    left = list(flight.allocatings)
    while True:
        missing = {one.claim: _missing(site, one) for one in left}
        left = [one for one in left if missing[one.claim]]
        if not left:
            return
        if time.monotonic() > until:
            said = [f"claim {one.claim}: {missing[one.claim]}" for one in left]
            raise ClusterError(f"not ready after {site.waits.ready:g} s:\n" + "\n".join(said))
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST)


def _missing(site: Site, allocating: Allocating) -> str:
    """Say what a claim lacks; empty where it is ready."""
    try:
        claim = site.client.get(kind_of_claims(site).path_of(allocating.claim))
    except NotFound:
        claim = {}
    has = allocation_in(claim) if claim and uid_of(claim) == allocating.uid else None
    wanted = allocating.allocation
    if has is None or (wanted is not None and not same_devices(wanted, has)):
        raise ClusterError(f"claim {allocating.claim}: it has lost its devices")
    for result in (has.get("devices") or {}).get("results") or ():
        said = _lacks(allocating.claim, claim, result)
        if said:
            return said
    return ""


def _lacks(name: str, claim: Object, result: Mapping[str, Any]) -> str:
    wanted = result.get("bindingConditions") or ()
    if not wanted:
        return ""
    device = f"device {result['driver']}/{result['pool']}/{result['device']}"
    told = _conditions(claim, result)
    for type in result.get("bindingFailureConditions") or ():
        entry = told.get(type, {})
        if entry.get("status") == "True":
            why = f"{type} ({entry.get('reason')}): {entry.get('message')}"
            raise ClusterError(f"claim {name}: {device} cannot be made ready: {why}")
    lacks = [type for type in wanted if told.get(type, {}).get("status") != "True"]
    return f"{device} has no {', '.join(lacks)} yet" if lacks else ""


def _conditions(claim: Object, result: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    keys = ("driver", "pool", "device", "shareID")
    for device in (claim.get("status") or {}).get("devices") or ():
        if all((device.get(key) or "") == (result.get(key) or "") for key in keys):
            return {entry["type"]: entry for entry in device.get("conditions") or ()}
    return {}
