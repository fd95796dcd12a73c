"""The control plane of the tests is what it should be."""

import pytest

from gangplan.cluster.errors import Denied
from gangplan.cluster.kinds import NODE
from tests.cluster.live import Live

pytestmark = pytest.mark.cluster


def test_the_server_is_of_the_version_that_was_asked_for(cluster: Live, version: str) -> None:
    assert cluster.served.version.startswith(f"v{version}.")
    assert cluster.served.group_version == {"1.37": "v1beta1", "1.36": "v1alpha2"}[version]
    assert ("CompositePodGroup" in cluster.served) == (version == "1.37")
    assert not cluster.served.missing


def test_a_bound_pod_runs_and_a_deleted_one_goes(cluster: Live) -> None:
    cluster.create(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "n1"},
            "status": {
                "allocatable": {"cpu": "4", "pods": "110"},
                "capacity": {"cpu": "4", "pods": "110"},
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "p"},
            "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "example.invalid/c"}]},
        },
    )
    cluster.wait(lambda: cluster.get("Pod", "default/p")["status"]["phase"] == "Running")
    assert cluster.get("Node", "n1")["status"]["allocatable"]["cpu"] == "4"
    cluster.admin.delete("/api/v1/namespaces/default/pods/p", {"gracePeriodSeconds": 0})
    cluster.wait(lambda: not cluster.all("Pod"))


def test_the_adapter_may_not_delete_a_node(cluster: Live) -> None:
    with pytest.raises(Denied, match='cannot delete resource "nodes"'):
        cluster.client.delete(NODE.path("", "n1"))
