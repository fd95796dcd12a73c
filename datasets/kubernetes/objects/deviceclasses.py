"""DeviceClasses of resource.k8s.io, as far as they stand for an extended resource (KEP-5004)."""

from gangplan.datasets.kubernetes.text.fields import Fields


def extended_resource(fields: Fields) -> str:
    """Read the extended resource that a DeviceClass stands for; empty without one."""
    return fields.section("spec").text("extendedResourceName")
