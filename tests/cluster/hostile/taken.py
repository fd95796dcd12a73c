"""Rights that are taken from the adapter's account, and given back."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gangplan.cluster.checks.rights import Right, lacks
from tests.cluster.checks.planned import site_of
from tests.cluster.live import Live

Object = dict[str, Any]

_API = "/apis/rbac.authorization.k8s.io/v1"
ROLES = (
    f"{_API}/clusterroles/gangplan",
    f"{_API}/namespaces/gangplan-system/roles/gangplan",
)


@contextmanager
def without(live: Live, right: Right) -> Iterator[None]:
    """Take one verb on one resource away, and give it back."""
    take(live, right)
    try:
        yield
    finally:
        give_back(live, right)


def take(live: Live, right: Right) -> None:
    """Take one verb on one resource away."""
    for role in ROLES:
        rules = live.admin.get(role)["rules"]
        live.admin.patch(role, {"rules": [one for rule in rules for one in _less(rule, right)]})
    live.wait(lambda: lacks(site_of(live), right))


def give_back(live: Live, right: Right) -> None:
    """Give it again what the manifests say; rules that say nothing of it stay."""
    role = ROLES[1] if right.namespace else ROLES[0]
    rule = {"apiGroups": [right.group], "resources": [right.resource], "verbs": [right.verb]}
    live.admin.patch(role, {"rules": [*live.admin.get(role)["rules"], rule]})
    live.wait(lambda: not lacks(site_of(live), right))


def _less(rule: Object, right: Right) -> Iterator[Object]:
    """Give a rule for each of its resources, without the verb."""
    for resource in rule["resources"]:
        verbs = rule["verbs"]
        if resource == right.resource and right.group in rule["apiGroups"]:
            verbs = [verb for verb in verbs if verb != right.verb]
        if verbs:
            yield {**rule, "resources": [resource], "verbs": verbs}
