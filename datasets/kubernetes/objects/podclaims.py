"""resourceClaims of pods, PodGroups and their templates -> `PodClaim`."""

from collections.abc import Iterable

from gangplan.datasets.kubernetes.devicerecords import PodClaim
from gangplan.datasets.kubernetes.text import deviceschema
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import label, subdomain


def pod_claims(spec: Fields, status: Fields) -> tuple[PodClaim, ...]:
    """Read ``spec.resourceClaims`` with what ``status.resourceClaimStatuses`` says of them."""
    if spec.obj.get("resourceClaims") is None and status.obj.get("resourceClaimStatuses") is None:
        return ()
    made = _made(status)
    found = []
    for entry in spec.items("resourceClaims"):
        entry.only(deviceschema.POD_CLAIM)
        name = label(entry, "name", required=True)
        chosen = entry.one_of("resourceClaimName", "resourceClaimTemplateName")
        other = subdomain(entry, chosen, required=True) if chosen else ""
        if chosen == "resourceClaimTemplateName":
            found.append(PodClaim(name, template=other, generated=made.get(name)))
        else:
            found.append(PodClaim(name, claim=other))
    names = {claim.name for claim in found}
    if len(names) < len(found):
        spec.fault("resourceClaims", "two entries have the same name")
    for name in made.keys() - names:
        status.fault("resourceClaimStatuses", f"no entry {name!r} in spec.resourceClaims")
    return tuple(found)


def _made(status: Fields) -> dict[str, str]:
    """Give the generated claim by name of the entry; empty where none is needed."""
    found: dict[str, str] = {}
    for entry in status.items("resourceClaimStatuses"):
        entry.only(deviceschema.POD_CLAIM_STATUS)
        found[entry.text("name", required=True)] = subdomain(entry, "resourceClaimName")
    return found


def check_users(spec: Fields, containers: Iterable[Fields], claims: tuple[PodClaim, ...]) -> None:
    """Fault ``resources.claims`` of a container that names no claim of the pod."""
    names = {claim.name for claim in claims}
    for container in containers:
        if not _claims_something(container):
            continue
        seen: set[tuple[str, str]] = set()
        for entry in container.section("resources").items("claims"):
            entry.only(deviceschema.CONTAINER_CLAIM)
            name, request = entry.text("name", required=True), entry.text("request")
            if name and name not in names:
                entry.fault("name", f"no entry {name[:63]!r} in spec.resourceClaims")
            if (name, request) in seen:
                entry.fault("", "there twice")
            seen.add((name, request))
    if _claims_something(spec):
        spec.section("resources").fault("claims", "only a container may use claims")


def _claims_something(fields: Fields) -> bool:
    resources = fields.obj.get("resources")
    return isinstance(resources, dict) and resources.get("claims") is not None


def extended_claim(status: Fields) -> str:
    """Read the claim that the scheduler made for extended resources; empty without one."""
    fields = status.mapping("extendedResourceClaimStatus")
    if fields is None:
        return ""
    fields.only(deviceschema.EXTENDED)
    return subdomain(fields, "resourceClaimName", required=True)
