"""JSON files of our own, gzip or not."""

import gzip
import json
import re
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path

from gangplan.datasets.kubernetes.text.fields import printable
from gangplan.files import STDIO, whole_file
from gangplan.models.errors import Fault, InputError

_SCHEMA = re.compile(rb'"schema"\s*:\s*"(gangplan/[a-z]+/v[0-9]+)"')
_PEEK = 4096


def refuse(source: str, field: str, message: str) -> InputError:
    """Return the one-line error for a file of ours."""
    return InputError([Fault(_called(source), "", field, printable(message))])


def schema_of(path: str) -> str:
    """Return the ``gangplan/.../vN`` a file declares in its first or last bytes; else empty.

    Standard input is looked at without being consumed. A file that cannot be read declares
    nothing: the reader it is given to says why.
    """
    try:
        if path == STDIO:
            stream = sys.stdin.buffer
            ends = stream.peek(_PEEK) if hasattr(stream, "peek") else b""
            if ends[:2] == b"\x1f\x8b":
                ends = zlib.decompressobj(wbits=31).decompress(ends, _PEEK)
        elif not Path(path).is_file():
            return ""
        else:
            ends = _ends(Path(path))
    except (OSError, EOFError, zlib.error):
        return ""
    found = _SCHEMA.search(ends)
    return found.group(1).decode() if found else ""


def read_object(path: str) -> dict[str, object]:
    """Read one JSON object.

    Parameters
    ----------
    path : a file, gzip or plain, or ``-``.

    Raises
    ------
    InputError : no such file, not readable, not JSON, or not an object.
    """
    try:
        raw = sys.stdin.buffer.read() if path == STDIO else Path(path).read_bytes()
        if raw[:2] == b"\x1f\x8b":
            raw = gzip.decompress(raw)
        document = json.loads(raw.decode("utf-8"))
    except (zlib.error, EOFError, gzip.BadGzipFile):
        raise refuse(path, "", "damaged gzip data") from None
    except OSError as error:
        raise refuse(path, "", f"cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise refuse(path, "", f"not UTF-8 text (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise refuse(path, "", f"not JSON: {error.msg} in line {error.lineno}") from None
    except (RecursionError, ValueError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else "a number too long"
        raise refuse(path, "", f"not JSON that can be read: {what}") from None
    if not isinstance(document, dict):
        raise refuse(path, "", "a JSON object expected")
    return document


def check_schema(path: str, document: Mapping[str, object], wanted: str) -> None:
    """Refuse another schema, or a version that this gangplan does not know."""
    have = document.get("schema")
    if have == wanted:
        return
    kind = wanted.rpartition("/")[0]
    if isinstance(have, str) and have.startswith(kind + "/"):
        raise refuse(
            path, "schema", f"{have} is not known here, only {wanted}; use a newer gangplan"
        )
    raise refuse(path, "schema", f"{wanted} expected, not {_short(have)}")


def write_object(document: Mapping[str, object], path: str, *, indent: int | None = None) -> None:
    """Write a JSON object; a reader of ``path`` sees the old content or the new, never a part.

    Parameters
    ----------
    path : a file (gzip when the name ends in ``.gz``), or ``-``.
    indent : spaces a level; None writes one compact line.

    Raises
    ------
    InputError : the path cannot be written.
    """
    separators = (",", ":") if indent is None else None
    text = json.dumps(document, indent=indent, separators=separators, allow_nan=False) + "\n"
    if path == STDIO:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    raw = text.encode()
    if path.endswith(".gz"):
        raw = gzip.compress(raw, compresslevel=6, mtime=0)
    with whole_file(path) as stream:
        stream.write(raw)


def _ends(path: Path) -> bytes:
    with path.open("rb") as stream:
        if stream.read(2) == b"\x1f\x8b":
            with gzip.open(path) as unpacked:
                return unpacked.read(_PEEK)
        stream.seek(0)
        head = stream.read(_PEEK)
        stream.seek(max(path.stat().st_size - _PEEK, 0))
        return head + b"\n" + stream.read(_PEEK)


def _called(source: str) -> str:
    return "standard input" if source == STDIO else source


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
