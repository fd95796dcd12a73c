"""Bytes become text a chunk at a time, and the line of what is wrong is known."""

import gzip
import io
from typing import IO

import pytest

from gangplan.datasets.kubernetes.text import text as module
from gangplan.datasets.kubernetes.text.text import Malformed, TextReader

LINE = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "é"}}\n'


class Raw(io.BytesIO):
    """Bytes that come through a pipe, or from a file."""

    def __init__(self, data: bytes, seekable: bool) -> None:
        super().__init__(data)
        self._seekable = seekable

    def seekable(self) -> bool:
        return self._seekable

    def seek(self, place: int, whence: int = 0) -> int:
        if not self._seekable:
            raise io.UnsupportedOperation("seek")
        return super().seek(place, whence)

    def tell(self) -> int:
        if not self._seekable:
            raise io.UnsupportedOperation("tell")
        return super().tell()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("seekable", [False, True])
@pytest.mark.parametrize("chunk", [1, 64, 1000])
def test_line_breaks_are_known_whatever_can_be_read_twice(
    monkeypatch: pytest.MonkeyPatch, packed: bool, seekable: bool, chunk: int
) -> None:
    """A file is read again for them; gzip and what comes through a pipe are counted on the way."""
    monkeypatch.setattr(module, "CHUNK", chunk)
    data = b"\xef\xbb\xbf" + (LINE * 9).encode() + b"\n\xff\n"
    stream = io.BufferedReader(Raw(gzip.compress(data) if packed else data, seekable))
    with pytest.raises(Malformed, match=r"^line 11: not UTF-8 text$"):
        drain(stream)


def drain(stream: IO[bytes]) -> None:
    reader, taken = TextReader(stream), ""
    while True:
        taken += reader.read()
        assert reader.breaks == taken.count("\n")
