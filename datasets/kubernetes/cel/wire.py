"""Fields of a message in protobuf's wire format, without a schema."""

import struct
from collections.abc import Iterator

Field = tuple[int, int | bytes]
"""Number, and an unsigned integer (varint, fixed) or the bytes of a text or message."""


def fields(data: bytes) -> Iterator[Field]:
    """Give the fields of a message in order.

    Raises
    ------
    ValueError : bytes that are no message.
    """
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield number, value
        elif kind == 2:
            size, at = _varint(data, at)
            yield number, data[at : at + size]
            at += size
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            yield number, int.from_bytes(data[at : at + size], "little")
            at += size
        else:
            raise ValueError(f"wire type {kind}")


def packed(data: bytes) -> list[int]:
    """Give the varints of a packed field."""
    found = []
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        found.append(value)
    return found


def text(value: int | bytes) -> str:
    """Give the text of a field."""
    return raw(value).decode()


def raw(value: int | bytes) -> bytes:
    """Give the bytes of a field."""
    if isinstance(value, int):
        raise ValueError("bytes expected")
    return value


def number(value: int | bytes) -> int:
    """Give the unsigned integer of a field."""
    if isinstance(value, bytes):
        raise ValueError("a number expected")
    return value


def signed(value: int | bytes) -> int:
    """Give the signed integer of 64 bits of a field."""
    plain = number(value)
    return plain - (1 << 64) if plain >> 63 else plain


def double(value: int | bytes) -> float:
    """Give the double of a field."""
    (plain,) = struct.unpack("<d", number(value).to_bytes(8, "little"))
    return float(plain)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("a cut varint")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
