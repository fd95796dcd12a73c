"""Claims that a pod uses: which ResourceClaim, and in whose name it is reserved.

An entry of ``spec.resourceClaims`` that equals one of the pod's PodGroup in all three fields is the
group's claim: ``status.reservedFor`` names the PodGroup, once (KEP-5729). Any other claim is
reserved for the pod (KEP-4381). Claims made from templates are named in the status of their owner.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gangplan.cluster.errors import Changed
from gangplan.cluster.kinds import SCHEDULING
from gangplan.cluster.world import Object, World, name_of, uid_of
from gangplan.datasets.kubernetes.devicerecords import EXTENDED
from gangplan.datasets.kubernetes.objects.annotations import ROLE_LABEL


@dataclass(frozen=True, slots=True)
class Use:
    """A claim of a pod.

    Attributes
    ----------
    entry : name in the pod's ``spec.resourceClaims``.
    claim : the ResourceClaim. user : its entry of ``status.reservedFor``.
    """

    entry: str
    claim: Object
    user: Mapping[str, str]

    @property
    def name(self) -> str:
        """``namespace/name`` of the claim."""
        return name_of(self.claim)

    @property
    def allocated(self) -> bool:
        """Whether the claim has its devices already."""
        return allocation_in(self.claim) is not None

    @property
    def reserved(self) -> bool:
        """Whether the claim is reserved for this user already."""
        return any(ref.get("uid") == self.user["uid"] for ref in reserved_in(self.claim))


def uses_of(world: World, pod: Object) -> tuple[Use, ...]:
    """Find the claims of a pod; none for an entry whose controller said that none is needed.

    Raises
    ------
    Changed : a claim is not there, or has not been made from its template yet.
    """
    group = group_of(world, pod)
    mine = {_fields(entry) for entry in _entries(group)}
    found = []
    for entry in _entries(pod):
        of_group = group if group is not None and _fields(entry) in mine else None
        name = entry.get("resourceClaimName")
        if name is None:
            name = _generated(of_group if of_group is not None else pod, str(entry["name"]))
        if name:
            user = _user(pod) if of_group is None else _group_user(of_group)
            found.append(Use(str(entry["name"]), _claim(world, pod, str(name)), user))
    extended = pod.get("status", {}).get("extendedResourceClaimStatus")
    if extended:
        claim = _claim(world, pod, str(extended["resourceClaimName"]))
        found.append(Use(EXTENDED, claim, _user(pod)))
    return tuple(found)


def group_of(world: World, pod: Mapping[str, Any]) -> Object | None:
    """Find the PodGroup of a pod; None where it names none, or none that is there."""
    name = group_name(pod)
    return world.find("PodGroup", name) if name else None


def group_name(pod: Mapping[str, Any]) -> str:
    """``namespace/name`` of the PodGroup that a pod names; empty without one."""
    name = (pod["spec"].get("schedulingGroup") or {}).get("podGroupName")
    return f"{pod['metadata']['namespace']}/{name}" if name else ""


def role_name(pod: Mapping[str, Any]) -> str:
    """Role that a pod's label names; empty without one."""
    return str((pod["metadata"].get("labels") or {}).get(ROLE_LABEL, ""))


def allocation_in(claim: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """``status.allocation`` of a claim; None without one."""
    found: Mapping[str, Any] | None = (claim.get("status") or {}).get("allocation")
    return found


def reserved_in(claim: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    """``status.reservedFor`` of a claim."""
    return (claim.get("status") or {}).get("reservedFor") or ()


def _entries(owner: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    return [] if owner is None else (owner["spec"].get("resourceClaims") or [])


def _fields(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    keys = ("name", "resourceClaimName", "resourceClaimTemplateName")
    name, claim, template = (str(entry.get(key) or "") for key in keys)
    return name, claim, template


def _generated(owner: Object, entry: str) -> str:
    """Name the claim made for an entry; empty where none is needed."""
    for status in owner.get("status", {}).get("resourceClaimStatuses") or ():
        if status["name"] == entry:
            return str(status.get("resourceClaimName") or "")
    kind = owner.get("kind", "")
    raise Changed((f"{kind} {name_of(owner)}: its claim {entry} has not been made yet",))


def _claim(world: World, pod: Object, name: str) -> Object:
    full_name = f"{pod['metadata']['namespace']}/{name}"
    claim = world.find("ResourceClaim", full_name)
    if claim is None:
        said = f"ResourceClaim {full_name}: it is not there any more (of Pod {name_of(pod)})"
        raise Changed((said,))
    return claim


def _user(pod: Object) -> dict[str, str]:
    return {"resource": "pods", "name": str(pod["metadata"]["name"]), "uid": uid_of(pod)}


def _group_user(group: Object) -> dict[str, str]:
    return {
        "apiGroup": SCHEDULING,
        "resource": "podgroups",
        "name": str(group["metadata"]["name"]),
        "uid": uid_of(group),
    }
