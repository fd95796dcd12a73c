"""When a round begins: after what matters has happened, and quietly again for what could not be.

A round takes every group that waits: leaving one out would hand its room to lower ones. So backoff
says when a round begins although nothing happened, not who is in it. The exception is a group whose
flight failed: the cluster has refused it, and until its backoff is over it is not tried again,
whatever the others do.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Condition

from gangplan.cluster.scheduler.settings import Settings

_COSTLY = 60
"""Longest pause of who costs others their pods, in longest pauses of who does not."""


@dataclass(slots=True)
class _Tries:
    count: int = 0
    until: float = 0.0


class Queue:
    """Events of the watches and outcomes of flights, made into the time of the next round.

    Threads of the watches call ``wake``; all else belongs to the loop's own thread.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._changed = Condition()
        self._first: float | None = None
        self._last = 0.0
        self._at: float | None = None
        self._waiting: dict[str, _Tries] = {}
        self._failed: dict[str, _Tries] = {}

    # -- when ----------------------------------------------------------------------------------

    def wake(self) -> None:
        """Say that something happened that can change who is placed."""
        with self._changed:
            self._last = self._clock()
            if self._first is None:
                self._first = self._last
            self._changed.notify_all()

    def poke(self) -> None:
        """End a pause early, for the loop to look around."""
        with self._changed:
            self._changed.notify_all()

    def at(self, seconds: float) -> None:
        """Begin a round at the latest so many seconds from now."""
        when = self._clock() + seconds
        with self._changed:
            self._at = when if self._at is None else min(self._at, when)

    def due_in(self) -> float:
        """Seconds until a round should begin, 0 or less if now; infinite if nothing asks for one.

        A burst of events is one round: it begins when it has been quiet for a moment.
        """
        with self._changed:
            times = [] if self._at is None else [self._at]
            if self._first is not None:
                quiet = self._last + self._settings.quiet
                times.append(min(quiet, self._first + self._settings.longest))
        return min(times, default=float("inf")) - self._clock()

    def pause(self, most: float) -> None:
        """Wait until a round may be due, something happens, or ``most`` seconds have passed."""
        with self._changed:
            self._changed.wait(max(0.0, min(most, self.due_in())))

    def begin(self) -> None:
        """Begin a round: what happens from here on asks for another one, and so do who rest."""
        now = self._clock()
        ends = (tries.until for tries in self._failed.values() if tries.until > now)
        with self._changed:
            self._first, self._at = None, min(ends, default=None)

    # -- who -----------------------------------------------------------------------------------

    def placed(self, groups: Iterable[str]) -> None:
        """Forget the tries of groups that got what they asked for."""
        for group in groups:
            self._waiting.pop(group, None)
            self._failed.pop(group, None)

    def failed(self, groups: Iterable[str], *, costly: bool = False) -> None:
        """Keep groups whose flight failed out of rounds for a while, and come back to them.

        Parameters
        ----------
        costly : pods were lost for nothing: the pauses are longer, and grow much longer.
        """
        base, most = self._settings.backoff, self._settings.most_backoff
        if costly:
            base, most = most, _COSTLY * most
        for group in groups:
            self.at(self._again(self._failed.setdefault(group, _Tries()), base, most))

    def waiting(self, groups: Iterable[str], *, proven: bool) -> None:
        """Take note of who could not be placed, all of them, and when to look again.

        Where it is proven that no more can be placed, only a change helps: ``flush`` is for a
        change that we have no eyes for.
        """
        groups = set(groups)
        for gone in self._waiting.keys() - groups:
            del self._waiting[gone]
        if not groups:
            return
        if proven:
            self.at(self._settings.flush)
            return
        # A round that another event began is no try of somebody whose time has not come.
        now = self._clock()
        for group in groups:
            tries = self._waiting.setdefault(group, _Tries())
            if tries.until <= now:
                self._again(tries, self._settings.backoff, self._settings.most_backoff)
        self.at(min(self._waiting[group].until for group in groups) - now)

    def resting(self) -> frozenset[str]:
        """Give the groups that a round leaves out: their flight failed a moment ago."""
        now = self._clock()
        return frozenset(name for name, tries in self._failed.items() if tries.until > now)

    def forget(self, there: Iterable[str]) -> None:
        """Forget failures of groups that are not there any more."""
        for gone in self._failed.keys() - set(there):
            del self._failed[gone]

    def _again(self, tries: _Tries, base: float, most: float) -> float:
        pause = min(base * 2.0 ** min(tries.count, 30), most)
        tries.count += 1
        tries.until = self._clock() + pause
        return pause
