"""ResourceClaims as flights on their way will leave them."""

from collections.abc import Mapping, Sequence
from typing import Any

from gangplan.cluster.flight import Allocating, Flight
from gangplan.cluster.world import Object, World, uid_of

_GROUPS = "podgroups"


def claims_of(world: World, flights: Sequence[Flight], *, cleared: bool) -> list[Object]:
    """Give all claims; ``cleared`` : without what victims of the flights hold."""
    wanted = {one.uid: one for flight in flights for one in flight.allocatings}
    fallings = [one for flight in flights for one in flight.fallings] if cleared else []
    gone = Gone(
        frozenset(one.uid for one in fallings),
        frozenset(one.whole for one in fallings if one.whole),
    )
    found = []
    for obj in world.objects.get("ResourceClaim", ()):
        claim = gone.left_by(obj) if fallings else obj
        one = wanted.get(uid_of(obj))
        found.append(claim if one is None else _given(claim, one))
    return found


class Gone:
    """Pods (by UID) and PodGroups (by name) that use no claim any more."""

    def __init__(self, pods: frozenset[str], groups: frozenset[str]) -> None:
        self._pods = pods
        self._groups = groups

    def left_by(self, claim: Object) -> Object:
        """Take their reservations away; a claim without any gives its devices back."""
        status = claim.get("status") or {}
        users = status.get("reservedFor") or []
        namespace = claim["metadata"]["namespace"]
        rest = [user for user in users if not self._was(user, namespace)]
        if len(rest) == len(users):
            return claim
        status = {**status, "reservedFor": rest}
        if not rest:
            status.pop("allocation", None)
        return {**claim, "status": status}

    def _was(self, user: Mapping[str, Any], namespace: str) -> bool:
        if user.get("resource") == _GROUPS:
            return f"{namespace}/{user.get('name')}" in self._groups
        return user.get("uid") in self._pods


def _given(claim: Object, one: Allocating) -> Object:
    status = dict(claim.get("status") or {})
    if one.allocation is not None and not status.get("allocation"):
        status["allocation"] = dict(one.allocation)
    users = list(status.get("reservedFor") or [])
    known = {user.get("uid") for user in users}
    status["reservedFor"] = users + [dict(u) for u in one.users if u.get("uid") not in known]
    return {**claim, "status": status}
