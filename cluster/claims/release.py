"""What a flight wrote into claims is taken back; what was there before stays."""

from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor

from gangplan.cluster.claims.changing import change, same_devices, unprotect
from gangplan.cluster.claims.holding import holding
from gangplan.cluster.flight import Allocating, Flight
from gangplan.cluster.site import Site
from gangplan.cluster.uses import allocation_in, reserved_in
from gangplan.cluster.world import Object


def release(
    site: Site, flight: Flight, pods: Iterable[str], *, only: Collection[str] | None = None
) -> None:
    """Take back the reservations of pods, and devices that then nobody has reserved.

    A pod that is bound and not finished keeps its reservation (the claim controller takes it away
    when the pod is gone), and so does a PodGroup as long as a pod of it is bound. Only devices that
    this flight allocated are taken back. It can be done again at any time.

    Parameters
    ----------
    pods : UIDs of pods of the flight. only : names of the claims; all of the flight without it.

    Raises
    ------
    ClusterError : the server refuses, or does not answer.
    """
    named = set(pods)
    groups = {placing.group for placing in flight.placings if placing.uid in named}
    mine = [one for one in flight.allocatings if only is None or one.claim in only]
    bound = {space: holding(site, space) for space in {_space(one) for one in mine}}

    def give_back(allocating: Allocating) -> None:
        space = _space(allocating)
        users = set()
        for user in allocating.users:
            if user["resource"] == "pods":
                gives = user["uid"] in named - bound[space].pods
            else:
                gives = f"{space}/{user['name']}" in groups - bound[space].groups
            if gives:
                users.add(user["uid"])
        if users:
            _give_back(site, allocating, users)

    with ThreadPoolExecutor(site.parallel) as pool:
        list(pool.map(give_back, mine))


def _space(allocating: Allocating) -> str:
    return allocating.claim.partition("/")[0]


def _give_back(site: Site, allocating: Allocating, users: set[str]) -> None:
    found = change(
        site, allocating.claim, allocating.uid, lambda claim: _without(allocating, claim, users)
    )
    if found is not None and allocating.allocation is not None and allocation_in(found) is None:
        unprotect(site, allocating.claim, allocating.uid)


def _without(allocating: Allocating, claim: Object, users: set[str]) -> Object | None:
    """Give the status without these users; None where there is nothing to take back."""
    has = allocation_in(claim)
    reserved = list(reserved_in(claim))
    kept = [entry for entry in reserved if entry["uid"] not in users]
    ours = allocating.allocation is not None and has is not None
    clears = ours and not kept and same_devices(allocating.allocation or {}, has or {})
    if len(kept) == len(reserved) and not clears:
        return None
    status = {**(claim.get("status") or {}), "reservedFor": kept}
    return emptied(status) if clears else status


def emptied(status: Object) -> Object:
    """Give a status without devices and users."""
    gone = ("allocation", "reservedFor", "devices")
    return {key: value for key, value in status.items() if key not in gone}
