"""The content of a journal, small enough for a ConfigMap."""

import gzip
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from gangplan.cluster.errors import ClusterError

KEY = "flight.json.gz"

MOST = 1_000_000
"""Bytes of a content: the API server allows 1 MiB for all that a ConfigMap holds."""

FIRST = 400_000
"""Bytes at the beginning: what happens on the way is written down as well."""


def pack(content: Mapping[str, Any], name: str, most: int = MOST) -> str:
    """Give the content as ``binaryData`` wants it.

    Raises
    ------
    ClusterError : a flight that is too big; ``name`` is what it is called there.
    """
    text = json.dumps(content, separators=(",", ":")).encode()
    data = gzip.compress(text, mtime=0)
    if len(data) > most:
        placings = len(content["flight"]["placings"])
        raise ClusterError(
            f"{shortened(name)}: too big to be carried out as one: {placings:,} pods make "
            f"a journal of {len(data):,} bytes, more than {most:,}"
        )
    return b64encode(data).decode()


def unpack(text: str) -> dict[str, Any]:
    """Read what ``pack`` gave.

    Raises
    ------
    ValueError, OSError, EOFError : it is something else.
    """
    try:
        content = json.loads(gzip.decompress(b64decode(text)))
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not isinstance(content, dict):
        raise ValueError("no object")
    return content


def shortened(text: str, most: int = 200) -> str:
    """Cut a long text."""
    return text if len(text) <= most else text[: most - 3] + "..."
