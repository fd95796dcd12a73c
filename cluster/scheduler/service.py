"""The scheduler as a process: watches, the lease, one term as leader after another, and an end."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

from gangplan.cluster.client import Client
from gangplan.cluster.discovery import Served, discover
from gangplan.cluster.errors import ApiError, ClusterError, Fenced, Unreachable
from gangplan.cluster.lock import Lock, new_holder
from gangplan.cluster.scheduler.flying import Flying
from gangplan.cluster.scheduler.leading import Leading, fly
from gangplan.cluster.scheduler.log import Log
from gangplan.cluster.scheduler.metrics import Metrics
from gangplan.cluster.scheduler.planning import Planning
from gangplan.cluster.scheduler.queue import Queue
from gangplan.cluster.scheduler.reading import Reading
from gangplan.cluster.scheduler.rounds import Rounds
from gangplan.cluster.scheduler.saying import Saying
from gangplan.cluster.scheduler.screening import Screening
from gangplan.cluster.scheduler.seeing import Seeing
from gangplan.cluster.scheduler.serve import Health, Serving
from gangplan.cluster.scheduler.settings import Settings
from gangplan.cluster.scheduler.starving import Starving
from gangplan.cluster.scheduler.steady import Steady
from gangplan.cluster.scheduler.teller import Teller
from gangplan.cluster.scheduler.wakes import matters
from gangplan.cluster.site import Site
from gangplan.cluster.watched import Watched
from gangplan.cluster.world import Object

_SYNC = 60.0
"""Seconds for the first lists."""

_STANDBY = 5.0
"""Seconds between two signs of life of who waits for the lease."""

_TURN = 0.0005
"""Seconds of Python that a thread may do while others wait for their turn; usual are 0.005."""

_LAST_WORDS = 1.0
"""Seconds for events that nobody has written yet."""

_ON_THE_WIRE = 2.0
"""Seconds for requests that are on the wire when we end, before the lease is given up."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an operator asks for.

    Attributes
    ----------
    namespace : of the lease and the journals. scheduler : schedulerName of the pods that are ours.
    listen : ``ADDRESS:PORT`` of metrics and health; empty: none.
    stand_by : wait for the lease again when another one has taken it, instead of ending.
    """

    namespace: str
    scheduler: str
    evict_foreign: bool = False
    listen: str = ""
    stand_by: bool = False
    settings: Settings = field(default_factory=Settings)


class Service:
    """One scheduler process.

    Parameters
    ----------
    client : without a guard.

    Attributes
    ----------
    left : flights that were on their way at the end; they are in their journals.
    """

    def __init__(self, client: Client, wanted: Wanted, log: Log) -> None:
        self.wanted = wanted
        self.log = log
        self.metrics = Metrics()
        self.health = Health()
        self.left = 0
        self._client = client.noting(self.metrics.failed_request)
        self._queue = Queue(wanted.settings)
        self._steady = Steady()

    def run(self, stop: Event) -> None:
        """Work until ``stop`` is set.

        Raises
        ------
        Fenced : another one leads, and we are not to stand by.
        ClusterError : the server cannot be reached at the start, or lacks what we need.
        """
        # A thread of requests needs little, and would wait long for it behind a plan in the making.
        sys.setswitchinterval(_TURN)
        listen = self.wanted.listen
        serving = Serving(listen, self.metrics, self.health) if listen else None
        try:
            served = discover(self._client)
            for sentence in served.missing:
                self.log.warning(sentence)
            watched = self._watch(served)
            try:
                self._terms(served, watched, stop)
            finally:
                watched.stop()
        finally:
            if serving is not None:
                serving.stop()

    def _watch(self, served: Served) -> Watched:
        wanted = self.wanted
        watched = Watched(
            self._client, served, wanted.scheduler, evict_foreign=wanted.evict_foreign
        )
        watched.subscribe(self._event)
        self.health.ready_if(
            lambda: "" if watched.synced(0.0) else "the lists are not complete yet"
        )
        self.health.ready_if(lambda: watched.broken)
        self.health.alive_if(lambda: watched.crashed)  # a server that is away needs no restart
        watched.start()
        if not watched.synced(_SYNC):
            watched.stop()
            raise ClusterError(
                f"{self._client.server}: the lists are not complete after {_SYNC:.0f} s: "
                f"{watched.broken or 'too slow'}"
            )
        return watched

    def _event(self, kind: str, type: str, obj: Object, old: Object | None) -> None:
        new = None if type == "DELETED" else obj
        self._steady.event(kind, new, old)
        if matters(kind, new, old, self.wanted.scheduler):
            self._queue.wake()

    def _terms(self, served: Served, watched: Watched, stop: Event) -> None:
        holder = new_holder()
        self.log.info("waiting for the lease", holder=holder, server=self._client.server)
        # One lock for good: what it has seen of the lease is how it knows that a holder is silent.
        lock = Lock(self._client, self.wanted.namespace, holder, say=self.log.saying())
        while not stop.is_set():
            if not self._acquired(lock, stop):
                continue
            self.log.info("leading", holder=holder)
            self.metrics.leader.set(1)
            try:
                self._term(served, watched, lock, stop)
            except Fenced as error:
                if not self.wanted.stand_by:
                    raise
                self.log.warning(f"standing by: {error}")
            finally:
                self.metrics.leader.set(0)

    def _acquired(self, lock: Lock, stop: Event) -> bool:
        self.health.turn()
        try:
            return lock.acquire(_STANDBY, stop) and not stop.is_set()
        except (Unreachable, ApiError) as error:
            if isinstance(error, ApiError) and error.status < 500:
                raise
            self.log.warning(f"the lease cannot be read: {error}")
            return False

    def _term(self, served: Served, watched: Watched, lock: Lock, stop: Event) -> None:
        """Lead once; then write nothing more, and give the lease up."""
        ended = Event()

        def guard() -> None:
            if ended.is_set():
                raise Fenced("this process is ending")
            lock.guard()

        saying = Saying(self.log.saying())
        leading, teller = self._made(served, watched, lock.holder, guard, saying)
        teller.start()
        saying.start()
        try:
            leading.run(stop)
            saying.stop(_LAST_WORDS)
        finally:
            ended.set()
            saying.stop(0.0)
            teller.stop()
            self.left = len(leading.flying.active)
            if lock.leads and self.left:
                time.sleep(_ON_THE_WIRE)
            lock.release()

    def _made(
        self,
        served: Served,
        watched: Watched,
        holder: str,
        guard: Callable[[], None],
        saying: Saying,
    ) -> tuple[Leading, Teller]:
        wanted, settings, log, metrics = self.wanted, self.wanted.settings, self.log, self.metrics
        seeing = Seeing(self._client, watched)
        site = Site(
            self._client.guarded(guard), served, seeing.exact, holder, wanted.scheduler,
            wanted.namespace, wanted.evict_foreign, log.saying(), later=saying.later,
        )  # fmt: skip
        flying = Flying(site, seeing, settings, self._queue.poke, self._steady)
        fenced: list[Fenced] = []
        teller = Teller(site, settings, fenced.append)
        screening = Screening(site, seeing, flying, fly(metrics), metrics)
        planning = Planning(settings, metrics, log)
        starving = Starving(settings, log.saying())
        reading = Reading(metrics, log)
        rounds = Rounds(
            settings, seeing, reading, planning, screening, flying, self._queue, starving, teller,
            metrics, log,
        )  # fmt: skip
        leading = Leading(
            site, settings, rounds, flying, self._queue, metrics, log, guard, self.health.turn,
            fenced,
        )  # fmt: skip
        return leading, teller
