"""A device record -> the variable ``device``."""

from typing import TypedDict

from gangplan.datasets.kubernetes.cel.quantities import of_capacity
from gangplan.datasets.kubernetes.cel.semvers import parse
from gangplan.datasets.kubernetes.cel.values import Domains, Value
from gangplan.datasets.kubernetes.devicerecords import Attribute, DeviceRecord


class DeviceValue(TypedDict):
    """The fields of kubernetes.DRADevice."""

    driver: str
    attributes: Domains
    capacity: Domains
    allowMultipleAllocations: bool


FIELDS = tuple(DeviceValue.__annotations__)


def device_value(device: DeviceRecord, driver: str) -> DeviceValue:
    """Give the value of ``device``."""
    return {
        "driver": driver,
        "attributes": _domains(device.attributes, _attribute),
        "capacity": _domains(device.capacity, lambda one: of_capacity(one.value)),
        "allowMultipleAllocations": device.multi,
    }


def _domains(entries: dict[str, Value], value: Value) -> Domains:
    found: dict[str, dict[str, Value]] = {}
    for name, one in entries.items():
        domain, _, own = name.rpartition("/")
        found.setdefault(domain, {})[own] = value(one)
    return Domains(found)


def _attribute(one: Attribute) -> Value:
    values = tuple(map(parse, map(str, one.values))) if one.type == "version" else one.values
    return values if one.listed else values[0]
