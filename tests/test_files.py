import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from gangplan.files import STDIO, check_writable, whole_file, whole_text
from gangplan.models.errors import InputError

Opener = Callable[[Any], AbstractContextManager[Any]]
OPENERS: list[tuple[Opener, Any]] = [(whole_file, b"new\n"), (whole_text, "new é\n")]


@pytest.fixture
def masked() -> Iterator[int]:
    mask = os.umask(0o027)
    yield 0o027
    os.umask(mask)


@pytest.mark.parametrize(("opened", "content"), OPENERS)
def test_the_old_content_stands_until_the_block_ends(
    opened: Opener, content: str | bytes, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with opened(path) as stream:
        stream.write(content)
        stream.flush()
        assert path.read_text() == "old"
    assert path.read_bytes() == (content if isinstance(content, bytes) else content.encode())
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("stopped", [ValueError, KeyboardInterrupt])
def test_a_block_that_fails_leaves_the_old_file_and_no_other(
    stopped: type[BaseException], tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    refused = pytest.raises(stopped)
    with refused, whole_text(path) as stream:
        stream.write("half")
        raise stopped
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
@pytest.mark.parametrize(("opened", "content"), OPENERS)
def test_a_full_disk_leaves_the_old_file_and_no_other(
    opened: Opener,
    content: str | bytes,
    step: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(step, full)
    refused = pytest.raises(InputError, match=f"^{path}: cannot be written: No space left on devic")
    with refused, opened(path) as stream:
        stream.write(content)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("opened", "content"), OPENERS)
def test_a_device_is_written_straight(opened: Opener, content: str | bytes) -> None:
    refused = pytest.raises(InputError, match=r"^/dev/full: cannot be written: No space left on")
    with refused, opened("/dev/full") as stream:
        stream.write(content)
    with opened("/dev/null") as stream:
        stream.write(content)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("", "a folder"),
        ("none/file", "its folder does not exist"),
        ("file/below", "its folder does not exist"),
        ("circle", "Too many levels of symbolic links"),
        ("nowhere", "its folder does not exist"),
    ],
)
def test_what_can_never_be_written_is_said_before(where: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    (tmp_path / "nowhere").symlink_to(tmp_path / "none" / "file")
    line = f"^{tmp_path / where}: cannot be written: {why}$"
    with pytest.raises(InputError, match=line):
        check_writable(tmp_path / where)
    with pytest.raises(InputError, match=line), whole_text(tmp_path / where):
        pass


@pytest.mark.parametrize("shut", ["folder", "file"])
def test_a_folder_or_file_that_is_read_only_is_refused(
    shut: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    closed = {"folder": tmp_path, "file": path}[shut]
    # What the system says to an administrator is always yes.
    monkeypatch.setattr("os.access", lambda place, _: Path(place) != closed)
    refused = pytest.raises(InputError, match=f"^{path}: cannot be written: permission denied$")
    with refused, whole_text(path) as stream:
        stream.write("new")
    assert path.read_text() == "old"


def test_a_folder_that_takes_no_file_is_one_line() -> None:
    line = "^/proc/self/new: cannot be written: "
    with pytest.raises(InputError, match=line), whole_text("/proc/self/new"):
        pass


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for content in ("first", "second"):
        with whole_text(tmp_path / "link") as stream:
            stream.write(content)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_text() == content


def test_a_new_file_has_the_permissions_that_the_user_gives(tmp_path: Path, masked: int) -> None:
    with whole_file(tmp_path / "file"):
        pass
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o666 & ~masked


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755])
def test_a_file_keeps_its_permissions(mode: int, tmp_path: Path, masked: int) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(mode)
    with whole_file(path) as stream:
        (beside,) = set(tmp_path.iterdir()) - {path}
        assert stat.S_IMODE(beside.stat().st_mode) == mode  # nobody else reads it meanwhile
        stream.write(b"new")
    assert (stat.S_IMODE(path.stat().st_mode), path.read_text()) == (mode, "new")


def test_a_name_may_have_all_the_length_there_is(tmp_path: Path) -> None:
    path = tmp_path / ("n" * os.pathconf(tmp_path, "PC_NAME_MAX"))
    with whole_text(path) as stream:
        stream.write("new")
    assert path.read_text() == "new"


def test_text_is_ascii_where_that_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError), whole_text(tmp_path / "file", "ascii") as stream:
        stream.write("é")
    assert not list(tmp_path.iterdir())


def test_standard_output_is_always_writable() -> None:
    check_writable(STDIO)
