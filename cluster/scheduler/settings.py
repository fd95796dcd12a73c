"""What an operator can set about the loop."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """Seconds and numbers of the loop.

    Attributes
    ----------
    deadline : seconds that a planner may take in one round.
    threads : threads of its solver. planner : its name in ``gangplan.solvers.registry``.
    soft : seconds to improve a plan in which everybody who waits gets in and nobody falls.
    quiet, longest : a round begins when nothing has happened for ``quiet`` seconds, or ``longest``
        seconds after the first thing that happened.
    backoff, most_backoff : seconds before a group is tried again, doubled each time.
    flush : seconds after which what waits is planned again although nothing was seen to change.
    starving : seconds of waiting after which room is held for a gang; 0: never.
    recheck : seconds between two looks at whether the nodes held are still the right ones.
    retell : seconds between two conditions of the same group.
    direct : flights at a time that wait for nobody. waiting : those that do (for pods to leave,
        for devices to be ready).
    grace : seconds that running flights get when the process is asked to end.
    at_once : rounds that follow one another without a pause when the cluster changed meanwhile.
    """

    deadline: float = 5.0
    threads: int = 1
    planner: str = "auto"
    soft: float = 0.5
    quiet: float = 0.1
    longest: float = 1.0
    backoff: float = 1.0
    most_backoff: float = 10.0
    flush: float = 60.0
    starving: float = 60.0
    recheck: float = 15.0
    retell: float = 30.0
    direct: int = 32
    waiting: int = 16
    grace: float = 20.0
    at_once: int = 3
