"""A column of numbers or flags as JSON, and back.

==================  ================================================================
column              written as
==================  ================================================================
integers, 1-D       a list
integers, 2-D       ``{"shape": [rows, columns], "values": [row after row]}``
booleans, 1-D       a text of ``0`` and ``1``
booleans, 2-D       ``{"shape": [rows, columns], "bits": "row after row"}``
booleans, packed    ``{"shape": [rows, columns], "packed": [text, ...], "row": [number of its
                    text, ...]}``: base64 of eight flags a byte, the first one highest; rows that
                    are equal share a text
==================  ================================================================
"""

import base64
import binascii
from typing import Any, TypeAlias

import numpy as np

from gangplan.datasets.json_file import refuse

Column: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

MOST_FLAGS = 2**32
"""A packed grid may hold so many; a few bytes could ask for any number."""


def encode(column: Column) -> object:
    """Write a column."""
    flag = column.dtype.kind == "b"
    flat: object = _bits(column) if flag else column.ravel().tolist()
    if column.ndim == 1:
        return flat
    return {"shape": list(column.shape), "bits" if flag else "values": flat}


def encode_packed(column: Column) -> object:
    """Write a column, a grid of flags packed: rows of 40,000 devices in 7 kB each, once."""
    if column.ndim == 1 or column.dtype.kind != "b":
        return encode(column)
    number: dict[bytes, int] = {}
    row = [number.setdefault(bits.tobytes(), len(number)) for bits in np.packbits(column, axis=1)]
    texts = [base64.b64encode(bits).decode("ascii") for bits in number]
    return {"shape": list(column.shape), "packed": texts, "row": row}


def decode(source: str, field: str, value: object) -> Column:
    """Read a column, written either way.

    Raises
    ------
    InputError : neither, or a shape that does not match; one line with ``field``.
    """
    if not isinstance(value, dict):
        return _flat(source, field, value)
    shape = value.get("shape")
    if (
        not isinstance(shape, list)
        or len(shape) != 2
        or not all(type(n) is int and n >= 0 for n in shape)
    ):
        raise refuse(source, field, "a shape and its values expected")
    if value.keys() == {"shape", "packed", "row"}:
        return _unpacked(source, field, shape, value)
    if len(value) != 2:
        raise refuse(source, field, "a shape and its values expected")
    column = _flat(source, field, value.get("bits", value.get("values")))
    if shape[0] * shape[1] != len(column):
        raise refuse(source, field, f"{shape[0]} x {shape[1]} values expected, not {len(column)}")
    return column.reshape(shape)


def _unpacked(source: str, field: str, shape: list[int], value: dict[str, Any]) -> Column:
    rows, width = shape
    texts = value["packed"]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise refuse(source, f"{field}.packed", "a list of texts expected")
    row = _flat(source, f"{field}.row", value["row"])
    if row.dtype.kind == "b" or len(row) != rows:
        raise refuse(source, f"{field}.row", f"{rows} numbers expected, not {len(row)}")
    if len(row) and not 0 <= row.min() <= row.max() < len(texts):
        raise refuse(source, f"{field}.row", f"a number below {len(texts)} expected")
    if rows * width > MOST_FLAGS:
        raise refuse(source, field, f"{rows} x {width} flags are more than 2^32")
    packed = np.zeros((len(texts), -(-width // 8)), dtype=np.uint8)
    for number, text in enumerate(texts):
        try:
            raw = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise refuse(source, f"{field}.packed", "base64 expected") from None
        if len(raw) != packed.shape[1]:
            raise refuse(
                source, f"{field}.packed", f"{packed.shape[1]} bytes expected, not {len(raw)}"
            )
        packed[number] = np.frombuffer(raw, dtype=np.uint8)
    flags = np.unpackbits(packed, axis=1, count=width).astype(np.bool_)
    return flags[row].reshape(shape)


def _bits(column: Column) -> str:
    return (column.ravel().astype(np.uint8) + ord("0")).tobytes().decode("ascii")


def _flat(source: str, field: str, value: object) -> Column:
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
