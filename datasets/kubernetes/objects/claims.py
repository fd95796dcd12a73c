"""ResourceClaim of resource.k8s.io -> `ClaimRecord`."""

from gangplan.datasets.kubernetes.devicerecords import EXTENDED, ClaimRecord, Reference
from gangplan.datasets.kubernetes.objects.allocations import allocation
from gangplan.datasets.kubernetes.objects.claimspecs import claim_spec, request_names
from gangplan.datasets.kubernetes.text import deviceschema, schema
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import namespace, object_name

MOST_USERS = 256
"""ResourceClaimReservedForMaxSize."""

# Annotations of the claims that controllers make (KEP-3063, KEP-5729, KEP-5004).
_ENTRY_OF = ("resource.kubernetes.io/pod-claim-name", "resource.kubernetes.io/podgroup-claim-name")
_EXTENDED = "resource.kubernetes.io/extended-resource-claim"


def resource_claim(fields: Fields, version: str) -> ClaimRecord | None:
    """Read a ResourceClaim; None, and faults, where something is wrong with it."""
    before = len(fields.faults)
    fields.only(schema.OBJECT)
    metadata = fields.section("metadata")
    space, name = namespace(fields), object_name(fields)
    spec = fields.mapping("spec", required=True)
    if spec is None:
        return None
    asked = claim_spec(spec, version)
    status = fields.section("status")
    status.only(deviceschema.CLAIM_STATUS)
    for entry in status.items("devices"):  # reports of drivers
        entry.only(deviceschema.DEVICE_STATUS)
    allocated = allocation(status, request_names(asked.requests))
    reserved = _reserved(status)
    if reserved and allocated is None:
        status.fault("reservedFor", "may not be set without allocation")
    controller = _controller(metadata)
    if len(fields.faults) > before:
        return None
    return ClaimRecord(
        namespace=space,
        name=name,
        spec=asked,
        allocation=allocated,
        reserved=reserved,
        controller=controller,
        terminating=bool(metadata.text("deletionTimestamp")),
        source=fields.source,
        made_for=_made_for(metadata),
    )


def _made_for(metadata: Fields) -> str:
    found = metadata.section("annotations")
    entries = (found.text(key) for key in _ENTRY_OF if key in found.obj)
    if name := next(filter(None, entries), ""):
        return name
    return EXTENDED if found.obj.get(_EXTENDED) == "true" else ""


def _reserved(status: Fields) -> tuple[Reference, ...]:
    entries = status.items("reservedFor")
    if len(entries) > MOST_USERS:
        status.fault("reservedFor", f"at most {MOST_USERS} expected, got {len(entries)}")
    found = []
    for entry in entries:
        entry.only(deviceschema.CONSUMER)
        found.append(
            Reference(
                group=entry.text("apiGroup"),
                resource=entry.text("resource", required=True),
                name=entry.text("name", required=True),
                uid=entry.text("uid"),
            )
        )
    if len(set(found)) < len(found):
        status.fault("reservedFor", "an entry is there twice")
    return tuple(found)


def _controller(metadata: Fields) -> Reference | None:
    for entry in metadata.items("ownerReferences"):
        if entry.boolean("controller"):
            group = entry.text("apiVersion").rpartition("/")[0]
            return Reference(group, entry.text("kind"), entry.text("name"), entry.text("uid"))
    return None
