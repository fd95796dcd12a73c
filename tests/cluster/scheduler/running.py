"""``gangplan scheduler`` in tests: started, watched through its log, and ended."""

import json
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from tests.cluster.live import Live, Object

QUICK = ("--deadline", "2", "--backoff", "0.2", "--most-backoff", "1", "--grace", "5")


class Scheduler:
    """One process; what it says is JSON, a line each."""

    def __init__(self, live: Live, *options: str, log: str = "scheduler.log") -> None:
        self.live = live
        self.file = live.folder / log
        self.process: subprocess.Popen[str] = live.start("scheduler", *QUICK, *options, log=log)

    def lines(self) -> list[dict[str, Any]]:
        """Everything it has said."""
        return [_line(text) for text in self.file.read_text().splitlines() if text.strip()]

    def said(self, words: str) -> bool:
        """Whether it has said something."""
        return any(words in str(line["message"]) for line in self.lines())

    def wait(self, words: str, seconds: float = 30.0) -> None:
        """Wait until it says something."""
        self.until(lambda: self.said(words), seconds)

    def leads(self) -> "Scheduler":
        """Wait until it leads."""
        self.wait("leading", 40)
        return self

    def until(self, what: Callable[[], Any], seconds: float = 30.0) -> Any:
        """Wait for something; what the process said is shown when it does not come."""
        end = time.monotonic() + seconds
        while not (found := what()):
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError(f"{self.process.poll()}: {self.file.read_text()[-6000:]}")
            time.sleep(0.05)
        return found

    def bound(self, count: int, seconds: float = 30.0, prefix: str = "") -> dict[str, str]:
        """Wait until so many pods are bound."""

        def them() -> dict[str, str]:
            found = {k: v for k, v in self.live.bound().items() if k.startswith(prefix)}
            return found if len(found) >= count else {}

        return dict(self.until(them, seconds))

    def end(self) -> int:
        """End it politely, and give its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(40)

    def kill(self) -> None:
        """End it as a power cut does."""
        self.process.kill()
        self.process.wait()


def conditions(obj: Object) -> dict[str, Object]:
    """Conditions of an object by type."""
    return {c["type"]: c for c in (obj.get("status") or {}).get("conditions") or ()}


def page(port: int, path: str) -> str:
    """Read a page that the scheduler serves."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        return str(error.read().decode())


def free_port() -> int:
    """Give a port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _line(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {"message": text, "level": "text"}
    return dict(found)
