"""The order of the steps, and what follows when one of them cannot be done."""

from collections.abc import Callable, Mapping

from gangplan.cluster import faultpoints
from gangplan.cluster.carry import journal as journals
from gangplan.cluster.carry import look
from gangplan.cluster.carry.bind import bind
from gangplan.cluster.carry.claim import claim, ready
from gangplan.cluster.carry.clear import clear
from gangplan.cluster.carry.confirm import confirm
from gangplan.cluster.carry.evict import evict
from gangplan.cluster.carry.fitting import lacks_devices, violations
from gangplan.cluster.carry.journal import Journal
from gangplan.cluster.carry.patience import Pauses, is_away, is_unauthorized, sentence
from gangplan.cluster.carry.undo import undo
from gangplan.cluster.client import Object
from gangplan.cluster.errors import ClusterError, Fenced, NotFound
from gangplan.cluster.flight import Flight
from gangplan.cluster.outcome import LEFT, Outcome
from gangplan.cluster.site import Site
from gangplan.cluster.world import uid_of
from gangplan.models.errors import GangplanError

_RESUME, _CLOSE, _END = "resume", "close", ""

_RIGHTS = 10.0
"""Seconds until a server that says that we lack a right is believed."""


def carry(site: Site, flight: Flight) -> Outcome:
    """Carry out a flight, from its journal to its end.

    Returns
    -------
    What became of it; ``left`` where the server went away: ``resume`` goes on.

    Raises
    ------
    Fenced : another one carries it out, or has taken over: nothing more was written.
    ClusterError : its journal cannot be made; nothing was written.
    """
    journal = journals.take(site, flight)
    return _follow(journal, journal.step)


def resume(site: Site) -> list[Outcome]:
    """Take over every flight that was left over, and carry it to its end.

    Raises
    ------
    Fenced : another one has taken over in the meantime.
    ClusterError : the journals cannot be read.
    """
    return [_taken_up(site, written) for written in journals.left_over(site)]


def resume_one(site: Site, key: str) -> Outcome | None:
    """Take over the flight of this key, and carry it to its end; None where it has ended.

    Raises
    ------
    Fenced : another one has taken over in the meantime.
    ClusterError : its journal cannot be read.
    """
    written = journals.left(site, key)
    return None if written is None else _taken_up(site, written)


def _taken_up(site: Site, written: Object) -> Outcome:
    try:
        journal = journals.opened(site, written)
    except ClusterError as error:
        # It must not hold up the others; a person has to look at it.
        name = str(written["metadata"]["name"])
        outcome = Outcome(name.removeprefix(journals.PREFIX), LEFT, warnings=[sentence(error)])
        site.say(sentence(error))
        return outcome
    journal.take_over()
    journal.note(f"taken over at step {journal.step}")
    return _follow(journal, _RESUME)


def _follow(journal: Journal, step: str) -> Outcome:
    """Do one step after the other."""
    pauses: Pauses | None = None
    while step:
        try:
            if step not in (_RESUME, _CLOSE, journal.step):
                journal.write(step)
            faultpoints.point(f"{step}.before")
            following = _STEPS[step](journal)
            faultpoints.point(f"{step}.after")
            step, pauses = following, None
        except Fenced:
            raise
        except GangplanError as error:
            if is_away(error) or is_unauthorized(error):
                seconds = journal.site.waits.away if is_away(error) else _RIGHTS
                pauses = pauses or Pauses(seconds)
                if pauses.rest():
                    continue
            if is_away(error) or step in ("undo", _CLOSE):
                return _left(journal, step, error)
            journal.why = sentence(error)
            step, pauses = "undo", None
    return journal.outcome


def _left(journal: Journal, step: str, error: GangplanError) -> Outcome:
    """Stop here; the journal says where to go on."""
    journal.outcome.status = LEFT
    journal.warn(f"left at step {step}: {sentence(error)}; the next run goes on from there")
    return journal.outcome


def _resume(journal: Journal) -> str:
    """Decide where a flight that was left over goes on.

    Nobody protected its room meanwhile. What had not begun is given up: it can be planned again.
    """
    flight, step = journal.flight, journal.step
    if step in ("confirm", "undo"):
        return step
    lost = _lost(journal)
    if lost:
        journal.why = lost
        return "undo"
    if step in ("evict", "clear") and not _begun(journal):
        journal.why = "it was left before anything was done, and can be planned again"
        return "undo"
    if step in ("claim", "ready", "bind"):
        broken = violations(journal)
        if broken:
            journal.why = f"left at step {step}, and its room is gone: {'; '.join(broken)}"
            if step != "bind":
                return "undo"
            # Some may be bound: confirm finds the others another place, or takes all back.
            journal.refused = tuple(sorted({*journal.refused, *flight.nodes}))
            return "confirm"
        if lacks_devices(journal):
            return "claim"
    return step


def _lost(journal: Journal) -> str:
    """Say what a flight has lost without which there is nothing to carry out."""
    site, flight = journal.site, journal.flight
    pods = look.pods_of(site, (placing.pod for placing in flight.placings))
    uids = {uid_of(pod) for pod in pods.values()}
    if not any(placing.uid in uids for placing in flight.placings):
        return "all its pods are gone"
    for member in flight.members:
        if member.kind != "PodGroup":
            continue
        try:
            group = site.client.get(site.served["PodGroup"].path_of(member.group))
        except NotFound:
            return f"PodGroup {member.group} is gone"
        if uid_of(group) != member.uid:
            return f"PodGroup {member.group} was made again"
    return ""


def _begun(journal: Journal) -> bool:
    """Whether a victim has gone."""
    fallings = journal.flight.fallings
    pods = look.pods_of(journal.site, (falling.pod for falling in fallings))
    for falling in fallings:
        pod = pods.get(falling.pod)
        if pod is None or uid_of(pod) != falling.uid or look.leaving(pod):
            return True
    return False


def _close(journal: Journal) -> str:
    journal.close()
    return _END


_STEPS: Mapping[str, Callable[[Journal], str]] = {
    _RESUME: _resume,
    "evict": evict,
    "clear": clear,
    "claim": claim,
    "ready": ready,
    "bind": bind,
    "confirm": confirm,
    "undo": undo,
    _CLOSE: _close,
}
