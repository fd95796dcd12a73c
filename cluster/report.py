"""What ``apply`` did and what was lost with it, for people and as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from gangplan.cluster.flight import Flight
from gangplan.cluster.outcome import BOUND, Outcome

SCHEMA = "gangplan/report/v1"


@dataclass(slots=True)
class Report:
    """The whole of it.

    Attributes
    ----------
    flights : of the plan, in the order in which they are carried out.
    carried : whether anything was to be written (``--yes``); without it all was only checked.
    outcomes : of the flights begun, in that order. resumed : of flights that an earlier process
        had left.
    waiting : group -> why the plan leaves it waiting; told to the groups where ``carried``.
    warnings : what somebody should look into.
    stopped : why flights were left out or left in their journals; empty where none was.
    interrupted : by Ctrl-C.
    """

    flights: tuple[Flight, ...]
    carried: bool
    outcomes: list[Outcome] = field(default_factory=list)
    resumed: list[Outcome] = field(default_factory=list)
    waiting: Mapping[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    stopped: str = ""
    interrupted: bool = False

    @property
    def as_planned(self) -> bool:
        """Whether every pod of every flight got the node planned; of a check, that it may."""
        if not self.carried:
            return True
        done = [o for o in self.outcomes if o.status == BOUND and not o.elsewhere]
        return len(done) == len(self.flights) and not self.stopped

    def named(self, key: str) -> str:
        """Name of a flight; its key where it is not of this plan."""
        return next((flight.name for flight in self.flights if flight.key == key), key)

    def sentences(self) -> tuple[str, ...]:
        """Say what was done and lost, a line each."""
        lines = [self._counts()]
        for what in ("lost", "deleted", "allocated"):
            found = [name for o in (*self.resumed, *self.outcomes) for name in getattr(o, what)]
            if found:
                lines.append(f"{what}: {', '.join(found)}")
        for outcome in (*self.resumed, *self.outcomes):
            name = self.named(outcome.flight)
            if outcome.status != BOUND or outcome.elsewhere:
                told = "; ".join(outcome.sentences) or "no reason given"
                lines.append(f"{name}: {outcome.status}: {told}")
            for pod in outcome.elsewhere:
                node = outcome.bound.get(pod, "another node")
                lines.append(f"{name}: {pod} is on {node}, not where it was planned")
            lines += [f"warning: {name}: {said}" for said in outcome.warnings]
        lines += [f"warning: {said}" for said in self.warnings]
        if self.stopped:
            lines.append(f"stopped: {self.stopped}")
        return tuple(lines)

    def as_json(self) -> dict[str, Any]:
        """Give plain dictionaries and lists."""
        return {
            "schema": SCHEMA,
            "carried": self.carried,
            "as_planned": self.as_planned,
            "flights": [_entry(flight) for flight in self.flights],
            "outcomes": [asdict(outcome) for outcome in self.outcomes],
            "resumed": [asdict(outcome) for outcome in self.resumed],
            "waiting": dict(self.waiting),
            "warnings": list(self.warnings),
            "stopped": self.stopped,
        }

    def _counts(self) -> str:
        if not self.carried:
            pods = sum(len(flight.placings) for flight in self.flights)
            falls = sum(len(flight.fallings) for flight in self.flights)
            claims = sum(a.allocation is not None for f in self.flights for a in f.allocatings)
            return (
                f"would bind {_many(pods, 'pod')}, evict {falls} and allocate"
                f" {_many(claims, 'claim')} in {_many(len(self.flights), 'flight')};"
                f" {_many(len(self.waiting), 'group')} would wait"
            )
        bound = sum(len(outcome.bound) for outcome in self.outcomes)
        done = sum(outcome.status == BOUND for outcome in self.outcomes)
        lost = sum(len(outcome.lost) for outcome in self.outcomes)
        return (
            f"{done} of {_many(len(self.flights), 'flight')} done: {_many(bound, 'pod')} bound,"
            f" {lost} evicted; waiting: {_many(len(self.waiting), 'group')}"
        )


def _many(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _entry(flight: Flight) -> dict[str, Any]:
    return {
        "key": flight.key,
        "groups": [member.group for member in flight.members],
        "priority": flight.priority,
        "pods": {placing.pod: placing.node for placing in flight.placings},
        "evictions": [falling.pod for falling in flight.fallings],
        "claims": [one.claim for one in flight.allocatings if one.allocation is not None],
    }
