"""One kind kept up to date: listed once, then watched for as long as the process lives.

A watch goes on from the version of the list, of the last event or of the last bookmark, whichever
is the newest. Whatever ends it, the next one goes on from there, and nothing is missed; only when
the server has dropped that version (410), or does not know it yet (it was restored from a backup),
everything is listed again. Between failures it waits, longer each time.
"""

import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from gangplan.cluster.client import Client
from gangplan.cluster.errors import ApiError, ClusterError, Denied, Gone, NotFound
from gangplan.cluster.kinds import Kind
from gangplan.cluster.listing import CHUNK, pages
from gangplan.cluster.trimmed import trim

Object = dict[str, Any]

BOOKMARK = "BOOKMARK"
_TOO_NEW = "ResourceVersionTooLarge"
_LIVED = 1.0
_GRACE = 2.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds.

    Attributes
    ----------
    watch : a watch is asked for as long as this, and then for another one.
    silence : without a byte for so long a connection counts as lost; bookmarks come each minute.
    pause : before the first new try after a failure. longest : before any try.
    """

    watch: float = 300.0
    silence: float = 90.0
    pause: float = 0.1
    longest: float = 5.0


@dataclass(slots=True)
class Stream:
    """List and watch one kind in a thread of its own.

    Parameters
    ----------
    listed : takes version and objects of a list: all there are.
    event : takes the type, the object and its version, in order; the object of a bookmark says
        nothing.

    Attributes
    ----------
    failure : why the last try failed; empty while all is well.
    refused : the server says that we may not (401, 403), or that there is no such kind.
    touched : monotonic time of the last sign of life.
    """

    client: Client
    kind: Kind
    listed: Callable[[int, list[Object]], None]
    event: Callable[[str, Object, int], None]
    pace: Pace = field(default_factory=Pace)
    chunk: int = CHUNK
    failure: str = ""
    refused: bool = False
    touched: float = 0.0
    _version: int = 0
    _stopped: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _close: Callable[[], None] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, crashed: Callable[[Exception], None]) -> None:
        """Start the thread; a fault of ours (no error of the cluster) goes to ``crashed``."""

        def run() -> None:
            try:
                self._run()
            except Exception as error:
                crashed(error)

        self._thread = threading.Thread(target=run, name=f"watch-{self.kind.plural}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; nothing is told any more when this returns."""
        self._stopped.set()
        with self._lock:
            if self._close is not None:
                with suppress(OSError):  # the server was quicker
                    self._close()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_GRACE)  # one that waits for an answer tells nobody of it

    def _run(self) -> None:
        tries = 0
        while not self._stopped.is_set():
            began = time.monotonic()
            try:
                if not self._version:
                    self._list()
                self._watch()
                lived = time.monotonic() - began > _LIVED
                tries = 0 if lived else tries + 1
            except ClusterError as error:
                self._failed(error)
                tries = 1 if self.touched - began > _LIVED else tries + 1
            if tries:
                self._stopped.wait(self._pause(tries))

    def _list(self) -> None:
        version, objects = 0, []
        for listed, page in pages(self.client, self.kind, chunk=self.chunk):
            version = int(listed)
            objects += page
            self._touch()
            if self._stopped.is_set():
                return
        self._version = version
        self.listed(version, objects)

    def _watch(self) -> None:
        params = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": self._version,
            "timeoutSeconds": round(self.pace.watch * random.uniform(1.0, 1.5)),
        }
        events = self.client.stream(
            self.kind.path(), params, self.pace.silence, opened=self._opened
        )
        try:
            for event in events:
                self._touch()
                obj = event.get("object") or {}
                version = int(obj["metadata"]["resourceVersion"])
                if self._stopped.is_set():
                    return
                self.event(str(event.get("type")), obj if _mark(event) else trim(obj), version)
                self._version = max(self._version, version)
        finally:
            with self._lock:
                self._close = None
            events.close()

    def _opened(self, close: Callable[[], None]) -> None:
        self._touch()
        with self._lock:
            self._close = close
            if self._stopped.is_set():
                close()

    def _touch(self) -> None:
        self.touched = time.monotonic()
        self.failure, self.refused = "", False

    def _failed(self, error: ClusterError) -> None:
        if isinstance(error, Gone) or (isinstance(error, ApiError) and _TOO_NEW in error.causes):
            self._version = 0
        if not isinstance(error, Gone):
            self.failure = f"{self.kind.plural}: {error}"
            self.refused = isinstance(error, Denied | NotFound)

    def _pause(self, tries: int) -> float:
        longest = min(self.pace.longest, self.pace.pause * 2.0 ** min(tries - 1, 16))
        return longest * random.uniform(0.5, 1.0)


def _mark(event: Object) -> bool:
    return event.get("type") == BOOKMARK
