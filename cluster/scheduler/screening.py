"""Flights of a fresh plan against the newest world: which may start, which must wait, which not.

The world moves while a planner works. So each flight is held against the world as it is now, in
which the victims of flights on their way still hold their room: a flight that lands where they
leave starts when they have left.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from gangplan.cluster import checks
from gangplan.cluster.carry import nearby
from gangplan.cluster.errors import Changed
from gangplan.cluster.flight import Flight
from gangplan.cluster.scheduler.flying import Carry, Flying, waits
from gangplan.cluster.scheduler.metrics import Metrics
from gangplan.cluster.scheduler.overlay import leaving_nodes, overlaid
from gangplan.cluster.scheduler.planning import Planned
from gangplan.cluster.scheduler.seeing import Seeing
from gangplan.cluster.site import Site
from gangplan.cluster.world import World


@dataclass(slots=True)
class Screened:
    """What became of the flights of a plan.

    Attributes
    ----------
    started : they are on their way.
    later : they land where somebody is about to leave.
    busy : a flight of the same group is out, or too many wait already.
    refused : flight -> sentences: the cluster has changed, or refuses.
    """

    started: list[Flight] = field(default_factory=list)
    later: list[Flight] = field(default_factory=list)
    busy: list[Flight] = field(default_factory=list)
    refused: list[tuple[Flight, tuple[str, ...]]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A world to check against, and the number of an event that it knows of."""

    world: World
    number: int


@dataclass(frozen=True, slots=True)
class Screening:
    """Checks flights, and starts those that pass."""

    site: Site
    seeing: Seeing
    flying: Flying
    carry: Carry
    metrics: Metrics

    def start(self, planned: Planned) -> Screened:
        """Start what can be started, in the plan's order.

        Raises
        ------
        ClusterError : the server does not let us look.
        """
        found = Screened()
        flights: list[Flight] = []
        for flight in planned.flights:
            (flights if self.flying.takes(flight) else found.busy).append(flight)
        if not flights:
            return found
        with self.metrics.phase("check"):
            number = self.flying.steady.number
            on_their_way = self.flying.flights
            seen = _Seen(self.seeing.now(), number)
            leaving = leaving_nodes(seen.world, (*on_their_way, *flights))
            tied = {one.key for one in flights if waits(one) or leaving & {*one.nodes}}
            together = [one for one in flights if one.key not in tied]
            self._together(seen, planned, together, found)
            for flight in flights:
                if flight.key in tied:
                    self._alone(seen, planned, flight, found, leaving)
        return found

    def _together(
        self, seen: _Seen, planned: Planned, flights: Sequence[Flight], found: Screened
    ) -> None:
        """Check all at once, which is cheap; where that fails, each in its surroundings.

        The first ones are on their way while the server is still asked about the others.
        """
        if not flights:
            return
        together = not self._wrong(seen.world, planned, flights, rehearse=False)
        for flight in flights:
            if not together:
                self._alone(seen, planned, flight, found)
            elif wrong := self._refused(flight):
                found.refused.append((flight, wrong))
            else:
                self._start(seen, flight, found)

    def _refused(self, flight: Flight) -> tuple[str, ...]:
        try:
            checks.rehearsed(self.site, [flight])
        except Changed as error:
            return error.sentences
        return ()

    def _alone(
        self,
        seen: _Seen,
        planned: Planned,
        flight: Flight,
        found: Screened,
        leaving: frozenset[str] = frozenset(),
    ) -> None:
        if not self.flying.takes(flight):
            found.busy.append(flight)
            return
        wrong = self._wrong(seen.world, planned, [flight])
        if not wrong:
            self._start(seen, flight, found)
        elif leaving & {*flight.nodes} and not _makes_room(flight, leaving):
            found.later.append(flight)
        else:
            found.refused.append((flight, wrong))

    def _wrong(
        self, world: World, planned: Planned, flights: Sequence[Flight], *, rehearse: bool = True
    ) -> tuple[str, ...]:
        others = self.flying.flights
        near = nearby(world, flights[0], others) if len(flights) == 1 else world
        now = overlaid(near, others, cleared=False)
        try:
            checks.before(
                self.site, now, planned.document, flights, max_age=None, strict=False,
                rehearse=rehearse,
            )  # fmt: skip
        except Changed as error:
            return error.sentences
        return ()

    def _start(self, seen: _Seen, flight: Flight, found: Screened) -> None:
        self.flying.steady.begin(flight, seen.world, seen.number)
        self.flying.start(flight, self.carry)
        found.started.append(flight)


def _makes_room(flight: Flight, leaving: frozenset[str]) -> bool:
    """Whether all that leaves where a flight lands are its own victims."""
    return leaving & {*flight.nodes} <= {falling.node for falling in flight.fallings}
