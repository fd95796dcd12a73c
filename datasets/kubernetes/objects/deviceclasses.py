"""DeviceClass of resource.k8s.io -> `ClassRecord`."""

from gangplan.datasets.kubernetes.devicerecords import ClassRecord
from gangplan.datasets.kubernetes.objects.celselectors import cel_selectors
from gangplan.datasets.kubernetes.objects.deviceconfig import check_config
from gangplan.datasets.kubernetes.text import deviceschema
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import object_name

_MOST_CONFIG = 32


def device_class(fields: Fields) -> ClassRecord | None:
    """Read a DeviceClass; None, and faults, where something is wrong with it."""
    before = len(fields.faults)
    fields.only(deviceschema.OBJECT)
    name = object_name(fields)
    created = fields.section("metadata").timestamp("creationTimestamp")
    spec = fields.section("spec")
    spec.only(deviceschema.CLASS)
    selectors = cel_selectors(spec)
    check_config(spec, deviceschema.CLASS_CONFIG, _MOST_CONFIG)
    extended = spec.text("extendedResourceName")
    if len(fields.faults) > before:
        return None
    return ClassRecord(name, selectors, extended, created, fields.source)
