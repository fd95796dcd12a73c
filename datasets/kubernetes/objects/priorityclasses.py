"""scheduling.k8s.io/v1 PriorityClass -> `PriorityClassRecord`."""

from gangplan.datasets.kubernetes.records import MOST_PRIORITY, POLICIES, PriorityClassRecord
from gangplan.datasets.kubernetes.text import schema
from gangplan.datasets.kubernetes.text.documents import Document
from gangplan.datasets.kubernetes.text.fields import Faults
from gangplan.datasets.kubernetes.text.names import object_name

INT32 = 2**31 - 1
_SYSTEM = "system-"


def priority_class(document: Document, faults: Faults) -> PriorityClassRecord | None:
    """Read a PriorityClass; None, and faults, where something is wrong with it."""
    before = len(faults)
    fields = document.fields(faults)
    fields.only(schema.PRIORITY_CLASS)
    name = object_name(fields)
    value = fields.integer("value", 0, required=True, minimum=-INT32 - 1, maximum=INT32)
    if value > MOST_PRIORITY and not name.startswith(_SYSTEM):
        fields.fault(
            "value", f"at most {MOST_PRIORITY} expected (above it is the system's), got {value}"
        )
    default = fields.boolean("globalDefault")
    policy = fields.text("preemptionPolicy", choices=POLICIES)
    if len(faults) > before:
        return None
    return PriorityClassRecord(name, value, default, document.source, policy)
