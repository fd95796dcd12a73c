"""Flights on their way, each in a thread; the loop plans on meanwhile, and spares what they use.

Flights that wait for nobody and those that do (for pods to leave, for devices to be ready) have
threads of their own: a pod that will not go holds up no group that could be bound now.

A flight that has ended is spared until the watches show what it did; one that ended without an end
is spared until it is taken up again.
"""

import queue
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from threading import Lock, Thread

from gangplan.cluster.flight import Flight
from gangplan.cluster.outcome import LEFT, Outcome
from gangplan.cluster.scheduler.overlay import overlaid
from gangplan.cluster.scheduler.seeing import Seeing, settled
from gangplan.cluster.scheduler.settings import Settings
from gangplan.cluster.scheduler.steady import Steady
from gangplan.cluster.site import Site
from gangplan.cluster.world import World

Carry = Callable[[Site, Flight], Outcome]


@dataclass(frozen=True, slots=True)
class Landed:
    """What became of a flight; with an ``error``, nothing is known but what the journal says."""

    flight: Flight
    outcome: Outcome | None = None
    error: Exception | None = None

    @property
    def ended(self) -> bool:
        """Whether its journal is closed."""
        return self.outcome is not None and self.outcome.status != LEFT


@dataclass(slots=True)
class _Threads:
    """Some threads, started when they are needed, and what they are to do."""

    most: int
    started: int = 0
    work: "queue.SimpleQueue[tuple[Flight, Carry]]" = field(default_factory=queue.SimpleQueue)


class Flying:
    """See the module; all but ``flights`` belongs to the loop's own thread.

    Parameters
    ----------
    site : each flight gets it with a world in which the other flights are done.
    landing : called from a flight's thread when it has ended.
    steady : is told of flights, and what happens to their nodes.
    """

    def __init__(
        self,
        site: Site,
        seeing: Seeing,
        settings: Settings,
        landing: Callable[[], None],
        steady: Steady | None = None,
    ) -> None:
        self.steady = steady or Steady()
        self._site = replace(
            site, follows=self._follow, glance=seeing.glance, checked=self.steady.checked
        )
        self._seeing = seeing
        self._landing = landing
        self._direct = _Threads(settings.direct)
        self._waiting = _Threads(settings.waiting)
        self._flights: dict[str, Flight] = {}
        self._left: dict[str, Flight] = {}
        self._settling: list[tuple[Flight, Outcome]] = []
        self._barred: set[str] = set()
        self._landed: list[Landed] = []
        self._lock = Lock()

    @property
    def flights(self) -> tuple[Flight, ...]:
        """What is on its way, or not yet to be seen. Ask before asking for the world."""
        with self._lock:
            settling = (flight for flight, _ in self._settling)
            return (*self._flights.values(), *self._left.values(), *settling)

    @property
    def active(self) -> tuple[Flight, ...]:
        """What a thread of ours carries out, or is about to."""
        with self._lock:
            return tuple(self._flights.values())

    def takes(self, flight: Flight) -> bool:
        """Whether it can start: no group of it is in another, and there is a thread to wait in."""
        busy = groups_of(self.flights)
        if flight.key in self._barred or any(member.group in busy for member in flight.members):
            return False
        return not waits(flight) or sum(map(waits, self.active)) < self._waiting.most

    def bar(self, key: str) -> None:
        """Start no flight of this key: its journal is there, and cannot be read."""
        self._barred.add(key)

    def start(self, flight: Flight, carry: Carry) -> None:
        """Carry a flight out, in a thread."""
        self._put(self._waiting if waits(flight) else self._direct, flight, carry)

    def resume(self, flight: Flight, carry: Carry) -> None:
        """Carry on a flight from its journal; it may wait for anything, and a thread is made."""
        self._waiting.most += 1
        self._put(self._waiting, flight, carry)

    def landed(self) -> list[Landed]:
        """Give what has ended since the last call."""
        with self._lock:
            landed, self._landed = self._landed, []
        return landed

    def settle(self) -> None:
        """Spare no longer what the watches show.

        Raises
        ------
        Unreachable : they show nothing.
        """
        if not self._settling:
            return
        world = self._seeing.now()
        with self._lock:
            self._settling = [
                (flight, outcome)
                for flight, outcome in self._settling
                if not settled(world, flight, outcome)
            ]

    def _put(self, threads: _Threads, flight: Flight, carry: Carry) -> None:
        with self._lock:
            self._left.pop(flight.key, None)
            self._flights[flight.key] = flight
        threads.work.put((flight, carry))
        if threads.started < threads.most:
            threads.started += 1
            # Daemons: what still waits at the end of the process is left in its journal.
            name = f"flight-{threads.started}"
            Thread(target=self._work, args=(threads,), name=name, daemon=True).start()

    def _work(self, threads: _Threads) -> None:
        while True:
            flight, carry = threads.work.get()
            exact = waits(flight) or threads is self._waiting
            try:
                landed = Landed(flight, outcome=carry(self._at(flight.key, exact), flight))
            except Exception as error:  # told and acted upon by the loop
                landed = Landed(flight, error=error)
            with self._lock:
                self._end(landed)
            self._landing()

    def _at(self, key: str, exact: bool) -> Site:
        """Give the site of a flight: in its world all others have their room.

        What is known without waiting does for a first look, before anything is written. A second
        one comes in trouble, and has to see what the flight itself has done.
        """
        looks = [self._seeing.exact if exact else self._seeing.now, self._seeing.exact]

        def world() -> World:
            look = looks.pop(0) if len(looks) > 1 else looks[0]
            others = [flight for flight in self.flights if flight.key != key]
            return overlaid(look(), others, cleared=False)

        return replace(self._site, world=world)

    def _end(self, landed: Landed) -> None:
        # As it was in the end: pods may have gone elsewhere.
        flight = self._flights.pop(landed.flight.key)
        self.steady.end(flight)
        if landed.ended:
            assert landed.outcome is not None
            self._settling.append((flight, landed.outcome))
        else:
            self._left[flight.key] = flight
        self._landed.append(replace(landed, flight=flight))

    def _follow(self, flight: Flight) -> None:
        """Take note that a flight goes elsewhere: its pods now use other nodes."""
        with self._lock:
            if flight.key in self._flights:
                self._flights[flight.key] = flight
                self.steady.follow(flight)


def waits(flight: Flight) -> bool:
    """Whether a flight waits for pods to leave, or for devices to be ready."""
    return bool(flight.fallings) or any(
        result.get("bindingConditions")
        for one in flight.allocatings
        for result in ((one.allocation or {}).get("devices") or {}).get("results") or ()
    )


def groups_of(flights: Iterable[Flight]) -> frozenset[str]:
    """Give the groups of flights."""
    return frozenset(member.group for flight in flights for member in flight.members)
