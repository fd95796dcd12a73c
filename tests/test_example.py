"""The example cluster: written by its script, planned as the README says."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from examples.make_cluster.listing import cluster, text

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_the_file_is_what_the_script_writes() -> None:
    assert (EXAMPLES / "cluster.json").read_text() == text()
    assert json.loads(text()) == cluster()


def test_the_script_prints_it() -> None:
    command = [sys.executable, "-m", "examples.make_cluster"]
    printed = subprocess.run(command, cwd=EXAMPLES.parent, capture_output=True, check=True).stdout
    assert printed == (EXAMPLES / "cluster.json").read_bytes()


def test_it_is_a_kubectl_list_of_about_sixty_nodes() -> None:
    whole = json.loads((EXAMPLES / "cluster.json").read_text())
    assert (whole["apiVersion"], whole["kind"]) == ("v1", "List")
    kinds = Counter(item["kind"] for item in whole["items"])
    assert kinds["Node"] == 64
    names = [
        (item["kind"], item["metadata"].get("namespace"), item["metadata"]["name"])
        for item in whole["items"]
    ]
    assert len(set(names)) == len(names)
    assert len({item["metadata"]["uid"] for item in whole["items"]}) == len(names)
    assert (EXAMPLES / "cluster.json").stat().st_size < 400_000


def test_bound_pods_fit_their_nodes() -> None:
    items = json.loads((EXAMPLES / "cluster.json").read_text())["items"]
    room = {
        item["metadata"]["name"]: int(item["status"]["allocatable"].get("nvidia.com/gpu", 0))
        for item in items
        if item["kind"] == "Node"
    }
    for item in items:
        if item["kind"] == "Pod" and "nodeName" in item["spec"]:
            for container in item["spec"]["containers"]:
                gpus = int(container["resources"]["requests"].get("nvidia.com/gpu", 0))
                room[item["spec"]["nodeName"]] -= gpus
    assert min(room.values()) >= 0
