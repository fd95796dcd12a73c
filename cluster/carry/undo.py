"""Takes back what was written: no gang stays below its minimum because of us.

What was evicted stays lost. Pods that ran before are never touched, nor is anything of a group that
has its minimum all the same.
"""

from collections import Counter
from dataclasses import replace
from functools import partial

from gangplan.cluster import claims, faultpoints, telling
from gangplan.cluster.carry import held, look, nominate
from gangplan.cluster.carry.confirm import admit, record, say
from gangplan.cluster.carry.count import Count, count
from gangplan.cluster.carry.journal import Journal
from gangplan.cluster.carry.patience import Pauses, each, sentence
from gangplan.cluster.carry.spared import spare
from gangplan.cluster.client import Object
from gangplan.cluster.errors import Conflict, Denied, NotFound
from gangplan.cluster.flight import Member
from gangplan.cluster.kinds import JOB, POD
from gangplan.cluster.outcome import BOUND, UNDONE, WAITING
from gangplan.cluster.world import name_of, uid_of

_CAUSES = 3
_BACKOFF = 6
"""``spec.backoffLimit`` of a Job that says none."""


def undo(journal: Journal) -> str:
    """Take a flight back, as far as it has to be.

    Raises
    ------
    ClusterError : the server does not answer, or refuses; the journal stays.
    """
    site, flight = journal.site, journal.flight
    before = count(journal)
    # From here on no Binding that got no answer can come about any more.
    each(site, before.waiting, lambda p: nominate.outdate(site, p, before.pods[p.pod]))
    seen = count(journal)
    failing = seen.failing()
    doomed = _doomed(journal, seen, failing)
    _warn(journal, doomed)
    each(site, doomed, lambda pod: _delete(journal, seen, pod))
    left = _wait(journal, doomed)
    seen = count(journal)
    keeping = _kept(seen, failing)
    _release(journal, seen, keeping | left)
    nominate.withdraw(site, seen.waiting, dict(seen.pods))
    held.let_go(site, flight)
    spare(site, flight)
    _tell(journal, seen, failing)
    _remember(journal, seen)
    record(journal, seen)
    _close(journal, keeping, failing)
    return "close"


def _doomed(journal: Journal, seen: Count, failing: tuple[Member, ...]) -> list[Object]:
    """Pods of failing groups that we have bound and that have not ended."""
    groups = {member.group for member in failing}
    tried = journal.tried
    found = []
    for placing in (*journal.flight.placings, *journal.earlier):
        pod = seen.pods.get(placing.pod)
        if pod is None or placing.group not in groups or uid_of(pod) != placing.uid:
            continue
        if look.node_of(pod) in tried[placing.uid] and not look.finished(pod):
            found.append(pod)
    return list({uid_of(pod): pod for pod in found}.values())


def _kept(seen: Count, failing: tuple[Member, ...]) -> set[str]:
    """UIDs of pods of the flight that stay bound."""
    gone = {member.group for member in failing}
    return {p.uid for p in seen.flight.placings if p.uid in seen.placed and p.group not in gone}


def _delete(journal: Journal, seen: Count, pod: Object) -> None:
    name = name_of(pod)
    if not look.leaving(pod):
        options: Object = {"preconditions": {"uid": uid_of(pod)}}
        if look.node_of(pod) not in _standing(journal, seen, pod):
            # Nobody is there to end it.
            options["gracePeriodSeconds"] = 0
        faultpoints.point("deletion.before")
        try:
            journal.site.client.delete(POD.path_of(name), options)
        except (NotFound, Conflict):
            # Gone, or made again: not ours any more.
            return
        faultpoints.point("deletion.after")
    if name not in journal.outcome.deleted:
        journal.outcome.deleted.append(name)


def _remember(journal: Journal, seen: Count) -> None:
    """Count as deleted what went before we could write it down."""
    if not journal.resumed:
        return
    there = {placing.pod for placing in seen.flight.placings if placing.uid in seen.placed}
    for name in journal.outcome.bound:
        if name not in there and name not in journal.outcome.deleted:
            journal.outcome.deleted.append(name)


def _standing(journal: Journal, seen: Count, pod: Object) -> frozenset[str]:
    planned = {placing.node for placing in journal.flight.placings}
    node = look.node_of(pod)
    return seen.nodes if node in planned else frozenset({node})


def _wait(journal: Journal, doomed: list[Object]) -> set[str]:
    """Wait until deleted pods are gone; give the UIDs of those that are not."""
    pauses = Pauses(journal.site.waits.leave)
    left = {name_of(pod): uid_of(pod) for pod in doomed}
    while left:
        pods = look.pods_of(journal.site, left)
        left = {n: uid for n, uid in left.items() if n in pods and uid_of(pods[n]) == uid}
        if left and not pauses.rest():
            journal.warn(f"{len(left)} deleted pods do not go; their claims are left to them")
            break
    return set(left.values())


def _release(journal: Journal, seen: Count, kept: set[str]) -> None:
    flight = journal.flight
    if not flight.allocatings:
        return
    bound = {uid_of(p) for p in seen.pods.values() if look.node_of(p) and not look.finished(p)}
    uids = {placing.uid for placing in (*flight.placings, *journal.earlier)}
    claims.release(journal.site, flight, frozenset(uids - kept - bound))


def _tell(journal: Journal, seen: Count, failing: tuple[Member, ...]) -> None:
    admit(journal, seen, failing)
    missing = {placing.group for placing in seen.missing} | {member.group for member in failing}
    told = [member for member in journal.flight.members if member.group in missing]
    if not told:
        return
    world = journal.site.world()
    site = replace(journal.site, world=lambda: world)
    reason = "; ".join((journal.why, *_causes(journal, seen)))
    for member in told:
        say(
            journal,
            partial(telling.waiting, site, member.group, reason, kind=member.kind),
        )


def _causes(journal: Journal, seen: Count) -> list[str]:
    """Give what the server said of pods that are missing: the group's owner sees no log of ours."""
    missing = tuple(f"{placing.pod} " for placing in seen.missing)
    return [said for said in journal.outcome.sentences if said.startswith(missing)][-_CAUSES:]


def _close(journal: Journal, kept: set[str], failing: tuple[Member, ...]) -> None:
    outcome = journal.outcome
    journal.note(journal.why)
    if outcome.lost:
        journal.warn(f"{len(outcome.lost)} pods were evicted for nothing: they stay lost")
    if outcome.deleted:
        journal.note(f"{len(outcome.deleted)} pods that were bound have been deleted")
    if kept and not failing:
        outcome.status = BOUND
    elif outcome.bound or outcome.lost or outcome.deleted or outcome.allocated:
        outcome.status = UNDONE
    else:
        outcome.status = WAITING
    if not kept:
        outcome.allocated = []


def _warn(journal: Journal, doomed: list[Object]) -> None:
    """Warn of Jobs that give up, and of pods that nobody makes again."""
    jobs: Counter[str] = Counter()
    for pod in doomed:
        owner = look.controller_of(pod)
        if owner is None:
            journal.warn(f"{name_of(pod)} has no controller: deleted, it does not come back")
        elif owner.get("kind") == "Job":
            jobs[f"{pod['metadata']['namespace']}/{owner['name']}"] += 1
    for job, number in sorted(jobs.items()):
        try:
            found = journal.site.client.get(JOB.path_of(job))
        except NotFound:
            continue
        except Denied as error:
            # A warning that cannot be made must not leave half a gang bound.
            journal.warn(f"Job {job}: its backoffLimit is not known: {sentence(error)}")
            continue
        failed = int((found.get("status") or {}).get("failed") or 0)
        limit = found["spec"].get("backoffLimit")
        limit = _BACKOFF if limit is None else int(limit)
        if failed + number > limit:
            journal.warn(
                f"Job {job}: {failed} failed pods and {number} deleted ones pass its backoffLimit "
                f"of {limit}: it may fail"
            )
