import json
from pathlib import Path

import yaml

from gangplan.datasets.kubernetes.objects.nodes import node
from gangplan.datasets.kubernetes.objects.pods import pod
from gangplan.datasets.kubernetes.records import NodeRecord, PodRecord
from gangplan.datasets.kubernetes.text.documents import load
from gangplan.datasets.kubernetes.text.fields import Faults
from gangplan.experiments.dump import write_dump


def records(path: Path) -> tuple[list[NodeRecord], list[PodRecord]]:
    faults = Faults()
    nodes, pods = [], []
    for document in load([str(path)], faults):
        if document.kind == "Node":
            nodes.append(node(document, faults))
        elif document.kind == "Pod":
            pods.append(pod(document, faults))
    assert len(faults) == 0
    return [one for one in nodes if one], [one for one in pods if one]


def test_every_object_of_a_dump_becomes_a_record(tmp_path: Path) -> None:
    write_dump(tmp_path / "d.json", 20, 100)
    nodes, pods = records(tmp_path / "d.json")
    assert len(nodes) == 20
    assert all(one.ready and one.allocatable["cpu"] == 15_500 for one in nodes)
    assert len(pods) == 100
    assert all(one.request["pods"] == 1 and one.request["cpu"] >= 1000 for one in pods)
    assert not any(one.unsupported for one in pods)
    bound = [one for one in pods if one.node]
    assert 0 < len(bound) < 100
    assert all(one.phase == "Running" for one in bound)


def test_pods_on_a_node_of_the_dump_fit_it(tmp_path: Path) -> None:
    write_dump(tmp_path / "d.json", 20, 200)
    nodes, pods = records(tmp_path / "d.json")
    for one in nodes:
        mine = [other.request for other in pods if other.node == one.name]
        for name in ("cpu", "memory", "nvidia.com/gpu", "pods"):
            assert sum(request.get(name, 0) for request in mine) <= one.allocatable[name]


def test_one_seed_gives_one_dump(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_dump(tmp_path / name, 3, 20, seed)
    one, same, other = ((tmp_path / name).read_bytes() for name in "abc")
    assert one == same != other


def test_yaml_and_json_of_one_dump_give_the_same_records(tmp_path: Path) -> None:
    write_dump(tmp_path / "d.json", 4, 20)
    whole = json.loads((tmp_path / "d.json").read_text())
    (tmp_path / "y").mkdir()
    (tmp_path / "y" / "d.json").write_text(yaml.safe_dump(whole))
    as_json, as_yaml = records(tmp_path / "d.json"), records(tmp_path / "y" / "d.json")
    assert repr(as_json).replace("/d.json", "") == repr(as_yaml).replace("/y/d.json", "")
