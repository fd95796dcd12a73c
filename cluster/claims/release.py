"""What a flight wrote into claims is taken back; what was there before stays."""

from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from gangplan.cluster.claims.changing import change, restore, same_devices, unprotect
from gangplan.cluster.claims.holding import Holding, holding
from gangplan.cluster.errors import ClusterError
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
    ClusterError : a pod was bound in the meantime (it has its devices back), or the server refuses
        or does not answer.
    """
    named = frozenset(pods)
    groups = frozenset(p.group for p in flight.placings if p.uid in named)
    mine = [one for one in flight.allocatings if only is None or one.claim in only]
    bound = _bound(site, mine)

    def give_back(allocating: Allocating) -> _Taken | None:
        now = bound[_space(allocating)]
        users = _among(allocating, named, groups) - _among(allocating, now.pods, now.groups)
        return _give_back(site, allocating, users) if users else None

    with ThreadPoolExecutor(site.parallel) as pool:
        taken = [one for one in pool.map(give_back, mine) if one is not None]
    _look_again(site, taken)


@dataclass(frozen=True, slots=True)
class _Taken:
    """A claim, the users (UIDs) that were taken from it, and its status before."""

    allocating: Allocating
    users: set[str]
    status: Object


def _space(allocating: Allocating) -> str:
    return allocating.claim.partition("/")[0]


def _bound(site: Site, allocatings: Iterable[Allocating]) -> dict[str, Holding]:
    return {space: holding(site, space) for space in {_space(one) for one in allocatings}}


def _among(allocating: Allocating, pods: Collection[str], groups: Collection[str]) -> set[str]:
    """Give the UIDs of those users of a claim that are among these pods and groups."""
    return {
        user["uid"]
        for user in allocating.users
        if (
            user["uid"] in pods
            if user["resource"] == "pods"
            else f"{_space(allocating)}/{user['name']}" in groups
        )
    }


def _give_back(site: Site, allocating: Allocating, users: set[str]) -> _Taken | None:
    had: list[Object] = []

    def wanted(claim: Object) -> Object | None:
        status = _without(allocating, claim, users)
        if status is not None:
            had.append(claim["status"])
        return status

    found = change(site, allocating.claim, allocating.uid, wanted)
    if found is not None and allocating.allocation is not None and allocation_in(found) is None:
        unprotect(site, allocating.claim, allocating.uid)
    return _Taken(allocating, users, had[-1]) if had else None


def _look_again(site: Site, taken: list[_Taken]) -> None:
    """Restore the claims of pods that were bound while these were taken from them.

    Raises
    ------
    ClusterError : there is such a pod.
    """
    bound = _bound(site, (one.allocating for one in taken))
    said = []
    for one in taken:
        now = bound[_space(one.allocating)]
        if one.users & _among(one.allocating, now.pods, now.groups):
            restore(site, one.allocating.claim, one.allocating.uid, one.status)
            said.append(
                f"claim {one.allocating.claim}: a pod that uses it was bound while its devices"
                " were taken back; it has them again"
            )
    if said:
        raise ClusterError("\n".join(said))


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
