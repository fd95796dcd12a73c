"""CEL selectors of a DeviceClass or a request: texts here, compiled elsewhere."""

from gangplan.datasets.kubernetes.text import deviceschema
from gangplan.datasets.kubernetes.text.fields import Fields

_MOST = 32


def cel_selectors(fields: Fields) -> tuple[str, ...]:
    """Read ``selectors``, in order; all of them must hold."""
    entries = fields.items("selectors")
    if len(entries) > _MOST:
        fields.fault("selectors", f"at most {_MOST} expected, got {len(entries)}")
    found = []
    for entry in entries:
        entry.only(deviceschema.SELECTOR)
        cel = entry.mapping("cel", required=True)
        if cel is not None:
            cel.only(deviceschema.CEL)
            found.append(cel.text("expression", required=True))
    return tuple(found)
