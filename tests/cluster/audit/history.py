"""Everything that happened to a cluster's pods, claims and nodes, seen by watches.

A History is started before the run. It survives an API server that dies: it watches again from
where it was, and lists again where the server has forgotten that (``gaps`` counts those times).
"""

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Self

from gangplan.cluster.client import Client
from gangplan.cluster.discovery import Served
from gangplan.cluster.errors import ClusterError, Gone
from tests.cluster.audit import replay

Object = dict[str, Any]
KINDS = ("Node", "Pod", "PodGroup", "ResourceClaim")


class History:
    """A recorder; a context manager that records from its entry to its exit."""

    def __init__(self, client: Client, served: Served) -> None:
        self._client = client
        self._served = served
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._events: list[replay.Event] = []
        self._known: dict[str, dict[str, Object]] = {}
        self._threads: list[threading.Thread] = []
        self._seen: dict[str, int] = {}
        self.gaps = 0

    def __enter__(self) -> Self:
        for kind in KINDS:
            if kind in self._served:
                version = self._list(kind)
                thread = threading.Thread(target=self._watch, args=(kind, version), daemon=True)
                self._threads.append(thread)
                thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stopped.set()

    def events(self) -> list[replay.Event]:
        """Give what was seen up to now, in the server's order; it waits for what is under way."""
        for kind in KINDS:
            if kind in self._served:
                self._catch_up(kind)
        with self._lock:
            return sorted(self._events, key=lambda event: (event.version, event.kind))

    def wrong(self, scheduler: str = "gangplan", *, evict_foreign: bool = False) -> list[str]:
        """Give what was wrong at any moment, a sentence each."""
        return replay.wrong(self.events(), scheduler, evict_foreign=evict_foreign)

    # -- watching --------------------------------------------------------------------------------

    def _list(self, kind: str) -> str:
        # What is there at the beginning comes before all events, nodes before pods.
        first = kind not in self._known
        path = self._served[kind].path()
        found = self._client.get(path)
        version = str(found["metadata"]["resourceVersion"])
        now = {obj["metadata"]["uid"]: obj for obj in found["items"]}
        for uid, gone in list(self._known.get(kind, {}).items()):
            if uid not in now:
                self._note(kind, "DELETED", gone, int(version))
        for obj in now.values():
            old = self._known.get(kind, {}).get(obj["metadata"]["uid"])
            if old is None or _version(old) != _version(obj):
                self._note(kind, "ADDED", obj, 0 if first else _version(obj))
        self._known.setdefault(kind, {})
        self._advance(kind, version)
        return version

    def _watch(self, kind: str, version: str) -> None:
        path = self._served[kind].path()
        while not self._stopped.is_set():
            params: dict[str, object] = {
                "watch": "1", "resourceVersion": version, "allowWatchBookmarks": "true",
                "timeoutSeconds": 5,
            }  # fmt: skip
            try:
                for event in self._client.stream(path, params, 15.0):
                    obj = event["object"]
                    version = str(obj["metadata"]["resourceVersion"])
                    if event["type"] != "BOOKMARK":
                        self._note(kind, event["type"], obj, int(version))
                    self._advance(kind, version)
            except Gone:
                self.gaps += 1
                version = self._again(kind) or version
            except ClusterError:
                time.sleep(0.2)

    def _again(self, kind: str) -> str:
        with suppress(ClusterError):  # the server is away: the watch is tried again, and says 410
            return self._list(kind)
        return ""

    def _note(self, kind: str, change: str, obj: Object, version: int) -> None:
        with self._lock:
            of_kind = self._known.setdefault(kind, {})
            uid = obj["metadata"]["uid"]
            if change == "DELETED":
                of_kind.pop(uid, None)
            else:
                of_kind[uid] = obj
            self._events.append(replay.Event(version, kind, change, obj))

    def _advance(self, kind: str, version: str) -> None:
        with self._lock:
            self._seen[kind] = max(self._seen.get(kind, 0), int(version))

    def _catch_up(self, kind: str) -> None:
        path = self._served[kind].path()
        newest = self._client.get(path)["items"]
        wanted = {obj["metadata"]["uid"]: _version(obj) for obj in newest}
        until = time.monotonic() + 15.0
        while time.monotonic() < until:
            with self._lock:
                known = {uid: _version(obj) for uid, obj in self._known.get(kind, {}).items()}
            behind = [uid for uid, version in wanted.items() if known.get(uid, 0) < version]
            if not behind and self._stale(kind, known, wanted):
                return
            time.sleep(0.05)
        raise AssertionError(f"the watch of {kind} does not come after the server")

    def _stale(self, kind: str, known: Mapping[str, int], wanted: Mapping[str, int]) -> bool:
        """Whether all that is gone on the server is gone here, or was made after the list."""
        return all(uid in wanted or version > max(wanted.values(), default=0)
                   for uid, version in known.items())  # fmt: skip


def _version(obj: Mapping[str, Any]) -> int:
    return int(obj["metadata"]["resourceVersion"])
