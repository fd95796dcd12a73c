"""Whether we may write what the flights will write: asked of the server, verb by verb.

``SelfSubjectAccessReview`` (authorization.k8s.io/v1) stores nothing. It is asked for what a dry run
would not show, such as the right to delete the pods that we bound, which only an undo needs, and
to read back what was written.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gangplan.cluster.errors import Denied, NotFound
from gangplan.cluster.flight import Flight
from gangplan.cluster.kinds import NAMESPACE
from gangplan.cluster.parallel import each
from gangplan.cluster.site import Site

_INSTALL = "'kubectl apply -k cluster/deploy'"
_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

_LATELY = 300.0
_allowed: dict[tuple[str, "Right"], float] = {}
"""Holder and right -> when it was allowed, by a clock that is never set."""


@dataclass(frozen=True, slots=True)
class Right:
    """A verb on a resource (``pods/binding``); no namespace where the kind has none."""

    verb: str
    group: str
    resource: str
    namespace: str = ""


def rights(site: Site, flights: Sequence[Flight], *, lately: bool = False) -> tuple[str, ...]:
    """Say which rights the adapter's user lacks for these flights.

    Parameters
    ----------
    lately : what was allowed a few minutes ago is not asked again.

    Raises
    ------
    ApiError, Unreachable : the server does not answer.
    """
    wanted = list(dict.fromkeys(right for flight in flights for right in _needed(site, flight)))
    if lately:
        since = time.monotonic() - _LATELY
        wanted = [one for one in wanted if _allowed.get((site.holder, one), since) <= since]
    if not wanted:
        return ()
    try:
        site.client.get(NAMESPACE.path_of(site.namespace))
    except NotFound:
        where = f"there is no namespace {site.namespace}, where the lock and the journals lie"
        return (f"{where}: {_INSTALL} makes it",)
    answers = each(site.parallel, wanted, lambda right: lacks(site, right))
    for right, said in zip(wanted, answers, strict=True):
        if not said:
            _allowed[site.holder, right] = time.monotonic()
    return tuple(said for said in answers if said)


def _needed(site: Site, flight: Flight) -> Iterator[Right]:
    for verb in ("get", "list", "create", "update", "delete"):
        yield Right(verb, "", "configmaps", site.namespace)
    for verb in ("get", "create", "update"):
        yield Right(verb, "coordination.k8s.io", "leases", site.namespace)
    yield Right("get", "", "nodes")
    for namespace in {placing.pod.partition("/")[0] for placing in flight.placings}:
        yield Right("create", "", "pods/binding", namespace)
        for verb in ("get", "list", "delete"):
            yield Right(verb, "", "pods", namespace)
        yield Right("patch", "", "pods/status", namespace)
    for member in flight.members:
        if member.kind != "Pod":
            namespace = member.group.partition("/")[0]
            yield from _group_rights("podgroups", namespace)
    if flight.tree:
        yield from _group_rights("compositepodgroups", flight.tree.partition("/")[0])
    for falling in flight.fallings:
        namespace = falling.pod.partition("/")[0]
        yield Right("create", "", "pods/eviction", namespace)
        yield Right("get", "", "pods", namespace)
        yield Right("patch", "", "pods/status", namespace)
        if not falling.ours:
            yield Right("patch", "", "nodes")
    for one in flight.allocatings:
        namespace = one.claim.partition("/")[0]
        for verb in ("get", "patch"):
            yield Right(verb, "resource.k8s.io", "resourceclaims", namespace)
        yield Right("list", "resource.k8s.io", "resourceclaims")
        for sub in ("status", "binding"):
            yield Right("update", "resource.k8s.io", f"resourceclaims/{sub}", namespace)


def _group_rights(plural: str, namespace: str) -> Iterator[Right]:
    yield Right("get", "scheduling.k8s.io", plural, namespace)
    yield Right("patch", "scheduling.k8s.io", f"{plural}/status", namespace)


def lacks(site: Site, right: Right) -> str:
    """Say that a right is lacking; empty where it is not, or cannot be asked for.

    Raises
    ------
    ApiError, Unreachable : the server does not answer.
    """
    resource, _, sub = right.resource.partition("/")
    asked = {
        "verb": right.verb,
        "group": right.group,
        "resource": resource,
        "subresource": sub,
        "namespace": right.namespace,
    }
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": asked},
    }
    where = f" in namespace {right.namespace}" if right.namespace else ""
    try:
        answer = site.client.post(_REVIEWS, review, dry_run=True)
    except Denied as error:
        site.say(f"whether we may {right.verb} {right.resource}{where} cannot be asked: {error}")
        return ""
    if answer.get("status", {}).get("allowed"):
        return ""
    of = f" ({right.group})" if right.group else ""
    gives = "the component evict-foreign" if right.resource == "nodes" else _INSTALL
    return (
        f"we may not {right.verb} {right.resource}{of}{where}: these credentials lack the right"
        f" ({gives} gives it to the account gangplan)"
    )
