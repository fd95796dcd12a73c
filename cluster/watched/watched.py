"""A World kept up to date by watching.

What is promised: of each kind, exactly what was there at some version, never a part of an older
one and a part of a newer one. Different kinds may be at different versions, usually by
milliseconds: a pod may be there before its PodGroup, a claim may be allocated before its pod is
bound. A plan on such a world may be wrong in what it did not see. Nothing comes of that: the first
write of a flight is preceded by checks on a world that has seen all of our own writes, each write
has a precondition (UID or resource version), and what is refused is planned again.
"""

import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gangplan.cluster.client import Client
from gangplan.cluster.discovery import Served
from gangplan.cluster.errors import ClusterError, Denied, Unreachable
from gangplan.cluster.kinds import Kind
from gangplan.cluster.listing import CHUNK, cluster_id, needed
from gangplan.cluster.watched.progress import progress
from gangplan.cluster.watched.shelf import Change, Shelf
from gangplan.cluster.watched.stream import Pace, Stream
from gangplan.cluster.world import World

Object = dict[str, Any]
Callback = Callable[[str, str, Object, Object | None], None]
"""Is told kind, type (``ADDED``, ``MODIFIED``, ``DELETED``), object and the one before."""

_PATIENCE = 30.0
_OWN_SPEED = 0.3  # seconds in which an event usually comes of its own accord
_AGAIN = 0.5


class Watched:
    """All kinds that planning needs, listed and then watched, each in a thread.

    Parameters
    ----------
    scheduler, evict_foreign : of the worlds that it gives.
    pace : timeouts of the watches.
    patience : seconds that ``world`` waits for a version.
    """

    def __init__(
        self,
        client: Client,
        served: Served,
        scheduler: str = "gangplan",
        *,
        evict_foreign: bool = False,
        pace: Pace | None = None,
        chunk: int = CHUNK,
        patience: float = _PATIENCE,
    ) -> None:
        self._client, self._served = client, served
        self._scheduler, self._evict_foreign = scheduler, evict_foreign
        self._patience = patience
        self._cluster = ""
        self._changed = threading.Condition()
        self._callbacks: tuple[Callback, ...] = ()
        self._crash: Exception | None = None
        self._asked: set[str] = set()
        self._shelves = {kind.name: Shelf() for kind in needed(served)}
        self._streams = [
            Stream(
                client,
                kind,
                partial(self._listed, kind.name),
                partial(self._event, kind.name),
                pace or Pace(),
                chunk,
            )
            for kind in needed(served)
        ]

    # -- life ----------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to list and watch.

        Raises
        ------
        ClusterError : the server cannot be reached, or refuses.
        """
        self._cluster = cluster_id(self._client)
        for stream in self._streams:
            stream.start(self._crashed)

    def stop(self) -> None:
        """End all watches."""
        for stream in self._streams:
            stream.stop()
        with self._changed:
            self._changed.notify_all()

    def subscribe(self, callback: Callback) -> None:
        """Tell a callback every change from now on, those of the first lists (``ADDED``) included.

        It is called in the threads of the watches, for one kind in order; it may not take long.
        What it raises ends the watch of its kind, and is raised by ``world``.
        """
        with self._changed:
            self._callbacks = (*self._callbacks, callback)

    # -- health --------------------------------------------------------------------------------

    def synced(self, seconds: float) -> bool:
        """Wait until every kind has been listed; False if that took longer.

        Raises
        ------
        Denied : the server says that we may not (the error names the kind and the verb).
        """
        until = time.monotonic() + seconds
        with self._changed:
            while not all(shelf.listed for shelf in self._shelves.values()):
                self._raise()
                for stream in self._streams:
                    if stream.refused and not self._shelves[stream.kind.name].listed:
                        raise Denied(stream.failure, status=403)
                left = until - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(min(left, 0.2))
        return True

    def age(self) -> float:
        """Seconds since the kind that was silent for longest gave a sign of life.

        A healthy watch of a kind without changes gives one a minute.
        """
        return time.monotonic() - min(stream.touched for stream in self._streams)

    @property
    def broken(self) -> str:
        """What is wrong at this moment, one line a kind; empty while all is well."""
        lines = [stream.failure for stream in self._streams if stream.failure]
        return "\n".join([self.crashed, *lines] if self.crashed else lines)

    @property
    def crashed(self) -> str:
        """A fault of ours that has ended a watch for good; a server that is away is none."""
        return "" if self._crash is None else f"internal error: {self._crash!r}"

    # -- what there is -------------------------------------------------------------------------

    def world(self, at_least: str | Mapping[str, str] = "") -> World:
        """Give the cluster as it is known now; see the module for what that means.

        It costs next to nothing: objects are handed out as they are, and nobody changes them.

        Parameters
        ----------
        at_least : a resource version: wait until every kind has been seen up to it, or one for
            each kind that matters (``{"Pod": "123"}``). Where something has happened that is a
            matter of milliseconds, since the event itself comes; a kind in which nothing happened
            has to be asked about (see ``progress``), which takes one to two seconds. The versions
            of all kinds are numbers on one scale (KEP-5504 within a kind; one etcd between kinds).

        Raises
        ------
        Unreachable : the version was not reached, or nothing listed, in ``patience`` seconds; the
            text says what is wrong with the watches.
        """
        until = time.monotonic() + self._patience
        if not self.synced(self._patience):
            raise self._late("the cluster has not been listed")
        wanted = self._wanted(at_least)
        grace = time.monotonic() + _OWN_SPEED
        with self._changed:
            while late := [name for name, v in wanted.items() if self._shelves[name].reached < v]:
                self._raise()
                now = time.monotonic()
                if now >= until:
                    raise self._late(
                        f"version {max(wanted.values())} of {', '.join(late)} not seen"
                    )
                if now >= grace:
                    for name in late:
                        self._ask(name, wanted[name])
                self._changed.wait(min(_AGAIN, max(0.0, grace - now) or _AGAIN, until - now))
            self._raise()
            return self._now()

    def _wanted(self, at_least: str | Mapping[str, str]) -> dict[str, int]:
        if not at_least:
            return {}
        if isinstance(at_least, str):
            return dict.fromkeys(self._shelves, int(at_least))
        return {name: int(version) for name, version in at_least.items() if name in self._shelves}

    def _now(self) -> World:
        given = {name: shelf.given() for name, shelf in self._shelves.items()}
        return World(
            cluster=self._cluster,
            version=self._served.version,
            taken=self._client.now(),
            resource_version=str(max(shelf.version for shelf in self._shelves.values())),
            scheduler=self._scheduler,
            objects={name: objects for name, (objects, _) in given.items()},
            evict_foreign=self._evict_foreign,
            _named={name: by_name for name, (_, by_name) in given.items()},
        )

    def _late(self, what: str) -> Unreachable:
        why = self.broken.replace("\n", "; ")
        return Unreachable(f"{what} after {self._patience:g} s" + (f": {why}" if why else ""))

    # -- events --------------------------------------------------------------------------------

    def _listed(self, name: str, version: int, objects: list[Object]) -> None:
        with self._changed:
            changes = self._shelves[name].fill(version, objects)
            self._changed.notify_all()
        self._tell(name, changes)

    def _event(self, name: str, kind: str, obj: Object, version: int) -> None:
        with self._changed:
            changes = self._shelves[name].take(kind, obj, version)
            self._changed.notify_all()
        self._tell(name, changes)

    def _tell(self, name: str, changes: list[Change]) -> None:
        for kind, obj, old in changes:
            for callback in self._callbacks:
                callback(name, kind, obj, old)

    def _crashed(self, error: Exception) -> None:
        with self._changed:
            self._crash = self._crash or error
            self._changed.notify_all()

    def _raise(self) -> None:
        if self._crash is not None:
            raise self._crash

    # -- quiet kinds ---------------------------------------------------------------------------

    def _ask(self, name: str, wanted: int) -> None:
        """Ask in a thread whether nothing has happened; one question a kind at a time."""
        if name in self._asked:
            return
        self._asked.add(name)
        thread = threading.Thread(
            target=self._prove, args=(self._served[name], self._shelves[name].version, wanted),
            name=f"progress-{name}", daemon=True,
        )  # fmt: skip
        thread.start()

    def _prove(self, kind: Kind, since: int, wanted: int) -> None:
        quiet = None
        try:
            quiet = progress(self._client, kind, since, wanted)
        except ClusterError:
            time.sleep(_AGAIN)  # whoever waits asks again, until its patience ends
        except Exception as error:
            self._crashed(error)
        with self._changed:
            if quiet is not None:
                self._shelves[kind.name].quiet = quiet
            self._asked.discard(kind.name)
            self._changed.notify_all()
