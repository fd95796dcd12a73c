"""What the scheduler counts: one attribute a metric (docs/operate.md has them for operators)."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from gangplan.cluster.outcome import Outcome
from gangplan.cluster.scheduler.exposition import Counter, Gauge, Histogram, Instrument, text_of

PHASES = ("world", "plan", "check", "carry")
"""Of a round: the cluster made numeric, the planner, the checks, one flight carried out."""

ROUNDS = ("planned", "nothing", "failed")
"""Ends of a round: something was planned, nothing could be, or neither planner answered."""

_SECONDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)


class Metrics:
    """All metrics of one scheduler."""

    def __init__(self) -> None:
        self.rounds = Counter("gangplan_rounds_total", "Rounds of planning, by end.", ["outcome"])
        self.phase_seconds = Histogram(
            "gangplan_phase_seconds", "Seconds of each phase of a round.", _SECONDS, ["phase"]
        )
        self.planned_pods = Counter("gangplan_pods_planned_total", "Pods that plans gave a node.")
        self.bound_pods = Counter("gangplan_pods_bound_total", "Pods bound.")
        self.evicted_pods = Counter("gangplan_pods_evicted_total", "Pods evicted.")
        self.deleted_pods = Counter(
            "gangplan_pods_deleted_total",
            "Pods bound and deleted again, since their group could not be completed.",
        )
        self.waiting_groups = Gauge("gangplan_groups_waiting", "Groups that wait for room.")
        self.set_aside = Gauge(
            "gangplan_objects_set_aside", "Objects that cannot be read, and are left out."
        )
        self.flights = Counter("gangplan_flights_total", "Flights that ended, by end.", ["outcome"])
        self.flying = Gauge("gangplan_flights_on_their_way", "Flights that have not ended.")
        self.fallbacks = Counter(
            "gangplan_fallbacks_total", "Rounds in which the greedy planner had to help out."
        )
        self.conflicts = Counter(
            "gangplan_conflicts_total", "Plans refused since the cluster had changed."
        )
        self.api_errors = Counter(
            "gangplan_api_errors_total",
            "Requests without success, by verb and HTTP status (0: no answer).",
            ["verb", "code"],
        )
        self.leader = Gauge("gangplan_leader", "1 while this process leads.")
        self.gap = Gauge(
            "gangplan_round_gap", "Largest gap of a tier of the last round; NaN before one."
        )
        self.proven = Gauge(
            "gangplan_round_proven", "1 if every tier of the last round is proven optimal."
        )
        self.gap.set(float("nan"))

    @property
    def instruments(self) -> tuple[Instrument, ...]:
        """All of them, in the order above."""
        return tuple(one for one in vars(self).values() if isinstance(one, Instrument))

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure a phase (``PHASES``), also one that ends in an error.

        Raises
        ------
        ValueError : there is no such phase.
        """
        if name not in PHASES:
            raise ValueError(f"a round has no phase {name}: {', '.join(PHASES)}")
        began = time.monotonic()
        try:
            yield
        finally:
            self.phase_seconds.observe(time.monotonic() - began, phase=name)

    def ended(self, outcome: Outcome) -> None:
        """Count what one flight did."""
        self.flights.add(outcome=outcome.status)
        self.bound_pods.add(len(outcome.bound))
        self.evicted_pods.add(len(outcome.lost))
        self.deleted_pods.add(len(outcome.deleted))

    def failed_request(self, verb: str, code: int) -> None:
        """Count a request that had no success; made for ``Client.noting``."""
        self.api_errors.add(verb=verb, code=str(code))

    def text(self) -> str:
        """Give all of them in Prometheus' text format."""
        return text_of(self.instruments)
