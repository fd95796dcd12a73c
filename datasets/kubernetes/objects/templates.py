"""ResourceClaimTemplate of resource.k8s.io -> `TemplateRecord`."""

from gangplan.datasets.kubernetes.devicerecords import TemplateRecord
from gangplan.datasets.kubernetes.objects.claimspecs import claim_spec
from gangplan.datasets.kubernetes.text import deviceschema
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import namespace, object_name


def claim_template(fields: Fields, version: str) -> TemplateRecord | None:
    """Read a ResourceClaimTemplate; None, and faults, where something is wrong with it."""
    before = len(fields.faults)
    fields.only(deviceschema.OBJECT)
    space, name = namespace(fields), object_name(fields)
    outer = fields.mapping("spec", required=True)
    spec = None if outer is None else outer.mapping("spec", required=True)
    if outer is None or spec is None:
        return None
    outer.only(deviceschema.TEMPLATE)
    outer.section("metadata").only(deviceschema.TEMPLATE_METADATA)
    asked = claim_spec(spec, version)
    if len(fields.faults) > before:
        return None
    return TemplateRecord(space, name, asked, fields.source)
