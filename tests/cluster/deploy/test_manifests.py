"""The manifests say what they mean, whatever cluster they are applied to."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from gangplan.cluster.kinds import (
    BUDGET,
    COMPOSITE,
    CORE,
    DRA_KINDS,
    GROUP_KINDS,
    LEASE,
    NAMESPACE,
    TAINT_RULE,
)
from gangplan.cluster.listing import UNREAD
from tests.cluster.deploy.rights import DEPLOY, Right, granted, objects

ROOT = DEPLOY.parents[1]
BASE = sorted(set(DEPLOY.glob("*.yaml")) - {DEPLOY / "kustomization.yaml"})
GIVEN = granted(objects(*BASE))


def deployment() -> dict[str, Any]:
    return next(obj for obj in objects(*BASE) if obj["kind"] == "Deployment")


def test_every_manifest_is_part_of_the_kustomization() -> None:
    (document,) = objects(DEPLOY / "kustomization.yaml")
    assert sorted(document["resources"]) == [file.name for file in BASE]


READ = [
    kind
    for kind in (*CORE, *GROUP_KINDS, COMPOSITE, *DRA_KINDS, TAINT_RULE, BUDGET)
    if kind.name not in UNREAD
]


@pytest.mark.parametrize("kind", READ, ids=lambda kind: kind.name)
def test_what_planning_reads_may_be_listed_and_watched(kind: Any) -> None:
    for verb in ("list", "watch"):
        assert Right(verb, kind.group, kind.plural) in GIVEN


def test_no_right_is_given_by_a_star_and_none_to_secrets() -> None:
    assert not any("*" in part for right in GIVEN for part in right)
    assert not {right.resource for right in GIVEN} & {"secrets", "serviceaccounts/token"}


def test_without_foreign_victims_no_node_and_no_namespace_is_written() -> None:
    written = {right.verb for right in GIVEN if right.resource.startswith(("nodes", "namespaces"))}
    assert written <= {"get", "list", "watch"}


def test_the_lock_and_the_journals_are_written_in_one_namespace_only() -> None:
    wide = granted(obj for obj in objects(*BASE) if obj["kind"] == "ClusterRole")
    assert not {right for right in wide if right.resource in ("configmaps", "leases")}
    assert Right("update", LEASE.group, LEASE.plural) in GIVEN
    assert Right("get", NAMESPACE.group, NAMESPACE.plural) in GIVEN


def test_the_image_holds_the_versions_that_the_tests_run_with() -> None:
    tested, shipped = _pins(ROOT / "requirements.lock"), _pins(DEPLOY / "requirements.lock")
    assert shipped
    assert shipped <= tested
    assert {"kubernetes", "highspy"} <= {pin.partition("==")[0] for pin in shipped}


def _pins(lock: Path) -> set[str]:
    return set(re.findall(r"^\S+==\S+", lock.read_text(), re.MULTILINE))


def test_the_grace_of_the_pod_is_longer_than_that_of_the_flights() -> None:
    from gangplan.cluster.scheduler.settings import Settings

    spec = deployment()["spec"]["template"]["spec"]
    assert spec["terminationGracePeriodSeconds"] > Settings().grace + 10


def test_containerfile_and_deployment_run_the_same_command() -> None:
    lines = (DEPLOY / "Containerfile").read_text().splitlines()
    (command,) = [line.removeprefix("CMD ") for line in lines if line.startswith("CMD ")]
    (container,) = deployment()["spec"]["template"]["spec"]["containers"]
    assert json.loads(command) == container["args"]


def test_the_budget_and_the_replicas_find_the_same_pods() -> None:
    (budget,) = [obj for obj in objects(*BASE) if obj["kind"] == "PodDisruptionBudget"]
    labels = deployment()["spec"]["template"]["metadata"]["labels"]
    assert budget["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert deployment()["spec"]["replicas"] > budget["spec"]["maxUnavailable"]


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="no kubectl on this machine")
def test_the_component_gives_the_right_and_the_flag_for_foreign_victims(tmp_path: Path) -> None:
    base = Path("../" * len(tmp_path.resolve().parts[1:])) / DEPLOY.relative_to("/")
    overlay = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [str(base)],
        "components": [str(base / "evict-foreign")],
    }
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(overlay))
    command = ["kubectl", "kustomize", str(tmp_path)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = list(yaml.safe_load_all(text))
    assert granted(found) - GIVEN == {Right("patch", "", "nodes")}
    (made,) = [obj for obj in found if obj["kind"] == "Deployment"]
    args = made["spec"]["template"]["spec"]["containers"][0]["args"]
    before = deployment()["spec"]["template"]["spec"]["containers"][0]["args"]
    assert args == [*before, "--evict-foreign"]
