"""Each right of the manifests is taken away in turn: refused before the first write, and named."""

from collections.abc import Iterator
from typing import Any

import pytest

from gangplan.cluster.apply import apply
from gangplan.cluster.checks.rights import Right
from gangplan.cluster.errors import ClusterError
from gangplan.cluster.kinds import CONFIG_MAP, EVENT
from gangplan.cluster.telling.events import CONTROLLER
from tests.cluster import devices as d
from tests.cluster import workloads as w
from tests.cluster.apply.test_refusals import everything, settled
from tests.cluster.checks.planned import plan_of, site_of, world_of
from tests.cluster.deploy.rights import DEPLOY, objects
from tests.cluster.hostile.taken import without
from tests.cluster.live import Live

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

UNUSED = {
    Right("create", "events.k8s.io", "events"),  # an event that fails is said, and no error
    Right("get", "batch", "jobs"),  # as is a warning about a Job that cannot be made
    Right("get", "", "namespaces"),  # read by kube-system's name for the UID: the listing fails
}
"""Without these a flight goes on; so it does without all that only the scheduler watches."""


def _rights(live: Live) -> Iterator[Right]:
    """Rights that matter to ``apply`` here, as the manifests give them."""
    served = {kind.plural for kind in live.served.kinds.values()}
    for role in objects(DEPLOY / "rbac.yaml"):
        space = role["metadata"].get("namespace", "") if role["kind"] == "Role" else ""
        for rule in role.get("rules", ()):
            for group, resource, verb in (
                (group, resource, verb)
                for group in rule["apiGroups"]
                for resource in rule["resources"]
                for verb in rule["verbs"]
            ):
                plural = resource.partition("/")[0]
                known = plural in served or plural in ("configmaps", "leases")
                if verb != "watch" and known:
                    yield Right(verb, group, resource, space)


def test_a_right_that_lacks_is_named_and_nothing_is_written(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(w.priority_class("low", 1), w.priority_class("high", 9), d.device_class())
    cluster.create(*w.racks(1, 3), d.gpus_of("n0", 1), d.claim("c"))
    low = w.gang(version, "low", 2, cpu="6", priority_class="low")
    for number, member in enumerate(low[1:]):
        member["spec"]["nodeName"] = f"n{number}"
    high = w.gang(version, "high", 4, cpu="4", priority_class="high")
    cluster.create(*low, *high)
    cluster.create(w.pod("p", claims={"gpu": d.named("c")}, cpu="1"))
    if "CompositePodGroup" in cluster.served:
        cluster.create(*w.tree("tree", 1, {"a": 1}, cpu="1", priority_class="high"))
    settled(cluster)
    before = _written(cluster)
    document = plan_of(world_of(cluster))
    unnamed = []
    for right in _rights(cluster):
        if right in UNUSED:
            continue
        with without(cluster, right):
            # A lease that we may not write is asked for 15 s: rights are slow after a start.
            yes = right.resource != "leases"
            try:
                apply(site_of(cluster), document, yes=yes, max_age=600.0)
            except ClusterError as error:
                said = str(error)
                if right.verb not in said or right.resource.partition("/")[0] not in said:
                    unnamed.append((right, said))
            else:
                unnamed.append((right, "it was carried out"))
        assert _written(cluster) == before, right
    assert not unnamed
    report = apply(site_of(cluster), document, yes=True, max_age=600.0)
    assert not report.stopped
    assert not cluster.admin.get(CONFIG_MAP.path("gangplan-system"), _OURS)["items"]


def _written(live: Live) -> object:
    """Give all that we could have written; controllers write events at any time."""
    found = everything(live)
    versions = {key: at for key, at in found["versions"].items() if key[0] != EVENT.path()}
    told = [one for one in live.admin.get(EVENT.path())["items"] if _is_ours(one)]
    return versions, found["nodes"], told


def _is_ours(event: dict[str, Any]) -> bool:
    return bool(event.get("reportingController") == CONTROLLER)


_OURS = {"labelSelector": "app.kubernetes.io/managed-by=gangplan"}
