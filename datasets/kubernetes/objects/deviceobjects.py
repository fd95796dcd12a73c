"""Objects of resource.k8s.io: which versions of each kind are read, and into what."""

from collections.abc import Mapping
from typing import TypeVar

from gangplan.datasets.kubernetes.devicerecords import DeviceObjects
from gangplan.datasets.kubernetes.objects.claims import resource_claim
from gangplan.datasets.kubernetes.objects.deviceclasses import device_class
from gangplan.datasets.kubernetes.objects.slices import resource_slice
from gangplan.datasets.kubernetes.objects.taintrules import taint_rule
from gangplan.datasets.kubernetes.objects.templates import claim_template
from gangplan.datasets.kubernetes.text.fields import Fields

T = TypeVar("T")

GROUP = "resource.k8s.io"
_MAIN = ("v1beta1", "v1beta2", "v1")
VERSIONS: Mapping[str, tuple[str, ...]] = {
    "DeviceClass": _MAIN,
    "ResourceClaim": _MAIN,
    "ResourceClaimTemplate": _MAIN,
    "ResourceSlice": _MAIN,
    "DeviceTaintRule": ("v1alpha3", "v1beta2", "v1"),
}


def read_object(into: DeviceObjects, fields: Fields, kind: str, version: str) -> None:
    """Read an object of a kind of `VERSIONS` into its list; what is wrong goes to the faults."""
    match kind:
        case "DeviceClass":
            _keep(into.classes, device_class(fields))
        case "ResourceClaim":
            _keep(into.claims, resource_claim(fields, version))
        case "ResourceClaimTemplate":
            _keep(into.templates, claim_template(fields, version))
        case "ResourceSlice":
            _keep(into.slices, resource_slice(fields, version))
        case "DeviceTaintRule":
            _keep(into.taint_rules, taint_rule(fields))


def _keep(into: list[T], record: T | None) -> None:
    if record is not None:
        into.append(record)
