"""What the scheduler answers over HTTP: ``/metrics``, ``/healthz`` and ``/readyz``.

``/healthz`` fails when the process should be restarted (the loop hangs, a thread of it has died),
``/readyz`` while it cannot work (caches are not filled yet). Who waits for the lease is ready: it
does what a standby does.
"""

import socket
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from gangplan.cluster.errors import ClusterError
from gangplan.cluster.scheduler.exposition import CONTENT_TYPE
from gangplan.cluster.scheduler.metrics import Metrics

Check = Callable[[], str]
"""Gives what is wrong, in a sentence; nothing (``""``) when all is well."""


class Health:
    """Whether the loop turns, and what else has to be true.

    Parameters
    ----------
    limit : seconds after which a loop that has not turned counts as hanging.
    """

    def __init__(self, limit: float = 120.0) -> None:
        self._limit = limit
        self._turned = time.monotonic()
        self._alive: list[Check] = []
        self._ready: list[Check] = []

    def turn(self) -> None:
        """Say that the loop turns; called at least once in ``limit`` seconds."""
        self._turned = time.monotonic()

    def alive_if(self, check: Check) -> None:
        """Add a condition of ``/healthz``."""
        self._alive.append(check)

    def ready_if(self, check: Check) -> None:
        """Add a condition of ``/readyz``."""
        self._ready.append(check)

    def alive(self) -> tuple[str, ...]:
        """Give what is wrong, a sentence each."""
        ago = time.monotonic() - self._turned
        hangs = f"the loop has not turned for {ago:.0f} s" if ago > self._limit else ""
        return tuple(wrong for wrong in (hangs, *(check() for check in self._alive)) if wrong)

    def ready(self) -> tuple[str, ...]:
        """Give what is missing, a sentence each."""
        return tuple(wrong for wrong in (check() for check in self._ready) if wrong)


def thread_lives(thread: Thread) -> Check:
    """Give the condition that a thread runs."""
    return lambda: "" if thread.is_alive() else f"the thread {thread.name} has ended"


class Serving:
    """A web server in a thread, until ``stop``.

    Parameters
    ----------
    listen : ``ADDRESS:PORT`` (``:8080``: all addresses; ``[::1]:8080``; port 0: a free one).

    Attributes
    ----------
    port : where it listens.

    Raises
    ------
    ClusterError : the address is none, or is taken.
    """

    def __init__(self, listen: str, metrics: Metrics, health: Health) -> None:
        host, port = _address(listen)

        class Server(ThreadingHTTPServer):
            address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
            daemon_threads = True

        class Handler(_Handler):
            pages = _pages(metrics, health)

        try:
            self._server = Server((host, port), Handler)
        except OSError as error:
            raise ClusterError(f"cannot listen on {listen}: {error.strerror or error}") from None
        self.port = int(self._server.server_address[1])
        self._thread = Thread(target=self._server.serve_forever, args=(0.2,), name="http")
        self._thread.daemon = True
        self._thread.start()

    def stop(self) -> None:
        """End it, and free the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


Page = Callable[[], tuple[int, str, str]]


def _pages(metrics: Metrics, health: Health) -> dict[str, Page]:
    return {
        "/metrics": lambda: (200, CONTENT_TYPE, metrics.text()),
        "/healthz": lambda: _verdict(health.alive()),
        "/readyz": lambda: _verdict(health.ready()),
    }


def _verdict(wrong: tuple[str, ...]) -> tuple[int, str, str]:
    lines = wrong or ("ok",)
    return 503 if wrong else 200, "text/plain; charset=utf-8", "".join(f"{one}\n" for one in lines)


class _Handler(BaseHTTPRequestHandler):
    pages: dict[str, Page]
    timeout = 10.0
    server_version = "gangplan"
    sys_version = ""

    def do_GET(self) -> None:
        page = self.pages.get(self.path.partition("?")[0])
        status, kind, text = page() if page else (404, "text/plain; charset=utf-8", "not found\n")
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing: probes come every few seconds."""


def _address(listen: str) -> tuple[str, int]:
    host, colon, port = listen.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ClusterError(f"cannot listen on {listen}: it has to be ADDRESS:PORT")
    return host.removeprefix("[").removesuffix("]"), int(port)
