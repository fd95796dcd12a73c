"""A World as a file that ``gangplan plan`` reads: a ``v1 List``, the Snapshot object first."""

import gzip
import io
import json
import sys
from typing import BinaryIO, TextIO, cast

from gangplan.cluster.world import World
from gangplan.files import STDIO, whole_file

_LEVEL = 6


def write(world: World, path: str) -> None:
    """Write the file; a reader of ``path`` sees the old content or the new, never a part.

    Parameters
    ----------
    path : a file (gzip when the name ends in ``.gz``), or ``-``.

    Raises
    ------
    InputError : the path cannot be written.
    """
    if path == STDIO:
        _write(world, sys.stdout)
        sys.stdout.flush()
        return
    with whole_file(path) as stream:
        if not path.endswith(".gz"):
            text = io.TextIOWrapper(stream, encoding="utf-8")
            _write(world, text)
            text.detach()
            return
        with gzip.GzipFile(
            filename="", mode="wb", compresslevel=_LEVEL, fileobj=stream, mtime=0
        ) as packed:
            text = io.TextIOWrapper(cast(BinaryIO, packed), encoding="utf-8")
            _write(world, text)
            text.detach()


def _write(world: World, out: TextIO) -> None:
    # An object a line: 50,000 of them are never one text in memory.
    out.write('{"apiVersion":"v1","kind":"List","items":[')
    for number, obj in enumerate(world.documents()):
        out.write(",\n" if number else "\n")
        out.write(json.dumps(obj, separators=(",", ":")))
    out.write("\n]}\n")
    out.flush()
