"""``kubectl apply -k cluster/deploy`` on a real server."""

import shutil
import subprocess

import pytest

from gangplan.cluster.kinds import POD, Kind
from tests.cluster.deploy.rights import DEPLOY
from tests.cluster.live import Live

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(shutil.which("kubectl") is None, reason="no kubectl on this machine"),
]

DEPLOYMENT = Kind("apps", "v1", "deployments", "Deployment")
NAME = "gangplan-system/gangplan"


def kubectl(live: Live, *args: str) -> list[str]:
    command = ["kubectl", "--kubeconfig", str(live.plane.admin), *args]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Warning" not in done.stderr.replace("Warning: resource", "")
    return done.stdout.splitlines()


def test_the_manifests_are_accepted_and_a_second_time_change_nothing(cluster: Live) -> None:
    said = kubectl(cluster, "apply", "-k", str(DEPLOY))
    assert len(said) == 8
    assert kubectl(cluster, "diff", "-k", str(DEPLOY)) == []
    cluster.admin.delete(DEPLOYMENT.path_of(NAME))


def test_a_pod_of_the_deployment_is_admitted_where_restricted_is_enforced(cluster: Live) -> None:
    kubectl(cluster, "apply", "-k", str(DEPLOY))
    template = cluster.admin.get(DEPLOYMENT.path_of(NAME))["spec"]["template"]
    cluster.admin.delete(DEPLOYMENT.path_of(NAME))
    pod = {"metadata": {**template["metadata"], "name": "scheduler"}, "spec": template["spec"]}
    made = cluster.admin.post(POD.path("gangplan-system"), pod, dry_run=True)
    assert made["spec"]["priority"] == 2000000000
    container = made["spec"]["containers"][0]
    assert container["image"].startswith("registry.example/gangplan:")
