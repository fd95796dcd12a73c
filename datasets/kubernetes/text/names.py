"""Names of objects, checked as the API server checks them."""

import re
from functools import lru_cache

from gangplan.datasets.kubernetes.text.fields import Fields

_SUBDOMAIN = re.compile(r"[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?", re.ASCII)
_DOMAIN = re.compile(r"[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?", re.ASCII | re.IGNORECASE)
_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}", re.ASCII)
_LONGEST = 253
_LONGEST_DOMAIN = 63


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


def label(fields: Fields, key: str, *, required: bool = False) -> str:
    """Read a DNS label; empty where it is absent or (with a fault) where it is none."""
    text = fields.text(key, required=required)
    if text and not is_label(text):
        fields.fault(key, f"a DNS label (a-z, 0-9, '-') expected, got {text[:40]!r}")
        return ""
    return text


def is_label(text: str) -> bool:
    """Whether a text is a DNS label of at most 63 characters."""
    return _LABEL.fullmatch(text) is not None


def driver(fields: Fields, key: str = "driver", *, required: bool = True) -> str:
    """Read the name of a DRA driver; empty, with a fault, where it is none."""
    text = fields.text(key, required=required)
    if text and (len(text) > _LONGEST_DOMAIN or not _DOMAIN.fullmatch(text)):
        fields.fault(key, f"a driver (a DNS name, at most 63) expected, got {text[:40]!r}")
        return ""
    return text


def pool(fields: Fields, key: str, *, required: bool = True) -> str:
    """Read the name of a pool: DNS names joined by slashes; empty, with a fault, if it is none."""
    text = fields.text(key, required=required)
    parts = text.split("/")
    if text and (len(text) > _LONGEST or not all(map(_SUBDOMAIN.fullmatch, parts))):
        fields.fault(key, f"DNS names joined by '/' expected, got {text[:40]!r}")
        return ""
    return text


@lru_cache(maxsize=4096)
def qualified(name: str, domain: str = "") -> str:
    """Give ``domain/id`` for the name of an attribute or capacity.

    Parameters
    ----------
    name : ``id`` or ``domain/id``.
    domain : what a bare ``id`` belongs to (the driver); empty where the name must say it.

    Raises
    ------
    ValueError
        When it is no such name.
    """
    front, slash, end = name.rpartition("/")
    good = _IDENTIFIER.fullmatch(end) is not None
    if slash:
        good = good and len(front) <= _LONGEST_DOMAIN and _DOMAIN.fullmatch(front) is not None
        if good:
            return name
    elif good and domain:
        return f"{domain}/{name}"
    form = "id or domain/id" if domain else "domain/id"
    raise ValueError(f"a name such as {form} (id: letters, digits, '_', at most 32) expected")
