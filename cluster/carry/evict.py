"""Evictions: through the Eviction API, by UID, each pod once."""

from gangplan.cluster import faultpoints, telling
from gangplan.cluster.carry import fitting, held, look, nominate
from gangplan.cluster.carry.journal import Journal
from gangplan.cluster.carry.patience import (
    TWO_BUDGETS,
    Pauses,
    each,
    is_away,
    is_unauthorized,
    sentence,
)
from gangplan.cluster.client import Object
from gangplan.cluster.errors import ApiError, Busy, ClusterError, Conflict, NotFound
from gangplan.cluster.flight import Falling
from gangplan.cluster.kinds import POD
from gangplan.cluster.world import uid_of


def evict(journal: Journal) -> str:
    """Evict the victims of a flight; a pod that is gone, leaving or made again is done.

    Raises
    ------
    ClusterError : there is no room in the plan any more (nobody else is evicted then), a budget
        forbids an eviction for too long, or the server refuses one.
    """
    site, flight = journal.site, journal.flight
    pods = look.pods_of(site, (falling.pod for falling in flight.fallings))
    todo = [falling for falling in flight.fallings if _stays(pods.get(falling.pod), falling)]
    if journal.resumed and len(todo) < len(flight.fallings):
        _remember(journal, todo)
    if todo:
        broken = fitting.violations(journal)
        if broken:
            raise ClusterError(f"the plan does not fit any more: {'; '.join(broken)}")
        held.hold(site, flight)
        nominate.nominate(site, flight)
        pauses = Pauses(site.waits.evict)
        each(site, todo, lambda falling: _evict(journal, falling, pauses.anew()))
    return "clear"


def _stays(pod: Object | None, falling: Falling) -> bool:
    return (
        pod is not None
        and uid_of(pod) == falling.uid
        and not look.leaving(pod)
        and not look.finished(pod)
    )


def _remember(journal: Journal, todo: list[Falling]) -> None:
    """Count as evicted what went before we could write it down."""
    staying = {falling.uid for falling in todo}
    for falling in journal.flight.fallings:
        if falling.uid not in staying and falling.pod not in journal.outcome.lost:
            journal.outcome.lost.append(falling.pod)


def _evict(journal: Journal, falling: Falling, pauses: Pauses) -> None:
    site = journal.site
    telling.victim(site, falling, journal.flight)
    unsure = False
    while (pod := look.pod_of(site, falling.pod)) is not None and _stays(pod, falling):
        faultpoints.point("eviction.before")
        try:
            site.client.post(POD.path_of(falling.pod, "eviction"), _eviction(falling, pod))
        except NotFound:
            return
        except ClusterError as error:
            unsure = unsure or is_away(error)
            asked = error.retry_after if isinstance(error, ApiError) else None
            if not _passes(error) or not pauses.rest(asked):
                if not _stays(look.pod_of(site, falling.pod), falling):
                    continue
                raise _refused(falling, error) from error
        else:
            faultpoints.point("eviction.after")
            break
    else:
        if not unsure:
            return
        # It was us: the answer was lost.
    journal.outcome.lost.append(falling.pod)


def _eviction(falling: Falling, pod: Object) -> Object:
    """Give an eviction of the pod as it was read.

    A victim that is spared is told so, which changes it: an eviction that is still on its way, of a
    process that was paused or killed, then comes to nothing.
    """
    namespace, _, name = falling.pod.rpartition("/")
    version = pod["metadata"]["resourceVersion"]
    return {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": name, "namespace": namespace},
        "deleteOptions": {"preconditions": {"uid": falling.uid, "resourceVersion": version}},
    }


def _passes(error: ClusterError) -> bool:
    """Whether a refused eviction may be allowed later."""
    return isinstance(error, Busy | Conflict) or is_away(error) or is_unauthorized(error)


def _refused(falling: Falling, error: ClusterError) -> ClusterError:
    if is_away(error):
        return error
    if isinstance(error, Busy):
        return ClusterError(f"{falling.pod}: its disruption budget forbids the eviction")
    if isinstance(error, ApiError) and TWO_BUDGETS in str(error):
        return ClusterError(f"{falling.pod}: two disruption budgets, the API evicts no such pod")
    return ClusterError(f"{falling.pod} cannot be evicted: {sentence(error)}")
