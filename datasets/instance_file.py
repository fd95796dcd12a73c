"""Instance files: every column and name of an Instance as one JSON object.

``gangplan/instance/v1``: ``schema``, ``digest``, ``device_unit``, ``device_columns``, ``names``,
and one object a section (``nodes``, ``topology``, ``roles``, ``groups``, ``composites``,
``rules``, ``shared``, ``leaving``) with one entry a column:

==================  ================================================================
column              written as
==================  ================================================================
integers, 1-D       a list
integers, 2-D       ``{"shape": [rows, columns], "values": [row after row]}``
booleans, 1-D       a text of ``0`` and ``1``
booleans, 2-D       ``{"shape": [rows, columns], "bits": "row after row"}``
==================  ================================================================

The digest is that of ``Instance.digest()``; it is computed again at reading.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from gangplan.datasets.json_file import check_schema, read_object, refuse, write_object
from gangplan.models.columns import Composites, Groups, Leaving, Nodes, Roles, Shared
from gangplan.models.errors import InstanceError
from gangplan.models.instance import Instance, Names
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
        "names": {f.name: list(getattr(instance.names, f.name)) for f in fields(Names)},
    }
    for name, kind in _SECTIONS.items():
        section = getattr(instance, name)
        document[name] = {f.name: _encode(getattr(section, f.name)) for f in fields(kind)}
    return document


def instance_of(document: Mapping[str, object], source: str) -> Instance:
    """Make the instance that a file's content describes; ``source`` is the name for errors.

    Raises
    ------
    InputError : as ``read_instance``.
    """
    check_schema(source, document, INSTANCE_SCHEMA)
    _same_keys(source, "", document, (*_HEAD, *_SECTIONS))
    names = _names(source, document["names"])
    columns = document["device_columns"]
    unit = document["device_unit"]
    if not isinstance(columns, list) or not all(type(c) is int for c in columns):
        raise refuse(source, "device_columns", "a list of integers expected")
    if type(unit) is not int or unit < 1:
        raise refuse(source, "device_unit", "a positive integer expected")
    if any(not 0 <= c < len(names.resources) for c in columns):
        raise refuse(source, "device_columns", "a resource number is out of range")
    sections: dict[str, Any] = {name: _section(source, name, document[name]) for name in _SECTIONS}
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


def _section(source: str, name: str, value: object) -> object:
    if not isinstance(value, dict):
        raise refuse(source, name, "an object expected")
    kind = _SECTIONS[name]
    wanted = tuple(f.name for f in fields(kind))
    _same_keys(source, name, value, wanted)
    columns: dict[str, Any] = {c: _decode(source, f"{name}.{c}", value[c]) for c in wanted}
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
    _same_keys(source, "names", value, wanted)
    for key in wanted:
        texts = value[key]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise refuse(source, f"names.{key}", "a list of texts expected")
    return Names(**{key: tuple(value[key]) for key in wanted})


def _encode(column: "np.ndarray[Any, np.dtype[Any]]") -> object:
    flag = column.dtype.kind == "b"
    flat: object = _bits(column) if flag else column.ravel().tolist()
    if column.ndim == 1:
        return flat
    return {"shape": list(column.shape), "bits" if flag else "values": flat}


def _bits(column: "np.ndarray[Any, np.dtype[Any]]") -> str:
    return (column.ravel().astype(np.uint8) + ord("0")).tobytes().decode("ascii")


def _decode(source: str, field: str, value: object) -> "np.ndarray[Any, np.dtype[Any]]":
    shape: list[int] | None = None
    if isinstance(value, dict):
        shape = value.get("shape")
        flat = value.get("bits", value.get("values"))
        if (
            len(value) != 2
            or not isinstance(shape, list)
            or len(shape) != 2
            or not all(type(n) is int and n >= 0 for n in shape)
        ):
            raise refuse(source, field, "a shape and its values expected")
    else:
        flat = value
    column = _flat(source, field, flat)
    if shape is None:
        return column
    if shape[0] * shape[1] != len(column):
        raise refuse(source, field, f"{shape[0]} x {shape[1]} values expected, not {len(column)}")
    return column.reshape(shape)


def _flat(source: str, field: str, value: object) -> "np.ndarray[Any, np.dtype[Any]]":
    if isinstance(value, str):
        bits = np.frombuffer(value.encode(), dtype=np.uint8) - np.uint8(ord("0"))
        if (bits > 1).any():
            raise refuse(source, field, "a text of 0 and 1 expected")
        return bits.astype(np.bool_)
    if not isinstance(value, list) or not all(type(number) is int for number in value):
        raise refuse(source, field, "a list of integers expected")
    try:
        return np.array(value, dtype=np.int64)
    except OverflowError:
        raise refuse(source, field, "an integer above 2^63") from None


def _same_keys(source: str, field: str, have: Mapping[str, object], want: tuple[str, ...]) -> None:
    dot = f"{field}." if field else ""
    for key in want:
        if key not in have:
            raise refuse(source, dot + key, "missing")
    for key in have:
        if key not in want:
            raise refuse(source, dot + str(key), "not known in this version")
