"""The account of the manifests may do what is needed, and nothing that nobody ever asks for."""

from pathlib import Path

import pytest

from tests.cluster import devices, workloads
from tests.cluster.deploy.rights import DEPLOY, Right, granted, objects, refused, used
from tests.cluster.e2e.ways import Way
from tests.cluster.live import Live
from tests.controlplane.plane import ControlPlane

pytestmark = pytest.mark.cluster

AUTHORIZED_ONLY = {Right("update", "resource.k8s.io", "resourceclaims/binding")}
"""No request has this name: the server asks for it beside ``resourceclaims/status`` (KEP-5963)."""

WHEN_IT_GOES_WRONG = {
    Right("delete", "", "pods"),
    Right("get", "batch", "jobs"),
    Right("get", "", "nodes"),
    Right("get", "", "configmaps"),
}
"""A flight is taken back, or an answer of its journal was lost: tests/cluster/carry does that."""

ELSEWHERE = {Right(verb, "kueue.x-k8s.io", "topologies") for verb in ("list", "watch")}
"""Kueue's own API is not served here."""


def work(live: Live) -> None:
    """Make everything happen once: by the scheduler, then by snapshot, plan and apply."""
    version = live.served.group_version
    live.create(
        workloads.priority_class("low", 1),
        workloads.priority_class("high", 100),
        devices.device_class(),
        devices.claim_template("one"),
        *workloads.racks(1, 3, cpu="4"),
        *(devices.gpus_of(f"n{number}", 1) for number in range(3)),
    )
    claims = {"gpu": devices.from_template("one")}
    live.create(*workloads.gang(version, "old", 3, cpu="3", priority_class="low"))
    scheduler = Way(live, "scheduler")
    scheduler.go(lambda: len(live.bound()) == 3)
    live.create(*workloads.gang(version, "new", 2, cpu="3", priority_class="high"))
    if "CompositePodGroup" in live.served:
        live.create(*workloads.tree("tree", 1, {"a": 1}, cpu="1", priority_class="high"))
        scheduler.go(lambda: "tree-a-0" in live.bound())
    scheduler.go(lambda: {"new-0", "new-1"} <= set(live.bound()))
    live.create(*workloads.gang(version, "claiming", 1, cpu="1", claims=claims))
    scheduler.go(lambda: "claiming-0" in live.bound())
    scheduler.stop()
    live.create(*workloads.gang(version, "late", 1, cpu="500m", priority_class="high"))
    Way(live, "apply").go(lambda: "late-0" in live.bound())


def test_every_right_is_used_and_none_is_missing(version: str, tmp_path: Path) -> None:
    with ControlPlane(version, tmp_path / "plane", audit=True) as plane:
        live = Live(plane, tmp_path)
        live.install()
        try:
            work(live)
        finally:
            live.close()
        kinds = set(live.served.kinds)
        asked = used(plane.audit_log)
        assert refused(plane.audit_log) == []
    base = set(DEPLOY.glob("*.yaml")) - {DEPLOY / "kustomization.yaml"}
    unused = granted(objects(*base)) - asked - AUTHORIZED_ONLY - WHEN_IT_GOES_WRONG - ELSEWHERE
    absent = {"CompositePodGroup": "compositepodgroups", "DeviceTaintRule": "devicetaintrules"}
    missing = {plural for name, plural in absent.items() if name not in kinds}
    assert {right for right in unused if right.resource.split("/")[0] not in missing} == set()
