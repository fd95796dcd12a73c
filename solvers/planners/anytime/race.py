"""Bounds and neighbourhoods side by side, tier after tier, until all is proven or time is up.

This process only hands out jobs, compares and verifies what comes back; see ``crew`` for what
happens to a job that crashes or does not end.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from gangplan.models.formulation import Kind
from gangplan.solvers.base import Limits, Progress, Solver
from gangplan.solvers.crew.crew import Crew, Word
from gangplan.solvers.planners.anytime.bounding import Bounding, Held
from gangplan.solvers.planners.anytime.choose import Chooser, Pick
from gangplan.solvers.planners.anytime.ledger import Ledger
from gangplan.solvers.planners.anytime.merge import merged
from gangplan.solvers.planners.anytime.near import Near, near
from gangplan.solvers.planners.anytime.whole import Errand, Finding, again, count, finish, relax
from gangplan.solvers.search import Bound, Incumbent
from gangplan.solvers.staged import SHARE

SMALL = 20_000
"""Cells of the model up to which the whole is searched from the beginning, beside neighbourhoods.
"""

SMALL_DEEP = 1_000
"""The same where units can fall: all tiers of a part are searched in the time of one of the whole.
"""

BOUNDING = 0.75
"""Part of the time of a tier that the duals of its relaxation may take."""

NARROW = 0.003
"""Gap of a tier below which the whole is searched too: few columns are of use then."""

TRIES = 8
"""Picks in a row without a candidate after which the chooser is left alone for a while."""

EARLY = 0.3
"""Seconds before its end that a solver is told to stop, so that what it has is not lost."""

PATIENCE = 5.0
"""Seconds past its limit, and half of that on top, that a neighbourhood may go on before a kill."""

STALE = 1.0
"""Seconds that a job on a tier that is done by now may have run, and still go on: it may be about
to end, and a new process has to begin anew."""

FAILURES = 5
"""After so many jobs of a kind that failed, no more of it are begun."""


@dataclass(frozen=True, slots=True, eq=False)
class _Flight:
    """A job under way: what it is, on which tier, and what it began from."""

    what: str
    i: int
    base: Incumbent
    pick: Pick | None = None
    began: float = field(default_factory=time.monotonic)


@dataclass(slots=True, eq=False)
class Race:
    """One run.

    Attributes
    ----------
    until : when it ends, of ``time.monotonic()``.
    kinds : formulations of the whole, the first that takes the instance is used.
    parts : parts can be cut out; found out by trying.
    greedy : seconds for a better greedy plan, beside the rest; 0 for none.
    """

    ledger: Ledger
    crew: Crew
    chooser: Chooser
    kinds: tuple[Kind, ...]
    solver: str | Solver
    limits: Limits
    until: float
    progress: Progress
    second: bool = False
    parts: bool = True
    greedy: float = 0.0
    flights: dict[int, _Flight] = field(default_factory=dict)
    cells: dict[int, int] = field(default_factory=dict)
    tier_until: dict[int, float] = field(default_factory=dict)
    passed: set[int] = field(default_factory=set)
    counted: bool = False
    finished: set[tuple[object, ...]] = field(default_factory=set)
    failures: dict[str, int] = field(default_factory=dict)
    told: str = ""
    deep: bool = field(init=False)
    bounding: Bounding = field(init=False)

    def __post_init__(self) -> None:
        """Where units can fall, all tiers are in play at a time."""
        self.deep = len(self.ledger.instance.running) > 0
        self.bounding = Bounding(self.ledger, self.until, self.deep)

    def begin(self) -> None:
        """Hand out what can be handed out at once, and do not wait."""
        self.crew.hear(time.monotonic())
        i = self._focus()
        while i is not None and self.crew.free and self._launch(i):
            pass

    def run(self) -> None:
        """Run to the end; the ledger has what came of it."""
        self.bounding.until = self.until
        while self.crew.alive and time.monotonic() < self.until:
            i = self._focus()
            if i is None:
                return
            while self.crew.free and self._launch(i):
                pass
            self._drop_stale()
            if self.crew.free and not self._hopes(i):
                self.passed.add(i)
                continue
            for word in self.crew.hear(min(self._wake(i), time.monotonic() + STALE)):
                if word.job in self.flights:
                    self._take(word)
        if not self.crew.alive and time.monotonic() < self.until:
            self.ledger.warnings.append("no worker process is left: the search ended early")

    def _hopes(self, i: int) -> bool:
        """Tell whether something is under way that may help tier i, or that it waits for."""
        return any(f.i in (i, -1) or f.what == "finish" for f in self.flights.values())

    def _drop_stale(self) -> None:
        """End long jobs on tiers that are done meanwhile, unless they have only begun."""
        old = time.monotonic() - STALE
        for job, flight in list(self.flights.items()):
            long = flight.what in ("relax", "finish") and flight.began < old
            if long and self.ledger.done(flight.i):
                del self.flights[job]
                self.crew.drop(job)

    def _wake(self, i: int) -> float:
        """Return when tier i has had its time."""
        return min(self.until, self.tier_until.get(i, self.until))

    def _focus(self) -> int | None:
        """Return the tier to work on: the first that is open, and has time left."""
        ledger, now = self.ledger, time.monotonic()
        for i in range(len(ledger.tiers)):
            if ledger.done(i) or i in self.passed:
                continue
            if i not in self.tier_until:
                others = range(i + 1, len(ledger.tiers))
                last = all(ledger.done(j) for j in others)
                left = self.until - now
                self.tier_until[i] = self.until if last else now + left * SHARE
            if self.tier_until[i] <= now:
                self.passed.add(i)
                continue
            return i
        return self._lap()

    def _lap(self) -> int | None:
        """Begin with the first open tier again that was left for want of time."""
        now = time.monotonic()
        late = [i for i, end in self.tier_until.items() if end <= now and not self.ledger.done(i)]
        if not late:
            return None
        self.passed -= set(late)
        for i in late:
            del self.tier_until[i]
        return self._focus() if self.until - now > EARLY else None

    def _launch(self, i: int) -> bool:
        """Hand out the next job on tier i; False where there is none."""
        self._say(i)
        if self._count():
            return True
        if self._relax(i):
            return True
        held = self.ledger.best.values[:i]
        if self._close(i) and self._finish(i, held):
            return True
        if self._again() or self._near(i):
            return True
        # Under way there is one that leaves no room for another: it does not take long.
        near = any(flight.pick is not None for flight in self.flights.values())
        return not near and self._finish(i, held)

    def _relax(self, i: int) -> bool:
        """Bound tier i, or one after it, one at a time where others have their turn, too."""
        what = {flight.what for flight in self.flights.values()}
        j = None if self.deep and "relax" in what else self.bounding.due(i)
        if j is None or not self._open("relax"):
            return False
        held = self.bounding.held(j)
        self.bounding.begun(j, held)
        return self._give(relax, "relax", j, BOUNDING, held)

    def _count(self) -> bool:
        """Count, once."""
        if self.counted:
            return False
        self.counted = True
        self._alone("count", count)
        return True

    def _again(self) -> bool:
        """Plan greedily for longer, once."""
        seconds, self.greedy = self.greedy, 0.0
        if seconds:
            self._alone("greedy", again, seconds)
        return seconds > 0

    def _alone(self, what: str, job: Callable[..., object], *arguments: object) -> None:
        """Hand out a job that is about no tier."""
        number = self.crew.give(job, *arguments, kill_at=self.until)
        self.flights[number] = _Flight(what, -1, self.ledger.best)

    def _close(self, i: int) -> bool:
        """Tell whether the whole can be searched soon: it is small, or the bound is near."""
        if 0 < self.cells.get(i, 0) <= (SMALL_DEEP if self.deep else SMALL):
            return True
        away = self.ledger.away(i)
        return away is not None and away <= NARROW * abs(self.ledger.cost(i))

    def _finish(self, i: int, held: Held) -> bool:
        """Search the whole, one at a time, and again when the gap is half of what it was."""
        what = [(flight.what, flight.i) for flight in self.flights.values()]
        asked = (i, held, (self.ledger.away(i) or 0).bit_length())
        if asked in self.finished or ("relax", i) in what or "finish" in dict(what):
            return False
        if not self.cells.get(i) or not self._open("finish"):
            return False
        self.finished.add(asked)
        return self._give(finish, "finish", i)

    def _near(self, i: int) -> bool:
        """Hand out a neighbourhood that meets none of those under way."""
        if not self.parts or not self._open("near"):
            return False
        left = self._wake(i) - time.monotonic()
        flying = [flight.pick for flight in self.flights.values() if flight.pick is not None]
        picks = (self.chooser.pick(self.ledger.best, i, flying, left) for _ in range(TRIES))
        pick = next((pick for pick in picks if pick is not None), None)
        if pick is None:
            return False
        now = time.monotonic()
        first = next(j for j in range(i + 1) if j == i or not self.ledger.done(j))
        errand = self._errand(
            first if self.deep else i, min(now + pick.seconds, self.until - EARLY)
        )
        kill = min(self.until, now + 1.5 * pick.seconds + PATIENCE)
        job = self.crew.give(near, errand, pick.nodes, pick.groups, kill_at=kill)
        self.flights[job] = _Flight("near", i, errand.best, pick)
        return True

    def _give(
        self,
        job: Callable[..., object],
        what: str,
        i: int,
        share: float = 1.0,
        held: Held | None = None,
    ) -> bool:
        """Hand out a job on the whole, which may take a share of the time of its tier."""
        now = time.monotonic()
        errand = self._errand(i, now + share * (self._wake(i) - EARLY - now))
        errand = replace(errand, held=held)
        self.flights[self.crew.give(job, errand, kill_at=self.until)] = _Flight(
            what, i, errand.best
        )
        return True

    def _errand(self, i: int, until: float) -> Errand:
        best = self.ledger.best
        return Errand(i, best, self.kinds, self.solver, self.limits, until, second=self.second)

    def _open(self, what: str) -> bool:
        return self.failures.get(what, 0) < FAILURES

    def _take(self, word: Word) -> None:
        """Take what came of a job."""
        flight = self.flights[word.job]
        if word.last:
            del self.flights[word.job]
        if word.kind in ("failed", "lost"):
            self._failed(flight, word)
        if word.last and flight.what == "relax":
            self.bounding.done(flight.i, time.monotonic() - flight.began)
        if flight.pick is not None:
            self._near_done(flight, word)
        elif word.kind not in ("said", "done"):
            return
        elif flight.what == "count":
            self.ledger.count(word.body)
        elif flight.what == "greedy":
            self._offer(flight, word.body)
        else:
            self._found(flight, word.body)

    def _failed(self, flight: _Flight, word: Word) -> None:
        """Say once for all jobs of a kind what became of one."""
        times = self.failures.get(flight.what, 0)
        self.failures[flight.what] = times + 1
        if not times:
            text = " ".join(str(word.body).split())
            self.ledger.warnings.append(f"a job failed ({flight.what}), its work is lost: {text}")

    def _near_done(self, flight: _Flight, word: Word) -> None:
        """Take a neighbour, and let the chooser know."""
        assert flight.pick is not None
        found = word.body if isinstance(word.body, Near) else Near()
        if found.refused:
            self.parts = False
        better = found.best is not None and self._offer(flight, found.best)
        if word.last:
            seconds = time.monotonic() - flight.began
            self.chooser.learn(flight.pick, better, seconds)

    def _found(self, flight: _Flight, found: Finding) -> None:
        """Take what a job on the whole found."""
        self.cells[flight.i] = found.cells
        self.ledger.warnings += found.warnings
        if found.best is not None:
            self._offer(flight, found.best)
        if isinstance(found.bound, Bound):
            self.ledger.learn(flight.i, found.bound)

    def _offer(self, flight: _Flight, found: Incumbent) -> bool:
        """Put what a job changed into the best plan now; else its own plan may be the better one.

        Whatever was given up may be worth another look after that.
        """
        best = self.ledger.best
        plan = merged(flight.base.plan, best.plan, found.plan)
        took = self.ledger.offer(plan, flight.what, quiet=best is not flight.base)
        if not took and best is not flight.base:
            took = self.ledger.offer(found.plan, flight.what)
        if took:
            now = time.monotonic()
            self.passed = {i for i in self.passed if self.tier_until.get(i, now) <= now}
        return took

    def _say(self, i: int) -> None:
        name = f"search {self.ledger.tiers[i].name}"
        if name != self.told:
            self.told = name
            self.progress(name, time.monotonic() - self.ledger.began)
