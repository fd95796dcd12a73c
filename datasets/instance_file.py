"""Instance files: every column and name of an Instance as one JSON object.

``gangplan/instance/v1``: ``schema``, ``digest``, ``device_unit``, ``device_columns``, ``names``,
and one object a section (``nodes``, ``topology``, ``roles``, ``groups``, ``composites``,
``rules``, ``shared``, ``leaving``) with one entry a column; ``column_json`` says how. Sections
``devices``, ``claims``, ``running`` and ``reserved`` and their names stand there only where there
are any.

The digest is that of ``Instance.digest()``; it is computed again at reading.
"""

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any

from gangplan.datasets.column_json import decode, encode, encode_packed
from gangplan.datasets.json_file import check_schema, read_object, refuse, write_object
from gangplan.models.claims import NO_CLAIMS, Claims
from gangplan.models.columns import Composites, Groups, Leaving, Nodes, Roles, Shared
from gangplan.models.devices import NO_DEVICES, Devices
from gangplan.models.errors import InstanceError
from gangplan.models.instance import Instance
from gangplan.models.names import OPTIONAL_NAMES, Names
from gangplan.models.running import NO_RESERVED, NO_RUNNING, Reserved, Running
from gangplan.models.topology import Rules, Topology

INSTANCE_SCHEMA = "gangplan/instance/v1"

_SECTIONS = {
    "nodes": Nodes,
    "topology": Topology,
    "roles": Roles,
    "groups": Groups,
    "composites": Composites,
    "rules": Rules,
    "shared": Shared,
    "leaving": Leaving,
}
_OPTIONAL = {"devices": Devices, "claims": Claims, "running": Running, "reserved": Reserved}
_ABSENT = {
    "devices": NO_DEVICES,
    "claims": NO_CLAIMS,
    "running": NO_RUNNING,
    "reserved": NO_RESERVED,
}
_HEAD = ("schema", "digest", "device_unit", "device_columns", "names")


def write_instance(instance: Instance, path: str) -> None:
    """Write an instance file; ``-`` is standard output, a name in ``.gz`` is packed.

    Raises
    ------
    InputError : the path cannot be written.
    """
    write_object(instance_document(instance), path)


def read_instance(path: str) -> Instance:
    """Read an instance file and check its digest.

    Raises
    ------
    InputError : not an instance file of this version, a column missing or wrong, or a content
        that does not match the digest.
    """
    return instance_of(read_object(path), path)


def instance_document(instance: Instance) -> dict[str, object]:
    """Return the instance file's content as plain lists and dictionaries."""
    document: dict[str, object] = {
        "schema": INSTANCE_SCHEMA,
        "digest": instance.digest(),
        "device_unit": instance.device_unit,
        "device_columns": list(instance.device_columns),
        "names": {
            f.name: list(getattr(instance.names, f.name))
            for f in fields(Names)
            if f.name not in OPTIONAL_NAMES or getattr(instance.names, f.name)
        },
    }
    for name, kind in _SECTIONS.items():
        section = getattr(instance, name)
        document[name] = {f.name: encode(getattr(section, f.name)) for f in fields(kind)}
    for name, optional in _OPTIONAL.items():
        section = getattr(instance, name)
        columns = {f.name: getattr(section, f.name) for f in fields(optional)}
        if any(map(len, columns.values())):
            document[name] = {key: encode_packed(column) for key, column in columns.items()}
    return document


def instance_of(document: Mapping[str, object], source: str) -> Instance:
    """Make the instance that a file's content describes; ``source`` is the name for errors.

    Raises
    ------
    InputError : as ``read_instance``.
    """
    check_schema(source, document, INSTANCE_SCHEMA)
    _same_keys(source, "", document, (*_HEAD, *_SECTIONS), _OPTIONAL.keys())
    names = _names(source, document["names"])
    columns = document["device_columns"]
    unit = document["device_unit"]
    if not isinstance(columns, list) or not all(type(c) is int for c in columns):
        raise refuse(source, "device_columns", "a list of integers expected")
    if type(unit) is not int or unit < 1:
        raise refuse(source, "device_unit", "a positive integer expected")
    if any(not 0 <= c < len(names.resources) for c in columns):
        raise refuse(source, "device_columns", "a resource number is out of range")
    sections: dict[str, Any] = dict(_ABSENT)
    for name, kind in (_SECTIONS | _OPTIONAL).items():
        if name in document:
            sections[name] = _section(source, name, kind, document[name])
    # Before Instance adds them up: a sum of huge counts would wrap round.
    wanted = sections["roles"].wanted
    if wanted.size and int(wanted.max()) > len(names.pods):
        raise refuse(source, "roles.wanted", f"more pods than the {len(names.pods)} named")
    try:
        instance = Instance(
            **sections, names=names, device_unit=unit, device_columns=tuple(columns)
        )
    except InstanceError as error:
        raise refuse(source, "", str(error)) from None
    if instance.digest() != document["digest"]:
        raise refuse(source, "digest", "the content does not match it: the file was changed")
    return instance


def _section(source: str, name: str, kind: Any, value: object) -> object:
    if not isinstance(value, dict):
        raise refuse(source, name, "an object expected")
    wanted = tuple(f.name for f in fields(kind))
    _same_keys(source, name, value, wanted)
    columns: dict[str, Any] = {c: decode(source, f"{name}.{c}", value[c]) for c in wanted}
    try:
        return kind(**columns)
    except InstanceError as error:
        raise refuse(source, "", str(error)) from None
    except (ValueError, IndexError):
        raise refuse(source, name, "a column of another shape expected") from None


def _names(source: str, value: object) -> Names:
    if not isinstance(value, dict):
        raise refuse(source, "names", "an object expected")
    wanted = tuple(f.name for f in fields(Names))
    _same_keys(
        source,
        "names",
        value,
        tuple(key for key in wanted if key not in OPTIONAL_NAMES),
        OPTIONAL_NAMES,
    )
    for key, texts in value.items():
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise refuse(source, f"names.{key}", "a list of texts expected")
    return Names(**{key: tuple(texts) for key, texts in value.items()})


def _same_keys(
    source: str,
    field: str,
    have: Mapping[str, object],
    want: Collection[str],
    may: Collection[str] = (),
) -> None:
    dot = f"{field}." if field else ""
    for key in want:
        if key not in have:
            raise refuse(source, dot + key, "missing")
    for key in have:
        if key not in want and key not in may:
            raise refuse(source, dot + str(key), "not known in this version")
