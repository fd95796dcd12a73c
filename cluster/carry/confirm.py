"""Reads back what was bound, and decides: repair, undo, or the end."""

from collections.abc import Callable
from dataclasses import replace

from gangplan.cluster import claims, telling
from gangplan.cluster.carry import held, look, nominate
from gangplan.cluster.carry.count import Count, count, own
from gangplan.cluster.carry.journal import Journal
from gangplan.cluster.carry.patience import Pauses, is_away, sentence
from gangplan.cluster.carry.repair import ROUNDS, repair
from gangplan.cluster.client import Object
from gangplan.cluster.errors import ClusterError, Fenced
from gangplan.cluster.flight import Member
from gangplan.cluster.outcome import BOUND


def confirm(journal: Journal) -> str:
    """See what became of the pods of a flight, and say what has to follow.

    Raises
    ------
    ClusterError : the server does not answer, or refuses to say.
    """
    seen = _settled(journal)
    record(journal, seen)
    failing = seen.failing()
    if (failing or seen.waiting) and journal.repairs < ROUNDS:
        step = repair(journal, seen)
        if step:
            return step
        seen = count(journal)
        record(journal, seen)
        failing = seen.failing()
    if failing or not seen.placed:
        journal.why = journal.why or _why(seen, failing)
        return "undo"
    admit(journal, seen)
    given_back(journal, seen, {placing.uid for placing in seen.missing})
    for placing in seen.missing:
        journal.warn(f"{placing.pod} was not bound; its group has its minimum without it")
    journal.outcome.status = BOUND
    return "close"


def record(journal: Journal, seen: Count) -> None:
    """Put into the outcome where pods are, and which are missing."""
    outcome = journal.outcome
    there = [(p, seen.placed[p.uid]) for p in seen.flight.placings if p.uid in seen.placed]
    outcome.bound = {placing.pod: node for placing, node in there}
    moved = {placing.uid for placing in journal.earlier}
    outcome.elsewhere = [p.pod for p, node in there if node != p.node or p.uid in moved]
    outcome.missing = [placing.pod for placing in seen.missing]


def admit(journal: Journal, seen: Count, failing: tuple[Member, ...] = ()) -> None:
    """Say of every member that does not fail that it is in, as far as it has pods.

    Raises
    ------
    Fenced : another one has taken over. ClusterError : the server does not answer.
    """
    gone = {member.group for member in failing}
    placings = tuple(
        p for p in seen.flight.placings if p.uid in seen.placed and p.group not in gone
    )
    groups = {placing.group for placing in placings}
    members = tuple(m for m in seen.flight.members if m.group in groups)
    if not members:
        return
    there = tuple(replace(placing, node=seen.placed[placing.uid]) for placing in placings)
    flight = replace(seen.flight, members=members, placings=there)
    say(journal, lambda: telling.admitted(journal.site, flight))


def say(journal: Journal, tell: Callable[[], None]) -> None:
    """Write conditions and events; what cannot be said is a warning, and undoes nothing.

    Raises
    ------
    Fenced : another one has taken over. ClusterError : the server does not answer.
    """
    try:
        tell()
    except Fenced:
        raise
    except ClusterError as error:
        if is_away(error):
            raise
        journal.warn(f"conditions cannot be written: {sentence(error)}")


def given_back(journal: Journal, seen: Count, uids: set[str]) -> None:
    """Give back what was only there for the way: claims of these pods, nominations, taints.

    Raises
    ------
    ClusterError : something cannot be given back.
    """
    site, flight = journal.site, journal.flight
    if flight.allocatings and uids:
        claims.release(site, flight, frozenset(uids))
    nominate.withdraw(site, seen.waiting, dict(seen.pods))
    held.let_go(site, flight)


def _settled(journal: Journal) -> Count:
    """Count when the kubelets have taken the pods in or rejected them, or after a while.

    Where all pods of the flight are placed and that is enough, nobody else's are looked at.
    """
    pauses = Pauses(journal.site.waits.confirm, most=0.5)
    pods: dict[str, Object] = {}
    coming = [placing.pod for placing in journal.flight.placings]
    seen = own(journal, pods, coming)
    while (coming := _coming(journal, seen)) and pauses.rest():
        seen = own(journal, pods, coming)
    if seen.missing or seen.failing():
        return count(journal)
    return seen


def _coming(journal: Journal, seen: Count) -> list[str]:
    """Pods of which something is still to be heard: of its kubelet, or of its binding."""
    watching = journal.site.glance() is not None
    found = []
    for placing in seen.flight.placings:
        pod = seen.pods.get(placing.pod)
        if placing.uid in seen.placed:
            if pod is not None and not look.taken_in(pod):
                found.append(placing.pod)
        elif watching and placing.node not in journal.refused and seen.can_wait(placing):
            found.append(placing.pod)
    return found


def _why(seen: Count, failing: tuple[Member, ...]) -> str:
    if not failing:
        return "none of its pods could be bound"
    missing = ", ".join(placing.pod for placing in seen.missing[:3])
    more = f" and {len(seen.missing) - 3} more" if len(seen.missing) > 3 else ""
    why = f"below its minimum without {missing or 'other members'}{more}"
    if len(seen.flight.members) == 1:
        return why
    return f"{', '.join(member.group for member in failing[:3])}: {why}"
