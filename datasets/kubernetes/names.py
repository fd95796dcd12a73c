"""Names of objects, checked as the API server checks them."""

import re

from gangplan.datasets.kubernetes.fields import Fields

_SUBDOMAIN = re.compile(r"[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?", re.ASCII)
_LONGEST = 253


def object_name(metadata: Fields) -> str:
    """Read ``metadata.name``; empty, with a fault, where it is missing or no name."""
    return subdomain(metadata, "name", required=True)


def namespace(metadata: Fields) -> str:
    """Read ``metadata.namespace``; ``default`` where it is absent, as kubectl does."""
    return subdomain(metadata, "namespace") or "default"


def subdomain(fields: Fields, key: str, *, required: bool = False) -> str:
    """Read a DNS subdomain; empty where it is absent or (with a fault) where it is none."""
    text = fields.text(key, required=required)
    if text and (len(text) > _LONGEST or not _SUBDOMAIN.fullmatch(text)):
        fields.fault(key, f"a DNS name (a-z, 0-9, '-', '.') expected, got {text[:40]!r}")
        return ""
    return text
