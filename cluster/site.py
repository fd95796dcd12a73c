"""What every step of a flight needs to know about where it works."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gangplan.cluster.client import Client
from gangplan.cluster.discovery import Served
from gangplan.cluster.flight import Flight
from gangplan.cluster.parallel import each
from gangplan.cluster.world import World

SCHEDULER = "gangplan"
"""schedulerName of the pods that are ours, unless something else is asked for."""

NAMESPACE = "gangplan-system"
"""Where the lock and the journals lie."""

_PARALLEL = 16
"""Requests at a time of one flight."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Seconds after which a step gives up.

    Attributes
    ----------
    evict : a budget forbids an eviction. leave : evicted pods are not gone.
    claim : a claim cannot be written. ready : binding conditions of devices are not true.
    bind : a pod cannot be bound. confirm : a kubelet has not taken a pod in, nor rejected it.
    away : the server does not answer: the flight is left in its journal.
    """

    evict: float = 120.0
    leave: float = 900.0
    claim: float = 30.0
    ready: float = 600.0
    bind: float = 30.0
    confirm: float = 2.0
    away: float = 120.0


def _nobody(flight: Flight) -> None:
    """Take no note of where a flight goes."""


def _unknown() -> World | None:
    """Know nothing without asking."""
    return None


def _unsure(flight: Flight) -> bool:
    """Never say that nothing has changed."""
    return False


def _at_once(tells: Sequence[Callable[[], None]]) -> None:
    """Say it now."""
    each(_PARALLEL, tells, lambda tell: tell())


@dataclass(frozen=True, slots=True)
class Site:
    """A cluster, and in whose name we write there.

    Attributes
    ----------
    client : guarded by the lock: its writes raise ``Fenced`` once another one leads.
    world : gives the cluster as it is now, at least as new as every write of this process.
    holder : who holds the lock: a name that is unique to this process.
    say : takes a sentence for people (a log, or standard error).
    follows : is told a flight that has changed on its way: pods of it go to other nodes.
    glance : gives what watches have told so far, without asking the server; None: nobody watches.
    checked : whether nothing has happened to what a flight was checked against before it started.
    later : takes what is to be said when there is time for it, and nothing depends on.
    parallel : writes at a time.
    """

    client: Client
    served: Served
    world: Callable[[], World]
    holder: str
    scheduler: str = SCHEDULER
    namespace: str = NAMESPACE
    evict_foreign: bool = False
    say: Callable[[str], None] = print
    waits: Waits = field(default_factory=Waits)
    parallel: int = _PARALLEL
    follows: Callable[[Flight], None] = _nobody
    glance: Callable[[], World | None] = _unknown
    checked: Callable[[Flight], bool] = _unsure
    later: Callable[[Sequence[Callable[[], None]]], None] = _at_once
