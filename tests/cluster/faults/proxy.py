"""A proxy in front of the real API server that lets requests go wrong.

Plain HTTP in front, TLS behind::

    with Proxy(plane, [Rule("lose", "POST", "/binding", times=2)]) as proxy:
        file.write_text(json.dumps(plane.kubeconfig(server=proxy.address)))

Everything else is passed on as it is, watches event by event. ``happened`` counts the faults,
``accepted`` holds the writes that the API server has accepted, whether gangplan heard of it or not.
"""

import http.client
import json
import random
import re
import ssl
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.cluster.faults.rules import Rule
from tests.controlplane.plane import ControlPlane

_NOT_PASSED = {"connection", "transfer-encoding", "content-length", "host", "keep-alive"}


@dataclass(frozen=True, slots=True)
class Write:
    """A write that the API server accepted; dry runs are not among them."""

    method: str
    path: str
    body: Any


class Proxy:
    """See the module."""

    def __init__(self, plane: ControlPlane, rules: Sequence[Rule] = (), seed: int = 0) -> None:
        self.rules = list(rules)
        self.happened: Counter[str] = Counter()
        self.accepted: list[Write] = []
        self.requests: list[str] = []
        self._plane = plane
        self._dice = random.Random(seed)
        self._lock = threading.Lock()
        self._away_until = 0.0
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.proxy = self

    @property
    def address(self) -> str:
        """Where gangplan finds it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def go_away(self, seconds: float) -> None:
        """Close every connection that comes, for a while."""
        self._away_until = time.monotonic() + seconds

    @property
    def away(self) -> bool:
        """Whether nothing is taken now."""
        return time.monotonic() < self._away_until

    def writes(self, method: str, path: str) -> list[Write]:
        """Writes that were accepted; regular expressions, as in a rule."""
        with self._lock:
            found = list(self.accepted)
        return [w for w in found if re.fullmatch(method, w.method) and re.search(path, w.path)]

    def fault(self, method: str, path: str, watch: bool) -> Rule | None:
        """Give what goes wrong with a request; it is counted."""
        with self._lock:
            self.requests.append(f"{method} {path}")
            if self.away:
                self.happened["away"] += 1
                return Rule("refuse")
            for rule in self.rules:
                if rule.takes(method, path, watch, self._dice):
                    name = f"{rule.how} {rule.status}" if rule.how == "answer" else rule.how
                    self.happened[name] += 1
                    return rule
        return None

    def note(self, method: str, path: str, body: bytes) -> None:
        """Remember a write that was accepted."""
        if method == "GET" or "dryRun=All" in path:
            return
        with self._lock:
            self.accepted.append(Write(method, path, json.loads(body) if body else None))

    def upstream(self) -> http.client.HTTPSConnection:
        """Connect to the API server."""
        trusting = ssl.create_default_context()
        trusting.check_hostname = False
        trusting.verify_mode = ssl.CERT_NONE
        return http.client.HTTPSConnection(
            "127.0.0.1", self._plane.port, timeout=60, context=trusting
        )


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    proxy: Proxy


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    _connection: http.client.HTTPSConnection | None = None

    def log_message(self, format: str, *args: object) -> None:
        return

    def handle(self) -> None:
        # A client or a server that is killed leaves its connection in any state.
        try:
            with suppress(OSError, http.client.HTTPException):
                super().handle()
        finally:
            self._hang_up()

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        watch = "watch=1" in self.path or "watch=true" in self.path
        fault = self.server.proxy.fault(self.command, self.path, watch)
        if fault is None:
            self._pass_on(body, None)
        elif fault.how == "answer":
            self._answer(fault)
        elif fault.how == "refuse":
            self._break_off()
        else:
            if fault.how == "delay":
                time.sleep(fault.seconds)
            self._pass_on(body, fault)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _any

    def _pass_on(self, body: bytes, fault: Rule | None) -> None:
        try:
            answer = self._forward(body)
            if "watch=" in self.path and answer.status == 200:
                self._stream(answer, fault)
                return
            data = answer.read()
        except (OSError, http.client.HTTPException):
            # The server behind is away, or broke off: so does the proxy.
            self._hang_up()
            self._break_off()
            return
        if answer.status < 300:
            self.server.proxy.note(self.command, self.path, body)
        if fault is not None and fault.how == "lose":
            self._break_off()
            return
        if fault is not None and fault.how == "garble":
            data = data[: len(data) // 2]
        self._send(answer.status, answer.getheaders(), data)

    def _forward(self, body: bytes) -> http.client.HTTPResponse:
        headers = {k: v for k, v in self.headers.items() if k.lower() not in _NOT_PASSED}
        fresh = self._connection is None
        connection = self._connection or self.server.proxy.upstream()
        self._connection = connection
        if fresh:
            connection.connect()
        connection.request(self.command, self.path, body or None, headers)
        return connection.getresponse()

    def _stream(self, answer: http.client.HTTPResponse, fault: Rule | None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        left = fault.events if fault is not None and fault.how in ("cut", "expire") else None
        while True:
            if left is not None and left <= 0:
                break
            line = answer.readline()
            if not line:
                break
            self._chunk(line)
            left = None if left is None else left - 1
            if self.server.proxy.away:
                break
        if fault is not None and fault.how == "expire" and left is not None and left <= 0:
            status = _status(410, "Expired", "too old resource version", "", None)
            self._chunk(json.dumps({"type": "ERROR", "object": status}).encode() + b"\n")
        if fault is None or fault.how != "cut":
            self.wfile.write(b"0\r\n\r\n")
        answer.close()
        self._break_off()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _answer(self, fault: Rule) -> None:
        status = _status(
            fault.status, fault.reason, "the proxy says so", fault.cause, fault.retry_after
        )
        headers = [("Content-Type", "application/json")]
        if fault.retry_after is not None:
            headers.append(("Retry-After", str(fault.retry_after)))
        self._send(fault.status, headers, json.dumps(status).encode())

    def _send(self, status: int, headers: Sequence[tuple[str, str]], data: bytes) -> None:
        self.send_response_only(status)
        for key, value in headers:
            if key.lower() not in _NOT_PASSED:
                self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _break_off(self) -> None:
        self.close_connection = True


def _status(
    code: int, reason: str, message: str, cause: str, retry_after: int | None
) -> dict[str, Any]:
    details: dict[str, Any] = {}
    if cause:
        details["causes"] = [{"reason": cause, "message": message}]
    if retry_after is not None:
        details["retryAfterSeconds"] = retry_after
    found = {"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code}
    return {**found, "reason": reason, "message": message, "details": details}
