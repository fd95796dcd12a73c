"""Claims of a flight get their devices and users, each claim in one status write."""

from concurrent.futures import ThreadPoolExecutor

from gangplan.cluster.claims.changing import change, claims_now, same_devices
from gangplan.cluster.claims.contested import contested
from gangplan.cluster.claims.release import release
from gangplan.cluster.errors import ClusterError
from gangplan.cluster.flight import Allocating, Flight
from gangplan.cluster.inventory import Inventory, inventory
from gangplan.cluster.site import Site
from gangplan.cluster.uses import allocation_in, reserved_in
from gangplan.cluster.world import Object, timestamp

_MOST_USERS = 256
"""Entries of ``status.reservedFor`` (resource.k8s.io/v1)."""


def allocate(site: Site, flight: Flight) -> None:
    """Write what a flight's claims get; those that have it already are left as they are.

    Before the first write and after the last one all claims are looked at: where somebody else has
    a device of ours, ours are taken back.

    Raises
    ------
    ClusterError : a claim is gone, going or allocated otherwise, a device is somebody else's, or
        the server refuses or does not answer.
    """
    if not flight.allocatings:
        return
    there = None
    if any(allocating.allocation is not None for allocating in flight.allocatings):
        there = site.world().once(inventory)
        _look(site, flight, there)
    with ThreadPoolExecutor(site.parallel) as pool:
        list(pool.map(lambda allocating: _allocate(site, allocating), flight.allocatings))
    if there is not None:
        _look(site, flight, there)


def _look(site: Site, flight: Flight, there: Inventory) -> None:
    """Take back what others have as well.

    Raises
    ------
    ClusterError : there is such a claim.
    """
    against = contested(flight, claims_now(site), there)
    if not against:
        return
    pods = {placing.uid for placing in flight.placings}
    release(site, flight, pods, only={contest.claim for contest in against})
    said = dict.fromkeys(f"claim {contest.claim}: {contest.sentence}" for contest in against)
    raise ClusterError("\n".join(said))


def _allocate(site: Site, allocating: Allocating) -> None:
    found = change(
        site, allocating.claim, allocating.uid, lambda claim: _wanted(site, allocating, claim)
    )
    if found is None:
        raise ClusterError(f"claim {allocating.claim}: it is not there any more")


def _wanted(site: Site, allocating: Allocating, claim: Object) -> Object | None:
    """Give the status that a claim should have; None where it has it."""

    def refuse(sentence: str) -> ClusterError:
        return ClusterError(f"claim {allocating.claim}: {sentence}")

    if claim["metadata"].get("deletionTimestamp"):
        raise refuse("it is being deleted")
    has = allocation_in(claim)
    wanted = allocating.allocation
    if wanted is None and has is None:
        raise refuse("it is not allocated any more")
    if wanted is not None and has is not None and not same_devices(wanted, has):
        raise refuse("it has been allocated to other devices in the meantime")
    reserved = list(reserved_in(claim))
    known = {entry["uid"] for entry in reserved}
    missing = [dict(user) for user in allocating.users if user["uid"] not in known]
    if has is not None and not missing:
        return None
    if len(reserved) + len(missing) > _MOST_USERS:
        raise refuse(f"it would have {len(reserved) + len(missing)} users, {_MOST_USERS} at most")
    status = {**(claim.get("status") or {}), "reservedFor": [*reserved, *missing]}
    if has is None and wanted is not None:
        since = timestamp(site.client.server_time)
        status["allocation"] = {**wanted, "allocationTimestamp": since}
    return status
