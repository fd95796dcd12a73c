"""``gangplan snapshot`` on a real server, and ``gangplan plan`` of what it wrote."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from gangplan.cluster.listing import take
from gangplan.cluster.world import name_of, seconds_of
from gangplan.datasets.kubernetes.text.documents import load
from gangplan.datasets.kubernetes.text.fields import Faults
from tests.cluster import workloads
from tests.cluster.live import Live

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

Object = dict[str, Any]


def filled(cluster: Live) -> None:
    cluster.create(
        *workloads.racks(2, 2),
        *workloads.gang(cluster.served.group_version, "ring", 3, cpu="4"),
        workloads.pod("other", scheduler="default-scheduler"),
        workloads.pod("busy", node="n0", cpu="4"),
    )


def items(path: Path) -> list[Object]:
    faults = Faults()
    found = [document.obj for document in load([str(path)], faults)]
    faults.check()
    return found


def test_a_snapshot_says_what_it_is_and_holds_the_cluster(cluster: Live, version: str) -> None:
    filled(cluster)
    done = cluster.run("snapshot", "-o", "s.json", "--scheduler-name", "mine", "--evict-foreign")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "4 Node" in done.stderr
    assert "5 Pod" in done.stderr
    whole = json.loads((cluster.folder / "s.json").read_text())
    assert (whole["apiVersion"], whole["kind"]) == ("v1", "List")
    head, *rest = whole["items"]
    world = take(cluster.client, cluster.served)
    assert (head["apiVersion"], head["kind"]) == ("gangplan.io/v1", "Snapshot")
    assert head["spec"]["cluster"] == world.cluster
    assert head["spec"]["version"].startswith(f"v{version}.")
    assert head["spec"]["schedulerName"] == "mine"
    assert head["spec"]["evictForeign"] is True
    assert 0 <= world.taken - seconds_of(head["spec"]["taken"]) < 60
    assert int(head["spec"]["resourceVersion"]) <= int(world.resource_version)
    names = sorted(name_of(obj) for obj in rest if obj["kind"] == "Pod")
    assert names == sorted(map(name_of, world.objects["Pod"]))


def test_a_snapshot_can_be_planned(cluster: Live) -> None:
    filled(cluster)
    assert cluster.run("snapshot", "-o", "s.json").returncode == 0
    done = cluster.run("plan", "s.json", "--pdb", "hard", "-o", "p.json")
    assert done.returncode == 0, done.stderr
    plan = json.loads((cluster.folder / "p.json").read_text())
    ring = next(group for group in plan["groups"] if group["group"] == "default/ring")
    assert ring["status"] == "admitted"
    assert len(ring["pods"]) == 3


def test_an_anonymised_snapshot_has_no_name_and_the_same_plan(cluster: Live) -> None:
    filled(cluster)
    assert cluster.run("snapshot", "-o", "s.json", "--anonymise").returncode == 0
    assert "ring" not in (cluster.folder / "s.json").read_text()
    done = cluster.run("plan", "s.json", "-o", "p.json")
    assert done.returncode == 0, done.stderr
    (group,) = json.loads((cluster.folder / "p.json").read_text())["groups"]
    assert (group["status"], len(group["pods"])) == ("admitted", 3)


def test_gz_and_standard_output_hold_the_same_objects(cluster: Live) -> None:
    filled(cluster)
    assert cluster.run("snapshot", "-o", "s.json").returncode == 0
    assert cluster.run("snapshot", "-o", "s.json.gz").returncode == 0
    done = cluster.run("snapshot", "-o", "-")
    assert done.returncode == 0
    (cluster.folder / "o.json").write_text(done.stdout)
    assert gzip.decompress((cluster.folder / "s.json.gz").read_bytes())[:1] == b"{"
    names = ("s.json", "s.json.gz", "o.json")
    plain, packed, out = (items(cluster.folder / name) for name in names)
    assert plain[1:] == packed[1:] == out[1:]


def test_a_file_is_whole_or_not_at_all(cluster: Live) -> None:
    target = cluster.folder / "s.json"
    target.write_text("old")
    cluster.plane.end("kube-apiserver", kill=True)
    try:
        done = cluster.run("snapshot", "-o", "s.json")
    finally:
        cluster.plane.start_server()
    assert done.returncode == 4
    assert target.read_text() == "old"
    assert list(cluster.folder.glob(".gangplan-*")) == []


def test_a_path_that_cannot_be_written_is_refused_before_anything_is_read(cluster: Live) -> None:
    done = cluster.run("snapshot", "-o", "no/such/folder/s.json")
    assert done.returncode == 1
    why = "cannot be written: its folder does not exist"
    assert done.stderr == f"error: no/such/folder/s.json: {why}\n"


def test_no_output_is_a_usage_error(cluster: Live) -> None:
    done = cluster.run("snapshot")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
