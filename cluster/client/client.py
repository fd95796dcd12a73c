"""Talks to an API server: the only module that knows the Kubernetes client library.

The library reads kubeconfigs and tokens and opens connections. Objects are plain dictionaries, as
the server writes them: its models drop fields that they do not know, and a rule that nobody sees
would be broken.

Reads are tried again for a while. A write is not: whether it happened is for its caller to find
out. Only what the server turned away unread (429 of too many requests) is sent once more.
"""

import json
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from copy import copy
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlencode

from gangplan.cluster.client.answers import Object as Object
from gangplan.cluster.client.answers import error_of, event_of, object_of
from gangplan.cluster.client.kubeconfigs import IN_CLUSTER, named, unusable
from gangplan.cluster.client.unreachable import unreachable
from gangplan.cluster.errors import ApiError, Busy, ClusterError, Unreachable

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"

_CONNECTIONS = 96
_CONNECT = 10.0
_TIMEOUT = 30.0
_PATIENCE = 8.0


def connect(
    kubeconfig: str | None = None, context: str | None = None, *, in_cluster: bool = False
) -> "Client":
    """Open a client, from a kubeconfig (default: ``KUBECONFIG``, else the usual file) or in a pod.

    Raises
    ------
    ClusterError : there is no kubeconfig, it cannot be read, or it has no such context.
    """
    try:
        from kubernetes import client as library
        from kubernetes import config
    except ImportError:
        raise ClusterError(
            "the Kubernetes client is not installed: pip install 'gangplan[cluster]'"
        ) from None
    name = IN_CLUSTER if in_cluster else named(kubeconfig)
    settings = library.Configuration()
    settings.connection_pool_maxsize = _CONNECTIONS
    settings.retries = False
    try:
        if in_cluster:
            config.load_incluster_config(client_configuration=settings)
        else:
            config.load_kube_config(kubeconfig, context, client_configuration=settings)
        api = library.ApiClient(settings)
    except config.ConfigException as error:
        raise unusable(name, context, error, foreseen=True) from None
    except Exception as error:  # yaml, OS and SSL errors of as many libraries
        raise unusable(name, context, error, foreseen=False) from None
    return Client(api, settings)


class Client:
    """One server with one user's credentials; safe to share between threads.

    Attributes
    ----------
    server : address.
    server_time : seconds since the epoch by the server's clock at its last answer; 0 before one.
    """

    def __init__(self, api: Any, settings: Any) -> None:
        self.server = str(settings.host).rstrip("/")
        self.server_time = self._noted = 0.0
        self._settings = settings
        self._pool = api.rest_client.pool_manager
        self._agent = str(api.user_agent)
        self._guard: Callable[[], None] | None = None
        self._failed: Callable[[str, int], None] | None = None
        self._timeout, self._patience = _TIMEOUT, _PATIENCE

    def guarded(self, guard: Callable[[], None]) -> "Client":
        """Give the same client with a guard that is called before each write, dry runs excepted.

        The guard raises ``Fenced`` when this process may not write any more.
        """
        other = copy(self)
        other._guard = guard
        return other

    def within(self, timeout: float) -> "Client":
        """Give the same client with a timeout of its own, which tries no read again."""
        other = copy(self)
        other._timeout, other._patience = timeout, 0.0
        return other

    def noting(self, failed: Callable[[str, int], None]) -> "Client":
        """Give the same client; each answer without success is told: verb, status (0: none came).

        Watches are not among them: they tell their readers.
        """
        other = copy(self)
        other._failed = failed
        return other

    def now(self) -> float:
        """Seconds since the epoch by the server's clock, going on from its last answer."""
        return self.server_time + time.monotonic() - self._noted

    # -- requests ------------------------------------------------------------------------------

    def get(self, path: str, params: Mapping[str, object] | None = None) -> Object:
        """Read; tried again for some seconds when the server is busy or away."""
        until = time.monotonic() + self._patience
        pause = 0.1
        while True:
            try:
                return self._send("GET", path, None, params, "", self._timeout)
            except (Unreachable, ApiError) as error:
                again = isinstance(error, Unreachable | Busy) or (
                    isinstance(error, ApiError) and error.status >= 500
                )
                wait = max(pause, getattr(error, "retry_after", None) or 0.0)
                if not again or time.monotonic() + wait > until:
                    raise
            time.sleep(wait)
            pause = min(2 * pause, 2.0)

    def post(self, path: str, body: Object, *, dry_run: bool = False) -> Object:
        """Create, or bind, or evict."""
        return self._write("POST", path, body, "application/json", dry_run)

    def put(self, path: str, body: Object, *, dry_run: bool = False) -> Object:
        """Replace; ``metadata.resourceVersion`` in the body is the precondition."""
        return self._write("PUT", path, body, "application/json", dry_run)

    def patch(self, path: str, body: Object, *, kind: str = MERGE, dry_run: bool = False) -> Object:
        """Merge; ``metadata.resourceVersion`` in the body is a precondition, if it is there."""
        return self._write("PATCH", path, body, kind, dry_run)

    def delete(self, path: str, body: Object | None = None, *, dry_run: bool = False) -> Object:
        """Delete; the body is DeleteOptions, with ``preconditions``."""
        return self._write("DELETE", path, body, "application/json", dry_run)

    def _write(self, method: str, path: str, body: Object | None, kind: str, dry: bool) -> Object:
        params = {"dryRun": "All"} if dry else None
        until = time.monotonic() + self._patience
        while True:
            if self._guard is not None and not dry:
                self._guard()
            try:
                return self._send(method, path, body, params, kind, self._timeout)
            except Busy as error:
                wait = error.retry_after
                if error.causes or wait is None or time.monotonic() + wait > until:
                    raise
            time.sleep(wait)

    def stream(
        self,
        path: str,
        params: Mapping[str, object],
        timeout: float,
        *,
        opened: Callable[[Callable[[], None]], None] | None = None,
    ) -> Generator[Object, None, None]:
        """Yield the events of a watch until the server ends it.

        Parameters
        ----------
        timeout : seconds without a byte after which the connection counts as lost.
        opened : is called when the server has begun to answer, with a function that ends the watch
            from any thread.

        Raises
        ------
        Gone : the resource version is too old (as an answer, or as an event).
        Unreachable : the connection broke.
        ApiError : the server refuses.
        """
        answer = self._open("GET", path, None, params, "", timeout)
        try:
            if answer.status != 200:
                raise error_of(answer.status, answer.headers, answer.read(), "GET", path)
            self._note_time(answer.headers.get("Date"))
            if opened is not None:
                opened(answer.shutdown)
            rest = b""
            while True:
                data = answer.read1()
                if not data:
                    return
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    if line.strip():
                        yield event_of(line, path)
        except ClusterError:
            raise
        except Exception as error:  # urllib3's family, and sockets
            raise unreachable(self.server, error, f"the watch of {path} broke") from None
        finally:
            with suppress(Exception):
                answer.close()

    # -- transport -----------------------------------------------------------------------------

    def _open(
        self,
        method: str,
        path: str,
        body: Object | None,
        params: Mapping[str, object] | None,
        kind: str,
        timeout: float,
    ) -> Any:
        from urllib3.util import Timeout  # comes with the library

        headers = {"Accept": "application/json", "User-Agent": self._agent}
        token = self._settings.get_api_key_with_prefix("BearerToken", alias="authorization")
        if token:
            headers["Authorization"] = token
        basic = self._settings.get_basic_auth_token()
        if basic and not token and self._settings.username:
            headers["Authorization"] = basic
        data = None
        if body is not None:
            data = json.dumps(body, separators=(",", ":")).encode()
            headers["Content-Type"] = kind
        url = self.server + path + (f"?{urlencode(params)}" if params else "")
        try:
            return self._pool.request(
                method, url, body=data, headers=headers,
                timeout=Timeout(connect=min(_CONNECT, timeout), read=timeout),
                preload_content=False, retries=False, redirect=False,
            )  # fmt: skip
        except Exception as error:  # urllib3's family, sockets, TLS
            raise unreachable(self.server, error) from None

    def _send(
        self,
        method: str,
        path: str,
        body: Object | None,
        params: Mapping[str, object] | None,
        kind: str,
        timeout: float,
    ) -> Object:
        try:
            return self._receive(
                method, path, self._open(method, path, body, params, kind, timeout)
            )
        except (Unreachable, ApiError) as error:
            if self._failed is not None:
                self._failed(method, error.status if isinstance(error, ApiError) else 0)
            raise

    def _receive(self, method: str, path: str, answer: Any) -> Object:
        try:
            data = answer.read()
        except Exception as error:
            raise unreachable(self.server, error, "the answer broke off") from None
        finally:
            answer.release_conn()
        self._note_time(answer.headers.get("Date"))
        if answer.status >= 300:
            raise error_of(answer.status, answer.headers, data, method, path)
        return object_of(data, path)

    def _note_time(self, date: str | None) -> None:
        with suppress(TypeError, ValueError):
            self.server_time = parsedate_to_datetime(date or "").timestamp()
            self._noted = time.monotonic()
