"""The same loaders on the public files; left out, with one line, where the files are not there."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from gangplan import api
from gangplan.datasets import traces
from gangplan.datasets.traces.folder import data_folder
from gangplan.models.instance import Instance

pytestmark = pytest.mark.public_data


def load(name: str, **sizes: int) -> Instance:
    trace = next(trace for trace in traces.catalogue() if trace.name == name)
    if not trace.available():
        files = ", ".join(file.path for file in trace.files)
        pytest.skip(f"left out: {name} needs {files}; set GANGPLAN_DATA")
    return traces.load(name, **sizes)


@pytest.mark.parametrize(
    ("name", "nodes", "pods", "thousandths"),
    [
        ("openb", 1213, 8152, 6_086_800),
        ("openb-all-nodes", 1523, 8152, 6_086_800),
        ("openb-cpu100", 1213, 7853, 6_086_800),
        ("openb-gpushare40", 1213, 8152, 5_641_200),
        ("openb-gpuspec20", 1213, 8152, 6_086_800),
        ("openb-multigpu20", 1213, 8324, 7_086_800),
        ("openb-multigpu40", 1213, 8746, 9_442_800),
    ],
)
def test_openb_has_the_published_sizes(name: str, nodes: int, pods: int, thousandths: int) -> None:
    instance = load(name)
    assert (len(instance.nodes), instance.n_pods) == (nodes, pods)
    assert len(instance.shared) == 6212
    demand = int(instance.roles.wanted @ instance.roles.devices)
    assert abs(demand - thousandths) < 100  # published to a tenth of a GPU


def test_openb_gpu_models_bind_1444_pods() -> None:
    instance = load("openb-gpuspec20")
    bound = ["-on-" in name for name in instance.names.groups]
    assert int(instance.roles.wanted[bound].sum()) == 1444


def test_a_sample_of_openb_has_the_sizes_asked_for() -> None:
    instance = load("openb", nodes=40, groups=60)
    assert (len(instance.nodes), instance.n_pods) == (40, 60)


def test_topograph_models_have_their_published_shape() -> None:
    shape = {
        name: (len(instance.nodes), sorted(np.bincount(instance.topology.level).tolist()))
        for name in ("small-tree", "medium", "large", "nvl72", "dual-xclr-regular")
        for instance in (load(f"topograph-{name}"),)
    }
    assert shape == {
        "small-tree": (6, [1, 2, 2]),
        "medium": (8, [1, 1, 2, 2, 4, 4]),
        "large": (96, [1, 1, 3, 6, 12, 12]),
        "nvl72": (72, [1, 1, 1, 2, 4, 4]),
        "dual-xclr-regular": (96, [1, 1, 2, 3, 6, 12, 12]),
    }


def test_the_slurm_files_describe_the_large_model() -> None:
    model, tree, block = load("topograph-large"), load("slurm-tree"), load("slurm-block")
    assert model.names.nodes == tree.names.nodes == block.names.nodes
    levels = [f"fabric.topograph.run/tier-{tier}" for tier in range(3)]
    for other, level in [*((tree, level) for level in levels), (block, block.names.levels[0])]:
        ours = model.topology.domain[model.names.levels.index(level)]
        theirs = other.topology.domain[other.names.levels.index(level)]
        assert len(set(zip(ours, theirs, strict=True))) == len(set(ours)) == len(set(theirs))


def test_knavigator_nodes_are_as_drawn() -> None:
    instance = load("knavigator-nodes")
    free = [instance.names.nodes[n] for n in np.flatnonzero(instance.can_use[0])]
    assert free == ["n2", "n4", "n5", "n7", "n8", "n9", "n10"]
    assert load("knavigator-nodes-acc").can_use.all()


def test_the_yaml_node_list_says_what_the_csv_says(tmp_path: Path) -> None:
    csv = load("openb")
    folder = data_folder()
    assert folder is not None
    packed = folder / "alibaba-gpu-v2023" / "openb_node_list_gpu_node.yaml.gz"
    nodes = tmp_path / "nodes.yaml"
    nodes.write_bytes(gzip.decompress(packed.read_bytes()))
    # A column is kept where a pod asks for it: one that asks for everything.
    pod = tmp_path / "pod.yaml"
    pod.write_text(
        "{apiVersion: v1, kind: Pod, metadata: {name: all}, spec: {containers: [{name: c, image: c,"
        " resources: {limits: {cpu: 1m, memory: 1, alibabacloud.com/gpu-milli: 1}}}]}}"
    )
    instance = api.load([nodes, pod])
    assert instance.names.nodes == csv.names.nodes
    columns = [instance.names.resources.index(name) for name in csv.names.resources]
    assert instance.nodes.free[:, columns].tolist() == csv.nodes.free.tolist()
    milli = instance.names.resources.index("alibabacloud.com/gpu-milli")
    devices = np.bincount(csv.shared.node, minlength=len(csv.nodes)) * 1000
    assert instance.nodes.free[:, milli].tolist() == devices.tolist()
