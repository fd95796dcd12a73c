import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from gangplan.solvers.backends.leashed import run_leashed

STUBBORN = "trap '' INT; echo up; while :; do sleep 0.05; done"


def run(script: str, seconds: float, grace: float = 0.3) -> tuple[int, bool, str]:
    with tempfile.TemporaryFile("w+") as log:
        end = time.monotonic() + seconds
        code, stopped = run_leashed(
            ["/bin/sh", "-c", script], log, pass_fds=(), interrupt_at=end, kill_at=end + grace
        )
        log.seek(0)
        return code, stopped, log.read()


def test_what_ends_by_itself_is_left_alone() -> None:
    assert run("echo hello; exit 3", 20) == (3, False, "hello\n")


def test_at_the_deadline_it_is_asked_to_stop() -> None:
    code, stopped, _ = run("trap 'exit 5' INT; while :; do sleep 0.05; done", 1.5, grace=20)
    assert (code, stopped) == (5, True)


def test_what_does_not_stop_is_killed() -> None:
    begin = time.monotonic()
    code, stopped, said = run(STUBBORN, 1.5)
    assert (code, stopped, said) == (-signal.SIGKILL, True, "up\n")
    assert time.monotonic() - begin < 10


def test_a_program_that_is_not_there_is_an_os_error() -> None:
    with tempfile.TemporaryFile("w+") as log, pytest.raises(OSError, match="nowhere"):
        run_leashed(["/nowhere"], log, pass_fds=(), interrupt_at=0, kill_at=0)


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
def test_it_dies_with_the_process_that_started_it(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    script = (
        "import sys, time, tempfile\n"
        "from gangplan.solvers.backends.leashed import run_leashed\n"
        "end = time.monotonic() + 60\n"
        "with tempfile.TemporaryFile('w+') as log:\n"
        "    run_leashed(['/bin/sh', '-c', f'echo $$ > {sys.argv[1]}.new;'\n"
        "        f' mv {sys.argv[1]}.new {sys.argv[1]}; while :; do sleep 0.05; done'],\n"
        "        log, pass_fds=(), interrupt_at=end, kill_at=end)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script, str(note)])
    try:
        deadline = time.monotonic() + 30
        while not note.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        child = int(note.read_text())
    finally:
        parent.kill()
        parent.wait()
    while is_running(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_running(child)


def is_running(pid: int) -> bool:
    """A zombie that nobody has waited for yet does not run."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
