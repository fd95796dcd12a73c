"""Whether we may write what the flights will write: asked of the server, verb by verb.

``SelfSubjectAccessReview`` (authorization.k8s.io/v1) stores nothing. It is asked for what a dry run
would not show, such as the right to delete the pods that we bound, which only an undo needs.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from gangplan.cluster.errors import Denied, NotFound
from gangplan.cluster.flight import Flight
from gangplan.cluster.kinds import NAMESPACE
from gangplan.cluster.site import Site

_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


@dataclass(frozen=True, slots=True)
class Right:
    """A verb on a resource (``pods/binding``); no namespace where the kind has none."""

    verb: str
    group: str
    resource: str
    namespace: str = ""


def rights(site: Site, flights: Sequence[Flight]) -> tuple[str, ...]:
    """Say which rights the adapter's user lacks for these flights.

    Raises
    ------
    ApiError, Unreachable : the server does not answer.
    """
    try:
        site.client.get(NAMESPACE.path_of(site.namespace))
    except NotFound:
        where = f"there is no namespace {site.namespace}, where the lock and the journals lie"
        return (f"{where}: 'kubectl apply -k cluster/deploy' makes it",)
    wanted = list(dict.fromkeys(right for flight in flights for right in _needed(site, flight)))
    with ThreadPoolExecutor(site.parallel) as pool:
        answers = pool.map(lambda right: lacks(site, right), wanted)
        return tuple(said for said in answers if said)


def _needed(site: Site, flight: Flight) -> Iterator[Right]:
    for verb in ("create", "update", "delete"):
        yield Right(verb, "", "configmaps", site.namespace)
    for verb in ("create", "update"):
        yield Right(verb, "coordination.k8s.io", "leases", site.namespace)
    for namespace in {placing.pod.partition("/")[0] for placing in flight.placings}:
        yield Right("create", "", "pods/binding", namespace)
        yield Right("delete", "", "pods", namespace)
        yield Right("patch", "", "pods/status", namespace)
    for member in flight.members:
        if member.kind != "Pod":
            namespace = member.group.partition("/")[0]
            yield Right("patch", "scheduling.k8s.io", "podgroups/status", namespace)
    for falling in flight.fallings:
        yield Right("create", "", "pods/eviction", falling.pod.partition("/")[0])
        if not falling.ours:
            yield Right("patch", "", "nodes")
    for one in flight.allocatings:
        namespace = one.claim.partition("/")[0]
        yield Right("patch", "resource.k8s.io", "resourceclaims", namespace)
        for sub in ("status", "binding"):
            yield Right("update", "resource.k8s.io", f"resourceclaims/{sub}", namespace)


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
    return f"we may not {right.verb} {right.resource}{of}{where}: the cluster's rights lack it"
