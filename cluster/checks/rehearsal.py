"""Dry runs: every eviction, every claim's status, every Binding, and the journal; in parallel.

The server does everything but store: admission (also of others: policies, webhooks), validation,
preconditions. What it refuses now it would refuse in the middle of the flight.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from gangplan.cluster.client import Object
from gangplan.cluster.errors import ApiError, Changed
from gangplan.cluster.flight import Allocating, Falling, Flight, Placing
from gangplan.cluster.kinds import CONFIG_MAP, DRA_KINDS, POD
from gangplan.cluster.parallel import each
from gangplan.cluster.site import Site

_CLAIM = next(kind for kind in DRA_KINDS if kind.name == "ResourceClaim")


def rehearsal(site: Site, flights: Sequence[Flight]) -> tuple[str, ...]:
    """Say what the server would refuse.

    Raises
    ------
    Unreachable : the server does not answer.
    """
    journal = _said("the journal", partial(_journal, site))
    if journal:
        return (journal,)
    jobs = [job for flight in flights for job in _jobs(site, flight)]
    return tuple(filter(None, each(site.parallel, jobs, lambda job: _said(*job))))


Job = tuple[str, Callable[[], object]]


def _jobs(site: Site, flight: Flight) -> Iterator[Job]:
    for falling in flight.fallings:
        yield f"Pod {falling.pod}: its eviction", partial(_evict, site, falling)
    for one in flight.allocatings:
        yield f"ResourceClaim {one.claim}: its allocation", partial(_allocate, site, one)
    for placing in flight.placings:
        yield f"Pod {placing.pod}: its binding to {placing.node}", partial(_bind, site, placing)


def _said(what: str, call: Callable[[], object]) -> str:
    try:
        call()
    except ApiError as error:
        return f"{what} is refused in a dry run: {error}"
    except Changed as error:
        return str(error)
    return ""


def _journal(site: Site) -> None:
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"generateName": "gangplan-flight-", "namespace": site.namespace},
    }
    site.client.post(CONFIG_MAP.path(site.namespace), body, dry_run=True)


def _evict(site: Site, falling: Falling) -> None:
    namespace, _, name = falling.pod.partition("/")
    body = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": name, "namespace": namespace},
        "deleteOptions": {"preconditions": {"uid": falling.uid}, "dryRun": ["All"]},
    }
    site.client.post(POD.path(namespace, name, "eviction"), body, dry_run=True)


def _allocate(site: Site, one: Allocating) -> None:
    """Write finalizer and status as room ``claims`` will: in two requests, as a dry run."""
    claim = site.client.get(_CLAIM.path_of(one.claim))
    if claim["metadata"].get("uid") != one.uid:
        raise Changed((f"ResourceClaim {one.claim}: it was made again",))
    version = {"metadata": {"resourceVersion": claim["metadata"]["resourceVersion"]}}
    site.client.patch(_CLAIM.path_of(one.claim), version, dry_run=True)
    status: Object = dict(claim.get("status") or {})
    if one.allocation is not None:
        status["allocation"] = dict(one.allocation)
    status["reservedFor"] = [*(status.get("reservedFor") or ()), *map(dict, one.users)]
    site.client.put(_CLAIM.path_of(one.claim, "status"), {**claim, "status": status}, dry_run=True)


def _bind(site: Site, placing: Placing) -> None:
    namespace, _, name = placing.pod.partition("/")
    body = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name, "namespace": namespace, "uid": placing.uid},
        "target": {"apiVersion": "v1", "kind": "Node", "name": placing.node},
    }
    site.client.post(POD.path(namespace, name, "binding"), body, dry_run=True)
