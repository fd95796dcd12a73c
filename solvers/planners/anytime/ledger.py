"""What is known in a run: the best verified plan, bounds that speak of it, and how they came."""

import time
from dataclasses import dataclass, field

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.result import Moment
from gangplan.models.tiers import Tier, better, values
from gangplan.models.verify.check import check
from gangplan.solvers.held import good_enough, no_worse, signed
from gangplan.solvers.search import Bound, Incumbent, tighter


@dataclass(slots=True, eq=False)
class Ledger:
    """One run: only a plan that keeps every rule and is better gets in.

    Attributes
    ----------
    began : of ``time.monotonic()``; moments are told from there.
    gap : relative gap at which a tier is good enough.
    best : the plan to return.
    counted, bounds : of each tier, by counting, and the best one that speaks of ``best``.
    learnt : of each tier, all others that were found: one that was held to less may speak of a plan
        of which a closer one does not.
    check_seconds : what the longest check of a plan took.
    """

    instance: Instance
    tiers: tuple[Tier, ...]
    began: float
    gap: float
    best: Incumbent
    counted: list[Bound | None] = field(default_factory=list)
    bounds: list[Bound | None] = field(default_factory=list)
    trace: list[Moment] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    check_seconds: float = 0.0
    learnt: list[list[Bound]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin the trace with the first plan."""
        self.counted = self.counted or [None] * len(self.tiers)
        self.bounds = self.bounds or list(self.counted)
        self.learnt = [[] if bound is None else [bound] for bound in self.bounds]
        self.mark()

    def mark(self) -> None:
        """Write down what is known now, unless it was known before."""
        bounds = tuple(
            None if bound is None else signed(tier, bound.value)
            for tier, bound in zip(self.tiers, self.bounds, strict=True)
        )
        last = self.trace[-1] if self.trace else None
        if last is None or (last.values, last.bounds) != (self.best.values, bounds):
            seconds = time.monotonic() - self.began
            self.trace.append(Moment(seconds, self.best.values, bounds))

    def close(self, bounds: list[Bound | None]) -> None:
        """End the trace: what is known at the end, with the bounds that the result shows."""
        self.bounds = bounds
        known = len(self.trace)
        self.mark()
        if len(self.trace) == known:
            last = self.trace[-1]
            seconds = time.monotonic() - self.began
            self.trace.append(Moment(seconds, last.values, last.bounds))

    def count(self, counted: list[Bound | None]) -> None:
        """Take bounds by counting, which hold for every plan."""
        self.counted = counted
        self.bounds = self._speaking()
        self.mark()

    def learn(self, i: int, bound: Bound) -> None:
        """Take a bound of tier i, if it speaks of the best plan."""
        self.learnt[i].append(bound)
        self.bounds = self._speaking()
        self.mark()

    def offer(self, plan: Plan, who: str, *, quiet: bool = False) -> bool:
        """Take a plan if it is better and keeps every rule; say so where it breaks one.

        Parameters
        ----------
        quiet : say nothing, as of two plans put together that need not fit.
        """
        begin = time.monotonic()
        worth = values(self.instance, plan, self.tiers)
        if not better(self.tiers, worth, self.best.values):
            return False
        broken = check(self.instance, plan)
        self.check_seconds = max(self.check_seconds, time.monotonic() - begin)
        if broken and not quiet:
            self.warnings.append(f"a plan of {who} was set aside: {broken[0].sentence}")
        if broken:
            return False
        self.best = Incumbent(plan, worth)
        self.bounds = self._speaking()
        self.mark()
        return True

    def _speaking(self) -> list[Bound | None]:
        """Return the best bound of each tier that speaks of the best plan."""
        found = list(self.counted)
        for i, bounds in enumerate(self.learnt):
            for bound in bounds:
                if no_worse(self.tiers, self.best.values, bound.certificate.held):
                    found[i] = tighter(found[i], bound)
        return found

    def away(self, i: int) -> int | None:
        """How far the plan is from the bound of tier i; None where there is no bound."""
        bound = self.bounds[i]
        return None if bound is None else self.cost(i) - bound.value

    def cost(self, i: int) -> int:
        """Value of tier i, as it is minimised."""
        return signed(self.tiers[i], self.best.values[i])

    def proven(self, i: int) -> bool:
        """Tell whether tier i and all above it are proven."""
        aways = [self.away(j) for j in range(i + 1)]
        return all(away is not None and away <= 0 for away in aways)

    def done(self, i: int) -> bool:
        """Tell whether tier i is proven, or within the gap that was asked for."""
        bound = self.bounds[i]
        return good_enough(self.cost(i), None if bound is None else bound.value, self.gap)
