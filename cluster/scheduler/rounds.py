"""One round: the world, a plan, checks, and flights that start.

A second plan follows where flights of the first land in room that others are about to leave: who
fits beside those that leave is not kept waiting by them. In that plan nobody is evicted.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gangplan.cluster.flight import Flight
from gangplan.cluster.scheduler.flying import Flying, groups_of
from gangplan.cluster.scheduler.log import Log
from gangplan.cluster.scheduler.metrics import Metrics
from gangplan.cluster.scheduler.overlay import group_of, overlaid, waits, without
from gangplan.cluster.scheduler.planning import Planned, Planning
from gangplan.cluster.scheduler.queue import Queue
from gangplan.cluster.scheduler.reading import Reading
from gangplan.cluster.scheduler.screening import Screened, Screening
from gangplan.cluster.scheduler.seeing import Seeing
from gangplan.cluster.scheduler.settings import Settings
from gangplan.cluster.scheduler.starving import Starving
from gangplan.cluster.scheduler.teller import Teller
from gangplan.cluster.world import World


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
        more = self._beside(screened) if screened.later else Screened()
        self._close(base, planned, [screened, more])

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

    def _beside(self, first: Screened) -> Screened:
        """Plan who still waits beside those that leave."""
        flights = self.flying.flights
        world = overlaid(self.seeing.now(), flights, cleared=False)
        out = self.queue.resting() | groups_of(one for one, _ in first.refused)
        world = without(world, out)
        instance = self.reading.instance(self.starving.over(world))
        if not instance.n_pods:
            return Screened()
        planned = self.planning.plan(instance, world, preemption=False)
        screened = self.screening.start(planned, evicting=False)
        self._count(planned, screened)
        return screened

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
        reasons = {k: v for k, v in reasons.items() if k not in groups_of(started)}
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
