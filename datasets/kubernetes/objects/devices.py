"""Devices of a ResourceSlice -> `DeviceRecord`.

In v1beta1 all fields but the name stand in ``basic``.
"""

from collections.abc import Mapping

from gangplan.datasets.kubernetes.devicerecords import Attribute, DeviceRecord
from gangplan.datasets.kubernetes.objects.attributes import attributes
from gangplan.datasets.kubernetes.objects.capacities import capacities
from gangplan.datasets.kubernetes.objects.counters import COMPATIBILITY, draws
from gangplan.datasets.kubernetes.objects.devicetaints import device_taints
from gangplan.datasets.kubernetes.objects.reach import NOWHERE, OF_DEVICE, Reach, reach
from gangplan.datasets.kubernetes.text import deviceschema
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import label

MOST_NAMES = 32
"""Attributes and capacities of a device together."""
MOST_VALUES = 48
"""Values of all attributes of a device, those of lists one by one."""

_MOST_CONDITIONS = 4
_EITHER = deviceschema.DEVICE | deviceschema.BASIC_DEVICE


def device(entry: Fields, driver: str, version: str, slice_reach: Reach) -> DeviceRecord:
    """Read a device; what is wrong goes to the faults of ``entry``.

    Parameters
    ----------
    driver : the slice's driver, domain of bare names.
    version : of the API.
    slice_reach : the slice's reach; with ``each`` the device has one of its own.
    """
    name = label(entry, "name", required=True)
    fields = _body(entry, version)
    multi = fields.boolean("allowMultipleAllocations")
    found = attributes(fields, driver)
    room = capacities(fields, driver, multi)
    _limits(fields, found)
    drawn, grouped = draws(fields)
    own = _reach(fields, slice_reach.each)
    unsupported = _alpha(fields, grouped)
    if fields.boolean("bindsToNode") and not (own.node or slice_reach.node):
        unsupported = (*unsupported, "bindsToNode")  # one node for all users of an allocation
    return DeviceRecord(
        name=name,
        attributes=found,
        capacity=room,
        multi=multi,
        taints=device_taints(fields),
        draws=drawn,
        node=own.node,
        selector=own.selector,
        everywhere=own.everywhere,
        late=_late(fields),
        unsupported=unsupported,
    )


def _body(entry: Fields, version: str) -> Fields:
    """Give the mapping with the fields of a device, in the version's own form."""
    if version != "v1beta1":
        if entry.has("basic"):
            entry.fault("basic", f"a field of v1beta1; in {version} its fields are the device's")
        entry.only(_EITHER)
        return entry
    for key in sorted(deviceschema.BASIC & entry.obj.keys()):
        if entry.has(key):
            entry.fault(key, "stands in basic in v1beta1")
    entry.only(_EITHER)
    basic = entry.section("basic")
    basic.only(deviceschema.BASIC)
    return basic


def _limits(fields: Fields, found: Mapping[str, Attribute]) -> None:
    parts = [fields.obj.get(key) for key in ("attributes", "capacity")]
    names = sum(len(part) for part in parts if isinstance(part, dict))
    if names > MOST_NAMES:
        fields.fault("", f"at most {MOST_NAMES} attributes and capacities expected, got {names}")
    values = sum(len(one.values) for one in found.values())
    if values > MOST_VALUES:
        fields.fault("attributes", f"at most {MOST_VALUES} values expected, got {values}")


def _reach(fields: Fields, each: bool) -> Reach:
    if each:
        return reach(fields, OF_DEVICE)
    for key in OF_DEVICE:
        if fields.has(key):
            fields.fault(key, "only where the slice has perDeviceNodeSelection")
    return NOWHERE


def _alpha(fields: Fields, grouped: bool) -> tuple[str, ...]:
    """Name the fields of alpha features that bear on a placement and are not honoured."""
    found = [COMPATIBILITY] if grouped else []
    for key in ("nodeAllocatableResourceMappings", "nodeAllocatableResources"):
        if fields.section(key).obj:
            found.append(key)
    return tuple(found)


def _late(fields: Fields) -> bool:
    if not fields.has("bindingConditions") and not fields.has("bindingFailureConditions"):
        return False
    conditions = fields.texts("bindingConditions")
    failures = fields.texts("bindingFailureConditions")
    for key, names in (("bindingConditions", conditions), ("bindingFailureConditions", failures)):
        if len(names) > _MOST_CONDITIONS:
            fields.fault(key, f"at most {_MOST_CONDITIONS} expected, got {len(names)}")
        if len(set(names)) < len(names):
            fields.fault(key, "a condition is there twice")
    if bool(conditions) != bool(failures):
        other = "bindingFailureConditions" if conditions else "bindingConditions"
        fields.fault(other, "missing: both are there or none")
    if not set(conditions).isdisjoint(failures):
        fields.fault("bindingFailureConditions", "a condition of bindingConditions is there too")
    return bool(conditions)
