"""Claims of victims come free: a group's by us, all others by the claim controller.

Kubernetes leaves a PodGroup its devices until the PodGroup is deleted (KEP-5729), also when all its
pods are gone. A group that falls as a whole gives them back here, in one status write.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from gangplan.cluster.claims.changing import change, claims_now, restore, unprotect
from gangplan.cluster.claims.holding import holding
from gangplan.cluster.claims.release import emptied
from gangplan.cluster.errors import ClusterError
from gangplan.cluster.flight import Flight
from gangplan.cluster.kinds import SCHEDULING
from gangplan.cluster.site import Site
from gangplan.cluster.uses import allocation_in, reserved_in
from gangplan.cluster.world import Object, name_of, uid_of


def free(site: Site, flight: Flight) -> None:
    """Take the claims from PodGroups that fall as a whole and have no pod on a node any more.

    A group that still has one keeps them, see ``freed``. It can be done again at any time.

    Raises
    ------
    ClusterError : a pod of the group was bound in the meantime (it has its devices back), or the
        server refuses or does not answer.
    """
    wholes = _wholes(flight)
    if not wholes:
        return
    spaces = {group.partition("/")[0] for group in wholes}
    empty = wholes - {group for space in spaces for group in holding(site, space).groups}
    for claim in claims_now(site):
        for group in sorted(_groups_of(claim) & empty):
            _free(site, claim, group)


def _free(site: Site, claim: Object, group: str) -> None:
    name, uid = name_of(claim), uid_of(claim)
    had: list[Object] = []

    def wanted(now: Object) -> Object | None:
        reserved = list(reserved_in(now))
        kept = [entry for entry in reserved if _group_of(now, entry) != group]
        if len(kept) == len(reserved):
            return None
        had.append(now["status"])
        return {**now["status"], "reservedFor": kept} if kept else emptied(now["status"])

    found = change(site, name, uid, wanted)
    if had and group in holding(site, group.partition("/")[0]).groups:
        restore(site, name, uid, had[-1])
        raise ClusterError(
            f"claim {name}: a pod of {group} was bound while its devices were taken back; "
            "it has them again"
        )
    if found is not None and allocation_in(found) is None:
        unprotect(site, name, uid)


def freed(site: Site, flight: Flight) -> bool:
    """Whether no claim is left to the victims of a flight.

    A claim made for a victim goes with it or loses its devices, a shared one loses the victim among
    its users (both by the claim controller), a fallen group's is set free by ``free``.
    """
    if not flight.fallings:
        return True
    gone = {falling.uid for falling in flight.fallings}
    wholes = _wholes(flight)
    return not any(
        allocation_in(claim) is not None
        and (
            any(entry["uid"] in gone for entry in reserved_in(claim))
            or any(owner["uid"] in gone for owner in _owners(claim))
            or bool(_groups_of(claim) & wholes)
        )
        for claim in claims_now(site)
    )


def _wholes(flight: Flight) -> set[str]:
    return {falling.whole for falling in flight.fallings if falling.whole}


def _owners(claim: Object) -> Iterable[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = claim["metadata"].get("ownerReferences") or []
    return found


def _groups_of(claim: Object) -> set[str]:
    """Name the PodGroups that a claim is reserved for."""
    return {_group_of(claim, entry) for entry in reserved_in(claim)} - {""}


def _group_of(claim: Object, entry: Mapping[str, Any]) -> str:
    if (entry.get("apiGroup"), entry.get("resource")) != (SCHEDULING, "podgroups"):
        return ""
    return f"{claim['metadata']['namespace']}/{entry['name']}"
