"""DeviceTaintRule of resource.k8s.io -> `TaintRuleRecord` (KEP-5055)."""

from gangplan.datasets.kubernetes.devicerecords import TaintRuleRecord
from gangplan.datasets.kubernetes.objects.devicetaints import device_taint
from gangplan.datasets.kubernetes.text import deviceschema, schema
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import driver, label, object_name, pool


def taint_rule(fields: Fields) -> TaintRuleRecord | None:
    """Read a DeviceTaintRule; None, and faults, where something is wrong with it."""
    before = len(fields.faults)
    fields.only(schema.OBJECT)
    name = object_name(fields)
    spec = fields.mapping("spec", required=True)
    if spec is None:
        return None
    spec.only(deviceschema.TAINT_RULE)
    selector = spec.mapping("deviceSelector")
    parts: dict[str, str | None] = {"driver": None, "pool": None, "device": None}
    if selector is not None:
        selector.only(deviceschema.TAINT_SELECTOR)
        readers = {"driver": driver, "pool": pool, "device": label}
        for key, reader in readers.items():
            if selector.has(key):
                parts[key] = reader(selector, key, required=True)
    entry = spec.mapping("taint", required=True)
    taint = None if entry is None else device_taint(entry)
    if len(fields.faults) > before:
        return None
    return TaintRuleRecord(
        name=name,
        selects=selector is not None,
        taint=taint,
        source=fields.source,
        **parts,
    )
