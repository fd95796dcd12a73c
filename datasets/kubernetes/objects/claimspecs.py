"""What a ResourceClaim, or a template of one, asks -> `SpecRecord`."""

from collections.abc import Iterable

from gangplan.datasets.kubernetes.devicerecords import ConstraintRecord, RequestRecord, SpecRecord
from gangplan.datasets.kubernetes.objects.deviceconfig import check_config
from gangplan.datasets.kubernetes.objects.devicerequests import DERIVED, device_requests
from gangplan.datasets.kubernetes.text import deviceschema
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import qualified

_MOST = 32
_KINDS = ("matchAttribute", "distinctAttribute")


def claim_spec(spec: Fields, version: str) -> SpecRecord:
    """Read the spec of a claim; what is wrong goes to the faults of ``spec``."""
    spec.only(deviceschema.CLAIM)
    devices = spec.section("devices")
    devices.only(deviceschema.DEVICES)
    requests, derived = device_requests(devices, version)
    names = request_names(requests)
    constraints = _constraints(devices, names)
    check_config(devices, deviceschema.CONFIG, _MOST, lambda entry: check_references(entry, names))
    unsupported = (f"{devices.path}.requests[].{DERIVED}",) if derived else ()
    return SpecRecord(requests, constraints, unsupported)


def request_names(requests: Iterable[RequestRecord]) -> frozenset[str]:
    """Give every ``request`` and ``request/subrequest`` of a claim."""
    found = set()
    for request in requests:
        found.add(request.name)
        found.update(f"{request.name}/{one.name}" for one in request.choices if one.name)
    return frozenset(found)


def check_references(fields: Fields, names: frozenset[str]) -> tuple[str, ...]:
    """Read ``requests`` of a constraint or config: each must name one of the claim, once."""
    found = fields.texts("requests")
    for index, name in enumerate(found):
        if name not in names:
            fields.fault(f"requests[{index}]", f"no request {name[:130]!r} in the claim")
    if len(set(found)) < len(found):
        fields.fault("requests", "a request is there twice")
    return found


def _constraints(devices: Fields, names: frozenset[str]) -> tuple[ConstraintRecord, ...]:
    entries = devices.items("constraints")
    if len(entries) > _MOST:
        devices.fault("constraints", f"at most {_MOST} expected, got {len(entries)}")
    found = []
    for entry in entries:
        entry.only(deviceschema.CONSTRAINT)
        requests = check_references(entry, names)
        chosen = entry.one_of(*_KINDS)
        attribute = entry.text(chosen, required=True) if chosen else ""
        if not attribute:
            continue
        try:
            qualified(attribute)
        except ValueError as error:
            entry.fault(chosen, str(error))
            continue
        found.append(ConstraintRecord(requests, attribute, chosen == "distinctAttribute"))
    return tuple(found)
