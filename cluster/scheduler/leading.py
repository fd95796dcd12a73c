"""What a leader does: finish what was left over, then rounds, until it is told to stop or fenced.

A flight that ends without an end (the server stayed away, or a fault of ours) is in its journal:
what it uses stays spared, and after a while it is taken up again.
"""

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

from gangplan.cluster.carry import carry, resume_one
from gangplan.cluster.carry.journal import PREFIX, left_over, opened
from gangplan.cluster.errors import ClusterError, Fenced
from gangplan.cluster.flight import Flight
from gangplan.cluster.outcome import BOUND, LEFT, Outcome
from gangplan.cluster.scheduler.flying import Flying, Landed, groups_of
from gangplan.cluster.scheduler.log import Log
from gangplan.cluster.scheduler.metrics import Metrics
from gangplan.cluster.scheduler.queue import Queue
from gangplan.cluster.scheduler.rounds import Rounds
from gangplan.cluster.scheduler.settings import Settings
from gangplan.cluster.site import Site

_LOOK = 0.5
"""Seconds between two looks at whether we still lead, and are still wanted."""

_MOST = 30.0
"""Longest pause after rounds that failed."""


@dataclass(slots=True)
class Leading:
    """One term of office.

    Attributes
    ----------
    leads : raises ``Fenced`` when another one does. turn : called whenever the loop turns.
    """

    site: Site
    settings: Settings
    rounds: Rounds
    flying: Flying
    queue: Queue
    metrics: Metrics
    log: Log
    leads: Callable[[], None]
    turn: Callable[[], None]
    fenced: list[Fenced] = field(default_factory=list)
    failures: int = 0
    again: list[tuple[float, Flight]] = field(default_factory=list)

    def run(self, stop: Event) -> None:
        """Lead until ``stop`` is set; then give flights on their way some time to end.

        Raises
        ------
        Fenced : another one leads. ClusterError : what was left over cannot be read.
        """
        self._left_over()
        self.queue.wake()
        while not stop.is_set():
            self._look()
            if self.queue.due_in() <= 0:
                self._round()
            elif not stop.is_set():
                self.queue.pause(_LOOK)
        self._grace()

    def _grace(self) -> None:
        """Give flights on their way some time; what is left stays in its journal."""
        until = time.monotonic() + self.settings.grace
        if self.flying.active:
            self.log.info("ending: flights on their way get some time", seconds=self.settings.grace)
        while self.flying.active and time.monotonic() < until:
            self._look()
            self.queue.pause(min(_LOOK, max(0.05, until - time.monotonic())))
        self._look()
        for flight in self.flying.active:
            self.log.warning(f"{flight.name}: left in its journal gangplan-flight-{flight.key}")

    def _look(self) -> None:
        """Look around between rounds.

        Raises
        ------
        Fenced : another one leads.
        """
        self.turn()
        self.leads()
        self.flying.settle()
        for landed in self.flying.landed():
            self._landed(landed)
        if self.fenced:
            raise self.fenced[0]
        now = time.monotonic()
        due = [flight for at, flight in self.again if at <= now]
        self.again = [(at, flight) for at, flight in self.again if at > now]
        for flight in due:
            self.flying.resume(flight, _resume)
        self.metrics.flying.set(len(self.flying.active))

    def _round(self) -> None:
        try:
            self.rounds.run()
            self.failures = 0
            return
        except Fenced:
            raise
        except ClusterError as error:
            self.log.error(f"the round was given up: {error}")
        except Exception as error:  # of one cluster in one state; the next may be another
            self.log.error(
                f"the round failed: {type(error).__name__}: {error}", trace=traceback.format_exc()
            )
        self.metrics.rounds.add(outcome="failed")
        pause = min(self.settings.backoff * 2.0 ** min(self.failures, 30), _MOST)
        self.failures += 1
        self.queue.begin()
        self.queue.at(pause)

    # -- flights -------------------------------------------------------------------------------

    def _left_over(self) -> None:
        """Take up the flights that an earlier process left in their journals."""
        for written in left_over(self.site):
            try:
                flight = opened(self.site, written).flight
            except ClusterError as error:
                self.log.error(str(error))
                self.flying.bar(written["metadata"]["name"].removeprefix(PREFIX))
                continue
            self.log.info(f"{flight.name}: goes on from its journal", flight=flight.key)
            self.flying.resume(flight, _resume)

    def _landed(self, landed: Landed) -> None:
        flight, outcome = landed.flight, landed.outcome
        groups = groups_of([flight])
        if isinstance(landed.error, Fenced):
            raise landed.error
        if outcome is None or outcome.status == LEFT:
            self._come_back(landed)
            return
        self.metrics.ended(outcome)
        self._log_end(flight, outcome)
        if outcome.status == BOUND:
            self.queue.placed(groups)
        else:
            self.queue.failed(groups, costly=bool(outcome.lost or outcome.deleted))
        self.queue.wake()

    def _come_back(self, landed: Landed) -> None:
        flight, outcome, error = landed.flight, landed.outcome, landed.error
        if error is not None:
            trace = "".join(traceback.format_exception(error))
            self.log.error(f"{flight.name}: {type(error).__name__}: {error}", trace=trace)
        if outcome is not None:
            self.metrics.ended(outcome)
            self.log.warning(f"{flight.name}: left in its journal", sentences=outcome.sentences)
        self.again.append((time.monotonic() + self.settings.most_backoff, flight))

    def _log_end(self, flight: Flight, outcome: Outcome) -> None:
        fields = {
            "flight": flight.key, "bound": len(outcome.bound), "lost": outcome.lost,
            "deleted": outcome.deleted, "warnings": outcome.warnings,
        }  # fmt: skip
        say = self.log.info if outcome.status == BOUND else self.log.warning
        said = "" if outcome.status == BOUND else f": {'; '.join(outcome.sentences[-2:])}"
        say(f"{flight.name}: {outcome.status}{said}", **{k: v for k, v in fields.items() if v})


def fly(metrics: Metrics) -> Callable[[Site, Flight], Outcome]:
    """Give ``carry``, measured."""

    def measured(site: Site, flight: Flight) -> Outcome:
        with metrics.phase("carry"):
            return carry(site, flight)

    return measured


def _resume(site: Site, flight: Flight) -> Outcome:
    """Carry on from the journal; where there is none any more, nothing is left to do."""
    outcome = resume_one(site, flight.key)
    if outcome is None:
        return Outcome(flight.key, sentences=["there is no journal of it: nothing is on its way"])
    return outcome
