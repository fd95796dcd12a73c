"""Requests of a claim -> `RequestRecord`.

In v1beta1 the fields of ``exactly`` stand in the request itself.
"""

from gangplan.datasets.kubernetes.devicerecords import ALL, ChoiceRecord, RequestRecord
from gangplan.datasets.kubernetes.objects.amounts import amounts
from gangplan.datasets.kubernetes.objects.celselectors import cel_selectors
from gangplan.datasets.kubernetes.objects.devicetaints import device_tolerations
from gangplan.datasets.kubernetes.text import deviceschema
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import label, subdomain

MOST_REQUESTS = 32
MOST_CHOICES = 8

_MODES = ("ExactCount", "All")
DERIVED = "derivedAttributes"
"""An alpha field (DRADerivedAttributes) that is not honoured."""


def device_requests(devices: Fields, version: str) -> tuple[tuple[RequestRecord, ...], bool]:
    """Read ``requests``.

    Returns
    -------
    requests, derived
        The requests in order; whether any has derived attributes.
    """
    entries = devices.items("requests")
    if len(entries) > MOST_REQUESTS:
        devices.fault("requests", f"at most {MOST_REQUESTS} expected, got {len(entries)}")
    found: list[RequestRecord] = []
    derived = False
    seen: set[str] = set()
    for entry in entries:
        name = label(entry, "name", required=True)
        if name in seen:
            entry.fault("name", f"{name} is there twice")
        seen.add(name)
        bodies = _bodies(entry, version)
        derived |= any(body.has(DERIVED) for body in bodies)
        found.append(RequestRecord(name, _choices(entry, bodies)))
    return tuple(found), derived


def _bodies(entry: Fields, version: str) -> list[Fields]:
    """Give the mappings that describe the choices of a request, best first."""
    if version == "v1beta1":
        if entry.has("exactly"):
            entry.fault("exactly", "not of v1beta1, where its fields stand in the request")
        entry.only(deviceschema.EXACTLY | deviceschema.REQUEST)
        if not entry.has("firstAvailable"):
            return [entry]
        for key in sorted(deviceschema.EXACTLY & entry.obj.keys()):
            if entry.has(key):
                entry.fault(key, "may not be set beside firstAvailable")
        return _list(entry)
    for key in sorted(deviceschema.EXACTLY & entry.obj.keys()):
        if entry.has(key):
            entry.fault(key, f"stands in exactly in {version}; in the request in v1beta1")
    entry.only(deviceschema.REQUEST | deviceschema.EXACTLY)
    chosen = entry.one_of("exactly", "firstAvailable")
    if chosen == "exactly":
        body = entry.mapping("exactly")
        if body is None:
            return []
        body.only(deviceschema.EXACTLY)
        return [body]
    return _list(entry) if chosen else []


def _list(entry: Fields) -> list[Fields]:
    bodies = entry.items("firstAvailable", required=True)
    if len(bodies) > MOST_CHOICES:
        entry.fault("firstAvailable", f"at most {MOST_CHOICES} expected, got {len(bodies)}")
    for body in bodies:
        body.only(deviceschema.SUBREQUEST)
    return bodies


def _choices(entry: Fields, bodies: list[Fields]) -> tuple[ChoiceRecord, ...]:
    several = entry.has("firstAvailable")
    found = tuple(
        _choice(body, label(body, "name", required=True) if several else "") for body in bodies
    )
    names = [choice.name for choice in found]
    if several and len(set(names)) < len(names):
        entry.fault("firstAvailable", "two entries have the same name")
    return found


def _choice(fields: Fields, name: str) -> ChoiceRecord:
    capacity = fields.section("capacity")
    capacity.only(deviceschema.REQUIREMENTS)
    _check_derived(fields)
    return ChoiceRecord(
        name=name,
        device_class=subdomain(fields, "deviceClassName", required=True),
        selectors=cel_selectors(fields),
        count=_count(fields),
        admin=fields.boolean("adminAccess"),
        tolerations=device_tolerations(fields),
        capacity=amounts(capacity.mapping("requests"), None),
    )


def _count(fields: Fields) -> int:
    mode = fields.text("allocationMode", choices=_MODES) or "ExactCount"
    count = fields.integer("count", 0, minimum=0)
    if mode == "All":
        if count:
            fields.fault("count", "may not be set beside allocationMode All")
        return ALL
    return count or 1


def _check_derived(fields: Fields) -> None:
    for entry in fields.items(DERIVED):
        entry.only(deviceschema.DERIVED)
        entry.text("name", required=True)
        entry.text("expression", required=True)
