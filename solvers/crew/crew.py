"""The side that asks: jobs are handed to free processes, and words come back as they are said.

Whoever asks never waits for a job: what crashes, hangs or is late is killed, costs its own work,
and another process takes its place.
"""

import pickle
import select
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from gangplan.models.errors import SolverError
from gangplan.solvers.backends import wire
from gangplan.solvers.backends.workers import Worker, keep, take

MODULE = "gangplan.solvers.crew.member"

LOST = 3
"""So many processes of a crew are replaced; after that, it goes on with those that are left."""

SLOW = 0.2
"""Seconds that a message that has begun may take past the deadline of its job."""


@dataclass(frozen=True, slots=True)
class Word:
    """What came of a job.

    Attributes
    ----------
    job : its number.
    kind : ``said`` (more is to come), ``done``, ``failed`` (it raised), ``lost`` (its process
        died), ``late`` (it was killed at its time).
    body : what the job said or returned; for the other kinds, the reason in words.
    """

    job: int
    kind: str
    body: Any

    @property
    def last(self) -> bool:
        """Nothing more comes of the job."""
        return self.kind != "said"


@dataclass(slots=True, eq=False)
class _Seat:
    """One process, and the job that it has."""

    worker: Worker
    ready: bool = False
    job: int = -1
    kill_at: float = 0.0


@dataclass(slots=True, eq=False)
class Crew:
    """Processes that keep ``things`` and run functions ``f(desk, ...)`` of modules by name.

    Attributes
    ----------
    size : number of processes.
    things : name -> what every one of them keeps (``Desk.kept``); sent once.
    memory : bytes that a process may come to use; None leaves it free.
    """

    size: int
    things: Mapping[str, object]
    memory: int | None = None
    _seats: list[_Seat] = field(default_factory=list)
    _kept: wire.Packed | None = None
    _jobs: int = 0
    _lost: int = 0
    _unsent: list[Word] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start the processes, and do not wait.

        Raises
        ------
        SolverError : none can be started.
        """
        for _ in range(self.size):
            self._sit()

    @property
    def free(self) -> bool:
        """A process is ready and has no job."""
        return any(seat.ready and seat.job < 0 for seat in self._seats)

    @property
    def alive(self) -> bool:
        """There is a process that works or may come to."""
        return bool(self._seats)

    @property
    def busy(self) -> bool:
        """Some process has a job."""
        return any(seat.job >= 0 for seat in self._seats)

    def give(self, job: Callable[..., object], *arguments: object, kill_at: float) -> int:
        """Hand a job to a free process; return its number. One that cannot be sent has failed.

        Parameters
        ----------
        job : a function of a module, called with the process's ``Desk`` and ``arguments``.
        kill_at : when it is killed, of ``time.monotonic()``.
        """
        seat = next(seat for seat in self._seats if seat.ready and seat.job < 0)
        self._jobs += 1
        seat.job, seat.kill_at = self._jobs, kill_at
        name = f"{job.__module__}:{job.__qualname__}"
        try:
            packed = wire.pack(("job", (seat.job, name, arguments, self.memory)))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            self._unsent.append(Word(seat.job, "failed", f"it cannot be sent: {error}"))
        else:
            seat.worker.send(packed)
        return seat.job

    def hear(self, until: float) -> list[Word]:
        """Wait for something to be said, or until then; also when a process got ready."""
        if self._unsent:
            return self._returned()
        ends = [until, *(seat.kill_at for seat in self._seats if seat.job >= 0)]
        timeout = max(min(ends) - time.monotonic(), 0.0)
        lines = {seat.worker.fileno(): seat for seat in self._seats}
        if not lines:
            time.sleep(timeout)
            return []
        told = [lines[line] for line in select.select(list(lines), [], [], timeout)[0]]
        heard = [word for seat in told for word in self._listen(seat)]
        now = time.monotonic()
        for seat in list(self._seats):
            if seat.job >= 0 and seat.kill_at <= now:
                heard.append(Word(seat.job, "late", "killed at its time"))
                self._replace(seat)
        return heard

    def _returned(self) -> list[Word]:
        """Give back the jobs that could not be sent."""
        words, self._unsent = self._unsent, []
        numbers = {word.job for word in words}
        for seat in self._seats:
            if seat.job in numbers:
                seat.job = -1
        return words

    def drop(self, job: int) -> None:
        """End a job with its process; another process takes its place."""
        for seat in list(self._seats):
            if seat.job == job:
                self._leave(seat)
                with suppress(SolverError):
                    self._sit()

    def halt(self) -> None:
        """End the processes that have a job, and do not wait for their end."""
        for seat in self._seats:
            if seat.job >= 0 or not seat.ready:
                seat.worker.condemn()

    def close(self) -> None:
        """End the crew; processes without a job forget everything and stay for the next one."""
        for seat in self._seats:
            if seat.ready and seat.job < 0:
                seat.worker.send(wire.pack(("keep", {})))
                keep(seat.worker)
            else:
                seat.worker.kill()
        self._seats.clear()

    def _listen(self, seat: _Seat) -> list[Word]:
        """Read one message of a process that has something to say."""
        end = seat.kill_at if seat.job >= 0 else time.monotonic()
        try:
            with seat.worker.killed_at(end + SLOW):
                word, body = seat.worker.receive()
        except SolverError as error:
            heard = [Word(seat.job, "lost", str(error))] if seat.job >= 0 else []
            self._replace(seat)
            return heard
        if word == "ready":
            self._settle(seat)
            return []
        job, said = body
        if word != "said":
            seat.job = -1
        return [Word(job, word, said)]

    def _sit(self) -> None:
        """Take a process, a new one or one that an earlier crew has left."""
        seat = _Seat(take(1, MODULE))
        self._seats.append(seat)
        if seat.worker.ready:
            self._settle(seat)

    def _settle(self, seat: _Seat) -> None:
        """Tell a process that is ready what to keep."""
        if self._kept is None:
            self._kept = wire.pack(("keep", dict(self.things)))
        seat.worker.send(self._kept)
        seat.ready = True

    def _leave(self, seat: _Seat) -> None:
        """End a process."""
        seat.worker.condemn()
        self._seats.remove(seat)
        seat.worker.kill()

    def _replace(self, seat: _Seat) -> None:
        """Put another process in the place of one that is gone, as long as that may help."""
        self._leave(seat)
        self._lost += 1
        if self._lost <= LOST:
            with suppress(SolverError):
                self._sit()
