"""Opaque ``config`` of classes, claims and allocations: checked, and of no bearing on a place."""

from collections.abc import Callable

from gangplan.datasets.kubernetes.text import deviceschema
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import driver

_SOURCES = ("FromClass", "FromClaim")


def check_config(
    fields: Fields,
    known: frozenset[str],
    most: int,
    check_requests: Callable[[Fields], object] | None = None,
) -> None:
    """Check the entries of ``config``.

    Parameters
    ----------
    known : fields of an entry.
    check_requests : checks ``requests`` of an entry.
    """
    entries = fields.items("config")
    if len(entries) > most:
        fields.fault("config", f"at most {most} expected, got {len(entries)}")
    for entry in entries:
        entry.only(known)
        opaque = entry.mapping("opaque", required=True)
        if opaque is not None:
            opaque.only(deviceschema.OPAQUE)
            driver(opaque)
            opaque.mapping("parameters", required=True)
        if "source" in known:
            entry.text("source", required=True, choices=_SOURCES)
        if check_requests is not None:
            check_requests(entry)
