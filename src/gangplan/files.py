"""Files that are there whole or not at all, and the one line for a path that cannot be written."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, cast

from gangplan.models.errors import Fault, InputError

STDIO = "-"
"""The path that stands for standard input or output."""

Name = str | os.PathLike[str]


def cannot_write(path: Name, why: OSError | str) -> InputError:
    """Return ``path: cannot be written: why``."""
    said = (why.strerror or str(why)) if isinstance(why, OSError) else why
    return InputError([Fault(os.fspath(path), "", "", f"cannot be written: {said}")])


def check_writable(path: Name) -> None:
    """Refuse a path that cannot be written, before any work is done for it.

    Raises
    ------
    InputError : a folder, below no folder, or not permitted.
    """
    target = Path(path)
    if os.fspath(path) == STDIO or _is_device(target):
        return
    if target.is_dir():
        raise cannot_write(path, "a folder")
    try:
        real = _behind_links(target)
    except OSError as error:
        raise cannot_write(path, error) from None
    if not real.parent.is_dir():
        raise cannot_write(path, "its folder does not exist")
    if not os.access(real.parent, os.W_OK) or (real.exists() and not os.access(real, os.W_OK)):
        raise cannot_write(path, "permission denied")


@contextmanager
def whole_file(path: Name) -> Iterator[BinaryIO]:
    """Open a neighbour of ``path`` for bytes, and move it there when the block ends well.

    A reader sees the old content or the new, never a part, whatever happens to this process or the
    machine. A link stays a link: the file behind it is replaced, and keeps its permissions. A
    device (``/dev/stdout``) is written straight.

    Raises
    ------
    InputError : the path cannot be written, or the disk is full; no part of a file stays.
    """
    with _whole(path, None) as stream:
        yield cast(BinaryIO, stream)


@contextmanager
def whole_text(path: Name, encoding: str = "utf-8") -> Iterator[TextIO]:
    """Open a neighbour of ``path`` for text; otherwise see ``whole_file``."""
    with _whole(path, encoding) as stream:
        yield cast(TextIO, stream)


@contextmanager
def _whole(path: Name, encoding: str | None) -> Iterator[IO[Any]]:
    check_writable(path)
    target = Path(path)
    try:
        if _is_device(target):
            with _opened(target, "w", encoding) as stream:
                yield stream
        else:
            yield from _moved(_behind_links(target), encoding)
    except OSError as error:
        raise cannot_write(path, error) from error


def _moved(target: Path, encoding: str | None) -> Iterator[IO[Any]]:
    # Not named after the target, whose name may have all the length that there is.
    beside = target.parent / f".gangplan-{secrets.token_hex(8)}"
    try:
        with _opened(beside, "x", encoding) as stream:
            if target.exists():
                os.fchmod(stream.fileno(), target.stat().st_mode & 0o777)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _opened(path: Path, mode: str, encoding: str | None) -> IO[Any]:
    return path.open(mode if encoding else f"{mode}b", encoding=encoding)


def _behind_links(path: Path) -> Path:
    real = Path(os.path.realpath(path))
    if real.is_symlink():  # links in a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return real


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()
