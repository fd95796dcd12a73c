"""A file that is there whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from gangplan.models.errors import GangplanError


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Open a neighbour of ``path`` for writing, and move it there when the block ends well.

    A device (``/dev/stdout``) is written straight.

    Raises
    ------
    GangplanError : the path cannot be written, or the disk is full; no part of a file stays.
    """
    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            with target.open("w", encoding="ascii") as stream:
                yield stream
            return
        yield from _moved(target.resolve())
    except OSError as error:
        raise GangplanError(f"{target}: cannot be written: {error.strerror or error}") from error


def _moved(target: Path) -> Iterator[TextIO]:
    number, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(number, "w", encoding="ascii") as stream:
            yield stream
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        temporary.chmod(mode)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
