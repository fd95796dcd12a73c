"""A World is one moment of a real cluster."""

import time

import pytest

from gangplan.cluster.client import Client
from gangplan.cluster.discovery import discover
from gangplan.cluster.errors import Denied, Gone
from gangplan.cluster.kinds import NODE, POD
from gangplan.cluster.listing import needed, pages, take
from gangplan.cluster.world import name_of
from tests.cluster import devices, workloads
from tests.cluster.faults.proxy import Proxy
from tests.cluster.faults.rules import Rule
from tests.cluster.live import Live

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

TOPOLOGY_CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {
        "name": "topologies.kueue.x-k8s.io",
        "annotations": {"api-approved.kubernetes.io": "unapproved, a test"},
    },
    "spec": {
        "group": "kueue.x-k8s.io",
        "scope": "Cluster",
        "names": {"kind": "Topology", "plural": "topologies", "singular": "topology"},
        "versions": [
            {
                "name": "v1beta2",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def test_everything_that_planning_needs_is_listed_with_its_kind(
    cluster: Live, version: str
) -> None:
    cluster.create(
        *workloads.racks(1, 2),
        workloads.pod_group(cluster.served.group_version, "g", minimum=1),
        workloads.pod("p", group="g"),
        devices.device_class(),
        devices.gpus_of("n0", 2),
        devices.claim("c"),
        workloads.budget("b", {"app": "x"}, 1),
    )
    world = take(cluster.client, cluster.served, "mine", evict_foreign=True)
    names = {kind: sorted(map(name_of, found)) for kind, found in world.objects.items() if found}
    assert names["Node"] == ["n0", "n1"]
    assert names["Pod"] == ["default/p"]
    assert names["PodGroup"] == ["default/g"]
    assert names["ResourceClaim"] == ["default/c"]
    assert names["PodDisruptionBudget"] == ["default/b"]
    assert set(world.objects) == {kind.name for kind in needed(cluster.served)}
    for kind, found in world.objects.items():
        for obj in found:
            assert (obj["kind"], obj["apiVersion"]) == (kind, cluster.served[kind].api_version)
            assert obj["metadata"]["uid"]
            assert "managedFields" not in obj["metadata"]
    assert (world.scheduler, world.evict_foreign) == ("mine", True)
    assert world.version.startswith(f"v{version}.")
    assert abs(world.taken - time.time()) < 5
    system = cluster.admin.get("/api/v1/namespaces/kube-system")
    assert world.cluster == system["metadata"]["uid"]


def test_chunks_of_two_give_the_same_as_one_answer(cluster: Live) -> None:
    cluster.create(*workloads.racks(1, 5), *(workloads.pod(f"p{n}") for n in range(5)))
    told: list[tuple[str, int]] = []
    small = take(
        cluster.client, cluster.served, chunk=2, progress=lambda what, n: told.append((what, n))
    )
    whole = take(cluster.client, cluster.served)
    assert sorted(map(name_of, small.objects["Pod"])) == [f"default/p{n}" for n in range(5)]
    assert sorted(map(name_of, small.objects["Node"])) == sorted(
        map(name_of, whole.objects["Node"])
    )
    assert [n for what, n in told if what == "nodes"] == [2, 4, 5]


def test_what_happens_between_the_lists_is_not_in_a_world(cluster: Live) -> None:
    cluster.create(*workloads.racks(1, 3), *(workloads.pod(f"p{n}") for n in range(4)))

    def meddle(what: str, count: int) -> None:
        if (what, count) == ("nodes", 2):  # in the middle of the nodes
            cluster.create(workloads.pod("late"))
            cluster.admin.delete(POD.path("default", "p3"), {"gracePeriodSeconds": 0})
        if (what, count) == ("pods", 2):
            cluster.admin.delete(POD.path("default", "p0"), {"gracePeriodSeconds": 0})
            cluster.admin.delete(NODE.path("", "n0"))

    world = take(cluster.client, cluster.served, chunk=2, progress=meddle)
    assert sorted(map(name_of, world.objects["Pod"])) == [f"default/p{n}" for n in range(4)]
    assert len(world.objects["Node"]) == 3
    now = take(cluster.client, cluster.served)
    assert sorted(map(name_of, now.objects["Pod"])) == ["default/late", "default/p1", "default/p2"]
    assert int(now.resource_version) > int(world.resource_version)


@pytest.mark.parametrize("path", ["/pods\\?limit=2&resourceVersion=", "/pods\\?limit=2&continue="])
def test_a_version_that_is_dropped_begins_the_listing_again(
    cluster: Live, proxy: Proxy, through: Client, path: str
) -> None:
    cluster.create(*workloads.racks(1, 1), *(workloads.pod(f"p{n}") for n in range(3)))
    proxy.rules = [Rule("answer", "GET", path, status=410, reason="Expired", times=2)]
    late: list[str] = []

    def meddle(what: str, count: int) -> None:
        if what == "nodes":
            late.append(f"late-{len(late)}")
            cluster.create(workloads.pod(late[-1]))

    world = take(through, cluster.served, chunk=2, progress=meddle)
    assert proxy.happened["answer 410"] == 2
    # The third listing has seen what came before it, and not what came during it.
    assert len(late) == 3
    names = {pod["metadata"]["name"] for pod in world.objects["Pod"]}
    assert names == {"p0", "p1", "p2", "late-0", "late-1"}


def test_a_server_that_keeps_no_history_is_given_up(
    cluster: Live, proxy: Proxy, through: Client
) -> None:
    proxy.rules = [Rule("answer", "GET", "/pods", status=410, reason="Expired", times=99)]
    with pytest.raises(Gone, match="5 times"):
        take(through, cluster.served)
    assert proxy.happened["answer 410"] == 5


def test_history_that_etcd_has_dropped_is_a_410_of_the_server(cluster: Live) -> None:
    """What the proxy plays in the tests above is what the real server says."""
    cluster.create(*workloads.racks(1, 1), *(workloads.pod(f"p{n}") for n in range(5)))
    newest = cluster.client.get(POD.path())["metadata"]["resourceVersion"]
    cluster.plane.compact(int(newest))
    cluster.plane.end("kube-apiserver", kill=True)  # whose cache remembers what etcd has dropped
    cluster.plane.start_server()
    with pytest.raises(Gone):
        list(pages(cluster.client, POD, version="2"))
    params = {"watch": "true", "resourceVersion": "2", "timeoutSeconds": 5}
    with pytest.raises(Gone):
        list(cluster.client.stream(POD.path(), params, 10.0))
    assert len(take(cluster.client, cluster.served, chunk=2).objects["Pod"]) == 5


def test_the_levels_of_kueue_are_in_the_world_where_it_is_served(cluster: Live) -> None:
    assert "Topology" not in cluster.served
    cluster.admin.post(CRDS, TOPOLOGY_CRD)
    try:
        served = cluster.wait(
            lambda: (s := discover(cluster.client)) and "Topology" in s and s, 20.0
        )
        level = {"nodeLabel": workloads.BLOCK}
        cluster.admin.post(
            served["Topology"].path(),
            {
                "apiVersion": "kueue.x-k8s.io/v1beta2",
                "kind": "Topology",
                "metadata": {"name": "t"},
                "spec": {"levels": [level]},
            },
        )
        found = take(cluster.client, served).objects["Topology"]
        assert [one["spec"]["levels"] for one in found] == [[level]]
    finally:
        cluster.admin.delete(f"{CRDS}/topologies.kueue.x-k8s.io")
        cluster.wait(lambda: "Topology" not in discover(cluster.admin), 20.0)


def test_a_verb_that_is_lacking_is_named(cluster: Live) -> None:
    roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles/gangplan"
    role = cluster.admin.get(roles)
    fewer = [
        rule | {"resources": [name for name in rule["resources"] if name != "podgroups"]}
        for rule in role["rules"]
    ]
    cluster.admin.patch(roles, {"rules": fewer})
    try:
        with pytest.raises(Denied, match='cannot list resource "podgroups" in API group'):
            cluster.wait(lambda: take(cluster.client, cluster.served) is None, 10.0)
    finally:
        cluster.admin.patch(roles, {"rules": role["rules"]})
