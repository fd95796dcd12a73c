"""One round: the world, a plan, checks, and flights that start.

Where a flight lands in room that others are about to leave, it is planned once more, beside those
that leave and with nobody evicted: who can go elsewhere is not kept waiting by them. One after the
other, by priority: room that the first of them waits for is not given to the second.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from gangplan.cluster.flight import Flight
from gangplan.cluster.scheduler.flying import Flying, groups_of
from gangplan.cluster.scheduler.log import Log
from gangplan.cluster.scheduler.metrics import Metrics
from gangplan.cluster.scheduler.overlay import group_of, only, overlaid, waits, without
from gangplan.cluster.scheduler.planning import Planned, Planning
from gangplan.cluster.scheduler.queue import Queue
from gangplan.cluster.scheduler.reading import Reading
from gangplan.cluster.scheduler.screening import Screened, Screening
from gangplan.cluster.scheduler.seeing import Seeing
from gangplan.cluster.scheduler.settings import Settings
from gangplan.cluster.scheduler.starving import Starving
from gangplan.cluster.scheduler.teller import Teller
from gangplan.cluster.world import World

_BESIDE = 3
"""Flights that are planned once more in a round: each is a plan of its own."""


@dataclass(slots=True)
class Rounds:
    """What rounds need, and what one leaves to the next.

    Attributes
    ----------
    pending : groups that the last round could not place. refusals : rounds in a row of which
        something was refused.
    """

    settings: Settings
    seeing: Seeing
    reading: Reading
    planning: Planning
    screening: Screening
    flying: Flying
    queue: Queue
    starving: Starving
    teller: Teller
    metrics: Metrics
    log: Log
    pending: frozenset[str] = frozenset()
    refusals: int = field(default=0)

    def run(self) -> None:
        """Run one round.

        Raises
        ------
        Fenced : another one leads. ClusterError : the server does not answer, or refuses.
        GangplanError : no planner could plan this cluster.
        """
        self.queue.begin()
        flights = self.flying.flights
        with self.metrics.phase("world"):
            world = self.seeing.now()
            base = without(overlaid(world, flights, cleared=True), self.queue.resting())
        self.queue.forget(
            group_of(pod) for pod in world.objects.get("Pod", ()) if waits(pod, world.scheduler)
        )
        if not any(waits(pod, world.scheduler) for pod in base.objects.get("Pod", ())):
            self._nothing(base)
            return
        planned = self._planned(base)
        if planned is None:
            return
        screened = self.screening.start(planned)
        self._count(planned, screened)
        self._close(base, planned, [screened, *self._beside(screened.later)])

    def _planned(self, base: World) -> Planned | None:
        again = self.starving.look(base, self.pending)
        if again is not None:
            self.queue.at(again)
        with self.metrics.phase("world"):
            instance = self.reading.instance(self.starving.over(base))
        if not instance.n_pods:
            self._nothing(base)
            return None
        return self.planning.plan(instance, base)

    def _nothing(self, base: World) -> None:
        self.metrics.rounds.add(outcome="nothing")
        self.metrics.waiting_groups.set(0)
        self.pending = frozenset()
        self.starving.look(base, ())
        self.queue.waiting((), proven=True)
        self.teller.tell(base, {})

    def _beside(self, later: list[Flight]) -> Iterator[Screened]:
        """Plan flights beside those that leave, where they would have to wait for them."""
        kept: list[Flight] = []
        for flight in later[:_BESIDE]:
            flights = (*self.flying.flights, *kept)
            world = only(overlaid(self.seeing.now(), flights, cleared=False), groups_of([flight]))
            instance = self.reading.instance(self.starving.over(world), whole=False)
            screened = Screened()
            if instance.n_pods:
                planned = self.planning.plan(instance, world, preemption=False)
                screened = self.screening.start(planned)
                self._count(planned, screened)
            if not screened.started:
                kept.append(flight)
            yield screened

    def _count(self, planned: Planned, screened: Screened) -> None:
        self.metrics.planned_pods.add(sum(len(one.placings) for one in planned.flights))
        for flight, sentences in screened.refused:
            self.metrics.conflicts.add()
            self.log.info(
                f"{flight.name}: planned again: {sentences[0]}", sentences=list(sentences)
            )

    def _close(self, base: World, planned: Planned, screened: Iterable[Screened]) -> None:
        """Say when to come back for those who wait, and why they do."""
        started = [flight for one in screened for flight in one.started]
        refused = [pair for one in screened for pair in one.refused]
        self.metrics.rounds.add(outcome="planned" if planned.flights else "nothing")
        reasons = {**planned.pending, **_refusals(refused)}
        going = groups_of(started)
        reasons = {name: why for name, why in reasons.items() if name not in going}
        self.metrics.waiting_groups.set(len(reasons))
        self.pending = frozenset(planned.pending.keys() - planned.held)
        self.queue.waiting(self.pending, proven=planned.proven)
        self._refused([flight for flight, _ in refused])
        self.teller.tell(base, reasons)

    def _refused(self, flights: list[Flight]) -> None:
        """Plan again at once what the cluster has moved away from, a few times in a row."""
        self.refusals = self.refusals + 1 if flights else 0
        if not flights:
            return
        if self.refusals <= self.settings.at_once:
            self.queue.wake()
        else:
            self.queue.failed(groups_of(flights))


def _refusals(refused: Iterable[tuple[Flight, tuple[str, ...]]]) -> Mapping[str, str]:
    return {
        member.group: f"refused: {sentences[0]}"
        for flight, sentences in refused
        for member in flight.members
    }
