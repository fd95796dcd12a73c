"""Names of objects, checked as the API server checks them."""

import re

from gangplan.datasets.kubernetes.text.fields import Fields

_SUBDOMAIN = re.compile(r"[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?", re.ASCII)
_LONGEST = 253


def object_name(fields: Fields) -> str:
    """Read ``metadata.name`` of an object; empty, with a fault, where it is missing or no name."""
    return subdomain(fields.section("metadata"), "name", required=True)


def namespace(fields: Fields) -> str:
    """Read ``metadata.namespace`` of an object; ``default`` where it is absent, as in kubectl."""
    return subdomain(fields.section("metadata"), "namespace") or "default"


def subdomain(fields: Fields, key: str, *, required: bool = False) -> str:
    """Read a DNS subdomain; empty where it is absent or (with a fault) where it is none."""
    text = fields.text(key, required=required)
    if text and (len(text) > _LONGEST or not _SUBDOMAIN.fullmatch(text)):
        fields.fault(key, f"a DNS name (a-z, 0-9, '-', '.') expected, got {text[:40]!r}")
        return ""
    return text
