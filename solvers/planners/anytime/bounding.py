"""Which tier is bounded next by the duals of its relaxation, and what those above it are held to.

A relaxation is held to a plan, and speaks of plans that are no worse in each tier above its own.
Where units can fall plans get better in all tiers at a time, the bounds of the first few are wanted
soon, and a plan that admits one more may lose more. So they are bounded ahead of their turn, held
to a little less than the plan has, and again when they have come from further away and at the end.
"""

import time
from dataclasses import dataclass, field

from gangplan.models.tiers import Tier
from gangplan.solvers.held import signed
from gangplan.solvers.planners.anytime.ledger import Ledger

AHEAD = 0.3
"""Part of the whole time that bounds ahead of their turn may take in all, each once."""

AGAIN = 20
"""Times what it took that a bound rests before it is found again for a better plan."""

LAST = 1.5
"""Times what all bounds took before the end that they are found for the last time."""

SLACK = {"lost": 16, "admitted": 512}
"""Parts of a value of such a tier of which one is not held, as long as the tier is open. What is
lost hardly tells on the bounds below; pods of those who get in do."""

Held = tuple[int, ...]


@dataclass(slots=True, eq=False)
class Bounding:
    """What was bounded, when, and at what cost.

    Attributes
    ----------
    ledger : the plan to hold to.
    until : end of the run, of ``time.monotonic()``.
    ahead : tiers are bounded before their turn.
    last, ended, took : tier -> what it was held to last, when its bound came, after how long.
    closing : tiers that were bounded for the last time.
    """

    ledger: Ledger
    until: float
    ahead: bool
    asked: dict[int, set[Held]] = field(default_factory=dict)
    last: dict[int, Held] = field(default_factory=dict)
    ended: dict[int, float] = field(default_factory=dict)
    took: dict[int, float] = field(default_factory=dict)
    closing: set[int] = field(default_factory=set)

    def held(self, i: int) -> Held:
        """Return what tiers above i are held to: near the end, to what the plan has."""
        tiers, worth = self.ledger.tiers[:i], self.ledger.best.values
        if not self.ahead or self._ending():
            return worth[:i]
        return tuple(
            value if self.ledger.proven(j) or j == 0 else _less(tier, value)
            for j, (tier, value) in enumerate(zip(tiers, worth, strict=False))
        )

    def due(self, i: int) -> int | None:
        """Return the tier to bound now that tier i has its turn; None where none is."""
        if not self.ahead:
            return i if self._new(i) else None
        first = self._first(i)
        return first if first is not None else self._another()

    def begun(self, i: int, held: Held) -> None:
        """Write down that tier i is being bounded."""
        self.asked.setdefault(i, set()).add(held)
        self.last[i] = held
        if self._ending() and i in self.ended:
            self.closing.add(i)

    def done(self, i: int, seconds: float) -> None:
        """Write down what it took."""
        self.ended[i], self.took[i] = time.monotonic(), seconds

    def _ending(self) -> bool:
        return self.until - time.monotonic() < LAST * sum(self.took.values())

    def _new(self, i: int) -> bool:
        return self.held(i) not in self.asked.get(i, ())

    def _first(self, i: int) -> int | None:
        """Return the first tier from i on that has not been bounded, if there is time for it."""
        for j in range(i, len(self.ledger.tiers)):
            if j in self.last or self.ledger.done(j):
                continue
            spent, next_one = sum(self.took.values()), min(self.took.values(), default=0.0)
            most = AHEAD * (self.until - self.ledger.began)
            return j if j == i or spent + next_one <= most else None
        return None

    def _another(self) -> int | None:
        """Return a tier whose bound speaks of a plan that is long gone; near the end each once."""
        now, ending = time.monotonic(), self._ending()
        for j in sorted(self.ended):
            if self.ledger.done(j) or not self._new(j) or j in self.closing:
                continue
            if ending or now - self.ended[j] > AGAIN * self.took[j]:
                return j
        return None


def _less(tier: Tier, value: int) -> int:
    """Return a value a little worse than this one."""
    parts = SLACK.get(tier.kind)
    if parts is None:
        return value
    slack = -(-abs(value) // parts)
    return value + signed(tier, slack)
