"""gangplan.io/v1 Snapshot -> `Origin`."""

from gangplan.datasets.kubernetes.snapshotobject import Origin
from gangplan.datasets.kubernetes.text.fields import Fields

_SPEC = frozenset(
    ["cluster", "evictForeign", "resourceVersion", "schedulerName", "taken", "version"]
)


def origin(fields: Fields) -> Origin | None:
    """Read a Snapshot object; None, and faults, where something is wrong with it."""
    before = len(fields.faults)
    spec = fields.mapping("spec", required=True)
    if spec is None:
        return None
    spec.only(_SPEC)
    spec.text("taken", required=True)
    taken = spec.timestamp("taken")
    found = Origin(
        cluster=spec.text("cluster", required=True),
        version=spec.text("version"),
        taken=taken or 0.0,
        resource_version=spec.text("resourceVersion"),
        scheduler=spec.text("schedulerName", required=True),
        evict_foreign=spec.boolean("evictForeign"),
        source=fields.source,
    )
    return found if len(fields.faults) == before else None
