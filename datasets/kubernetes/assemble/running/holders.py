"""Who uses which allocated claim, and which of these would come free with its users.

Users of a claim are the pods and PodGroups that it is reserved for (status.reservedFor), the bound
pods that name it or that it was made for; a claim of a PodGroup has all its running members.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from gangplan.datasets.kubernetes.assemble.devices.extended import Extended
from gangplan.datasets.kubernetes.assemble.devices.made import POD, POD_GROUP, owns
from gangplan.datasets.kubernetes.assemble.membership import Membership, Unit
from gangplan.datasets.kubernetes.assemble.room import is_device, is_gpu
from gangplan.datasets.kubernetes.devicerecords import EXTENDED, ClaimRecord, PodClaim, Reference
from gangplan.datasets.kubernetes.order import full_name, natural
from gangplan.datasets.kubernetes.records import PodRecord

SOMEBODY = ""
"""A user that is no bound pod of the snapshot: it never falls."""


def holders_of(
    claims: Iterable[ClaimRecord], members: Membership, falling: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Give the users of each claim, by full name, all of whose users are pods of units.

    Parameters
    ----------
    falling : full names of the pods of units.
    """
    allocated = [one for one in claims if one.allocation is not None]
    if not allocated:
        return {}
    using = _Using(members)
    found: dict[str, tuple[str, ...]] = {}
    for claim in sorted(allocated, key=lambda one: (natural(one.namespace), natural(one.name))):
        users = using.users(claim)
        if users and all(name in falling for name in users):
            found[f"{claim.namespace}/{claim.name}"] = tuple(sorted(users, key=natural))
    return found


def gpus_of(
    pods: Sequence[PodRecord],
    claims: Iterable[ClaimRecord],
    holders: Mapping[str, Sequence[str]],
    extended: Extended,
) -> dict[str, int]:
    """Count the GPUs of each pod, by full name: those it requests, and those of its own claims.

    Parameters
    ----------
    holders : as `holders_of` gives it; a claim with one user is that user's own.
    extended : what devices serve of requests: a pod with a claim for it is not counted twice.
    """
    found = {full_name(pod): 0 for pod in pods}
    served: set[str] = set()
    for claim in claims:
        users = holders.get(f"{claim.namespace}/{claim.name}", ())
        if len(users) != 1 or claim.allocation is None or users[0] not in found:
            continue
        (user,) = users
        found[user] += _gpus(claim)
        if claim.made_for == EXTENDED:
            served.add(user)
    requested: dict[tuple[tuple[str, int], ...], tuple[int, int]] = {}
    for pod in pods:
        key, name = tuple(pod.request.items()), full_name(pod)
        if key not in requested:
            requested[key] = _requested(pod, extended)
        own, by_class = requested[key]
        found[name] += own + (0 if name in served else by_class)
    return found


def _requested(pod: PodRecord, extended: Extended) -> tuple[int, int]:
    """Count the GPUs among what a pod requests: of nodes, and of devices of a class."""
    asked = extended.asked(pod)
    own = sum(n for name, n in pod.request.items() if name not in asked and is_device(name))
    by_class = sum(
        n for name, n in asked.items() if is_device(name) or is_gpu(extended.class_of(name))
    )
    return own, by_class


def _gpus(claim: ClaimRecord) -> int:
    """Count devices of drivers that give GPUs, and of requests whose class does."""
    assert claim.allocation is not None
    classes = {
        f"{request.name}/{choice.name}".removesuffix("/"): choice.device_class
        for request in claim.spec.requests
        for choice in request.choices
    }
    return sum(
        not one.admin and (is_gpu(one.driver) or is_gpu(classes.get(one.request, "")))
        for one in claim.allocation.results
    )


class _Using:
    """Indexes who names what."""

    def __init__(self, members: Membership) -> None:
        self._bound = {full_name(pod): pod for pod in members.holding}
        self._groups = {unit.name: unit for unit in members.units if unit.record is not None}
        self._named: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for pod in members.holding:
            for name in (*_names(pod.claims), pod.extended_claim):
                if name:
                    self._named[pod.namespace, name].add(full_name(pod))
        for unit in self._groups.values():
            for name in _names(unit.record.claims) if unit.record is not None else ():
                self._named[unit.namespace, name] |= _members(unit)

    def users(self, claim: ClaimRecord) -> set[str]:
        """Name all users of a claim; `SOMEBODY` among them for any that is no bound pod."""
        users = set(self._named.get((claim.namespace, claim.name), ()))
        for one in claim.reserved:
            users |= self._reserved(claim.namespace, one)
        owner = claim.controller
        if owner is not None:
            name = f"{claim.namespace}/{owner.name}"
            pod, group = self._bound.get(name), self._groups.get(name)
            if pod is not None and owns(owner, POD, pod.name, pod.uid):
                users.add(name)
            uid = group.record.uid if group is not None and group.record is not None else ""
            if group is not None and owns(owner, POD_GROUP, owner.name, uid):
                users |= _members(group)
        return users

    def _reserved(self, namespace: str, user: Reference) -> set[str]:
        name = f"{namespace}/{user.name}"
        if user.resource == "pods" and not user.group:
            pod = self._bound.get(name)
            gone = pod is None or not owns(user, POD, pod.name, pod.uid)
            return {SOMEBODY if gone else name}
        unit = self._groups.get(name) if user.resource == "podgroups" else None
        if unit is None or unit.record is None:
            return {SOMEBODY}
        mine = owns(user, POD_GROUP, unit.record.name, unit.record.uid)
        # A group without a bound member keeps its reservation, and nobody of it can fall.
        return (_members(unit) if mine else set()) or {SOMEBODY}


def _names(claims: Iterable[PodClaim]) -> Iterable[str]:
    return (one.claim or one.generated or "" for one in claims)


def _members(unit: Unit) -> set[str]:
    return {full_name(pod) for pod in (*unit.running, *unit.leaving)}
