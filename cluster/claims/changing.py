"""The status of one claim is changed: read, judged, and written with its resource version.

Each of it can be done again at any time. What was read is the precondition of what is written, so
that whatever somebody else does in between is seen, and judged again.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

from gangplan.cluster.errors import ClusterError, Conflict, NotFound, is_uncertain
from gangplan.cluster.kinds import Kind
from gangplan.cluster.site import Site
from gangplan.cluster.uses import allocation_in, reserved_in
from gangplan.cluster.world import Object, uid_of

FINALIZER = "resource.kubernetes.io/delete-protection"
"""Stands on every claim with an allocation, and is written first (KEP-4381)."""

Judge = Callable[[Object], Object | None]
"""Gives the status that a claim should have, None where it has it; raises where it must not."""

_PAUSE, _LONGEST = 0.05, 1.0


def kind_of_claims(site: Site) -> Kind:
    """Give the kind ResourceClaim.

    Raises
    ------
    ClusterError : it is not served.
    """
    if "ResourceClaim" not in site.served:
        raise ClusterError("resource.k8s.io/v1 is not served any more, and the flight has claims")
    return site.served["ResourceClaim"]


def claims_now(site: Site) -> list[Object]:
    """List all claims, as they are now; none where they are not served."""
    if "ResourceClaim" not in site.served:
        return []
    items: list[Object] = site.client.get(site.served["ResourceClaim"].path())["items"]
    return items


def change(site: Site, full_name: str, uid: str, judge: Judge) -> Object | None:
    """Bring a claim into the status that the judge wants; give it, None where it is gone.

    Parameters
    ----------
    uid : of the claim that is meant; another one of its name is as good as none.

    Raises
    ------
    ClusterError : of the judge; or the server refuses, or does not answer for ``waits.claim``.
    """
    kind = kind_of_claims(site)
    until = time.monotonic() + site.waits.claim
    pause = _PAUSE
    while True:
        try:
            claim = site.client.get(kind.path_of(full_name))
            if uid_of(claim) != uid:
                return None
            status = judge(claim)
            if status is None:
                return claim
            if status.get("allocation") is not None:
                claim = _protect(site, kind, full_name, claim)
            body = {**claim, "status": status}
            return site.client.put(kind.path_of(full_name, "status"), body)
        except NotFound:
            return None
        except ClusterError as error:
            again = isinstance(error, Conflict) or is_uncertain(error)
            if not again or time.monotonic() > until:
                raise
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST)


def _protect(site: Site, kind: Kind, full_name: str, claim: Object) -> Object:
    finalizers = claim["metadata"].get("finalizers") or []
    if FINALIZER in finalizers:
        return claim
    return _finalizers(site, kind, full_name, claim, [*finalizers, FINALIZER])


def unprotect(site: Site, full_name: str, uid: str) -> None:
    """Take the finalizer off a claim without an allocation, as the claim controller does.

    It is a change of the claim, so that a write of ours which is still on its way comes too late.

    Raises
    ------
    ClusterError : the server refuses, or does not answer for ``waits.claim``.
    """
    kind = kind_of_claims(site)
    until = time.monotonic() + site.waits.claim
    while True:
        try:
            claim = site.client.get(kind.path_of(full_name))
            finalizers = claim["metadata"].get("finalizers") or []
            if uid_of(claim) != uid or FINALIZER not in finalizers or allocation_in(claim):
                return
            kept = [name for name in finalizers if name != FINALIZER]
            _finalizers(site, kind, full_name, claim, kept)
            return
        except NotFound:
            return
        except ClusterError as error:
            again = isinstance(error, Conflict) or is_uncertain(error)
            if not again or time.monotonic() > until:
                raise
        time.sleep(_PAUSE)


def restore(site: Site, full_name: str, uid: str, status: Object) -> None:
    """Give a claim back the devices and users that it had, where they were taken from it in error.

    Raises
    ------
    ClusterError : the server refuses, or does not answer for ``waits.claim``.
    """

    def wanted(now: Object) -> Object | None:
        if allocation_in(now) is None:
            return status
        known = {entry["uid"] for entry in reserved_in(now)}
        lost = [entry for entry in reserved_in({"status": status}) if entry["uid"] not in known]
        return {**now["status"], "reservedFor": [*reserved_in(now), *lost]} if lost else None

    change(site, full_name, uid, wanted)


def _finalizers(
    site: Site, kind: Kind, full_name: str, claim: Object, finalizers: list[str]
) -> Object:
    metadata = claim["metadata"]
    body = {
        "metadata": {
            "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"],
            "finalizers": finalizers,
        }
    }
    return site.client.patch(kind.path_of(full_name), body)


def same_devices(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two allocations are of the same devices for the same requests, and the same shares.

    The rest follows from them, and servers write it their own way (quantities) or leave it out.
    """
    return _devices(one) == _devices(other)


def _devices(allocation: Mapping[str, Any]) -> set[tuple[str, ...]]:
    keys = ("request", "driver", "pool", "device", "shareID")
    results = (allocation.get("devices") or {}).get("results") or ()
    return {tuple(str(result.get(key) or "") for key in keys) for result in results}
