"""scheduling.k8s.io/v1 PriorityClass -> `PriorityClassRecord`."""

from gangplan.datasets.kubernetes.records import PriorityClassRecord
from gangplan.datasets.kubernetes.text import schema
from gangplan.datasets.kubernetes.text.documents import Document
from gangplan.datasets.kubernetes.text.fields import Faults
from gangplan.datasets.kubernetes.text.names import object_name

INT32 = 2**31 - 1


def priority_class(document: Document, faults: Faults) -> PriorityClassRecord | None:
    """Read a PriorityClass; None, and faults, where something is wrong with it."""
    before = len(faults)
    fields = document.fields(faults)
    fields.only(schema.PRIORITY_CLASS)
    name = object_name(fields)
    value = fields.integer("value", 0, required=True, minimum=-INT32 - 1, maximum=INT32)
    default = fields.boolean("globalDefault")
    if len(faults) > before:
        return None
    return PriorityClassRecord(name, value, default, document.source)
