"""Bytes (gzip or plain) -> text, a chunk at a time, with the place of what is wrong."""

import codecs
import gzip
import zlib
from typing import IO, cast

CHUNK = 1 << 20
SMALL = 1 << 23
"""A text shorter than this is read whole; a longer one was not written by hand."""

_SNIFF = 1 << 12


class Malformed(Exception):
    """A text that is no YAML or JSON; its message says where, as far as known."""


def at(line: int, column: int, message: str) -> Malformed:
    """Make the error for a place counted from 1."""
    return Malformed(f"line {line}, column {column}: {message}")


def _unpacked(stream: IO[bytes]) -> IO[bytes]:
    """Give the bytes behind gzip, if that is what the stream begins with."""
    peek = getattr(stream, "peek", None)
    if peek is None or not peek(2).startswith(b"\x1f\x8b"):
        return stream
    return cast(IO[bytes], gzip.GzipFile(fileobj=stream))


class TextReader:
    """Decodes UTF-8 (a byte order mark is passed over) a chunk at a time.

    Raises
    ------
    Malformed
        From every method, when the bytes are not UTF-8.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = _unpacked(stream)
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._ahead = ""
        self._breaks = 0  # line breaks before ...
        again = self._stream is stream and stream.seekable()  # gzip would start from the front
        self._counted = stream.tell() if again else -1  # ... this place; -1: in all that was read
        self._ended = False
        self._fill()

    def _fill(self) -> None:
        """Add a chunk to what was read ahead (it may be all of a character's first bytes)."""
        try:
            data = b"" if self._ended else self._stream.read(CHUNK)
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise Malformed("damaged gzip data") from error
        self._ended = self._ended or not data
        try:
            text = self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            if self._counted < 0:
                self._breaks += data.count(b"\n")
            line = self.breaks - error.object[error.start :].count(b"\n") + 1
            raise Malformed(f"line {line}: not UTF-8 text") from error
        if self._counted < 0:
            self._breaks += data.count(b"\n")
        self._ahead += text

    @property
    def breaks(self) -> int:
        """Line breaks in all that was read ahead or taken.

        Counting them takes as long as reading: what can be read again is counted when they are
        asked for, which only a message does.
        """
        if self._counted >= 0:
            end = self._stream.tell()
            self._stream.seek(self._counted)
            while self._counted < end and (
                data := self._stream.read(min(CHUNK, end - self._counted))
            ):
                self._breaks += data.count(b"\n")
                self._counted += len(data)
            self._stream.seek(end)
        return self._breaks

    def start(self) -> str:
        """Give the first characters without taking them."""
        return self._ahead[:_SNIFF]

    def small(self) -> bool:
        """Whether the text is short; reads ahead to find out."""
        while not self._ended and len(self._ahead) < SMALL:
            self._fill()
        return self._ended

    def again(self) -> "Ahead":
        """Give a reader over the text that was read ahead, without taking it."""
        return Ahead(self._ahead)

    def read(self) -> str:
        """Take the next chunk; empty at the end."""
        while not self._ahead and not self._ended:
            self._fill()
        text, self._ahead = self._ahead, ""
        return text

    def whole(self) -> str:
        """Take all that is left."""
        parts = []
        while text := self.read():
            parts.append(text)
        return "".join(parts)


class Ahead:
    """A text already in memory, read like a `TextReader`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.breaks = 0

    def read(self) -> str:
        """Take the text; empty the second time."""
        text, self._text = self._text, ""
        self.breaks = max(text.count("\n"), self.breaks)
        return text
