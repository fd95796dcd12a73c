from pathlib import Path

import numpy as np
import pytest

from gangplan.datasets.traces.knavigator import knavigator
from gangplan.datasets.traces.slurm import slurm
from gangplan.datasets.traces.topograph import topograph
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance
from gangplan.models.topology import PREFERRED, REQUIRED

DATA = Path(__file__).parents[2] / "data" / "traces"


def labels(instance: Instance, level: str) -> list[str]:
    row = instance.topology.domain[instance.names.levels.index(level)]
    return ["" if d < 0 else instance.names.domains[d] for d in row.tolist()]


def test_a_switch_tree_becomes_one_level_a_tier() -> None:
    instance = topograph(DATA / "topograph_model.yaml")
    assert instance.names.nodes == (
        "n101",
        "n102",
        "n104",
        "n1201",
        "n1202",
        "2101",
        "2102",
        "2201",
    )
    assert instance.names.levels == (
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
        "fabric.topograph.run/tier-2",
        "fabric.topograph.run/tier-1",
        "fabric.topograph.run/tier-0",
        "accelerator.topograph.run/domain",
        "accelerator.topograph.run/sub-domain",
    )
    assert labels(instance, "fabric.topograph.run/tier-2") == ["hall"] * 8
    assert labels(instance, "fabric.topograph.run/tier-1") == ["row-1"] * 5 + ["row-2"] * 3
    assert labels(instance, "topology.kubernetes.io/zone") == ["left"] * 5 + ["right"] * 3
    assert labels(instance, "accelerator.topograph.run/domain") == ["nv-a"] * 5 + ["nv-b"] * 2 + [
        ""
    ]
    assert (instance.nodes.free == 8).all()


def test_what_is_added_or_left_out_is_said() -> None:
    notes = topograph(DATA / "topograph_model.yaml", gpus=4, groups=3, seed=2).names.notes
    assert "switch row-3 has no node below it" in notes
    assert "added: 4 GPUs a node, 3 gangs (seed 2)" in notes


def test_added_gangs_are_repeatable_and_lie_in_the_levels() -> None:
    one = topograph(DATA / "topograph_model.yaml", groups=40, seed=5)
    assert one.digest() == topograph(DATA / "topograph_model.yaml", groups=40, seed=5).digest()
    assert one.digest() != topograph(DATA / "topograph_model.yaml", groups=40, seed=6).digest()
    assert len(one.groups) == 40
    assert (one.groups.minimum == one.roles.wanted).all()
    assert set(one.rules.mode.tolist()) == {REQUIRED, PREFERRED}
    assert len(topograph(DATA / "topograph_model.yaml", nodes=3).nodes) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "model: a mapping expected, not a list"),
        ("switches: {a: {switches: [b]}}\nblocks: []", "no nodes"),
        ("switches: {a: {switches: [b]}}\nblocks: [{switch: c, nodes: [n1]}]", "c is no switch"),
        ("switches: {a: {switches: [b]}, b: {switches: [a]}}\nblocks: []", "lies below itself"),
        ("switches: {a: {switches: [a]}}\nblocks: []", "lies below itself: a -> a"),
        ("switches: {a: {switches: [c]}, b: {switches: [c]}}", "hangs under a and under b"),
        ("switches: {a: {switches: b}}", "a list expected"),
        ("switches: {a: [b]}", "switch a: a mapping expected"),
        (
            "switches: {a: {switches: [b]}}\nblocks: [{switch: b, nodes: ['n[2-1]']}]",
            r"blocks\[0\]: nodes: .*backwards",
        ),
        (
            "switches: {a: {switches: [b, c]}}\n"
            "blocks: [{switch: b, nodes: ['n[1-2]']}, {switch: c, nodes: [n2]}]",
            r"node n2: in blocks\[0\] \(switch b\) and in blocks\[1\] \(switch c\)",
        ),
        ("switches: {a: {switches: [b]}}\nblocks: [{nodes: [n1]}]", "switch: missing"),
        ("a: [1", r"model.yaml:\d+: not YAML"),
    ],
)
def test_a_wrong_model_is_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "model.yaml").write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        topograph(tmp_path / "model.yaml")
    assert "model.yaml" in str(caught.value)


def test_a_key_that_nobody_reads_is_noted(tmp_path: Path) -> None:
    text = "switches: {a: {switches: [b], colour: red}}\n"
    text += "blocks: [{switch: b, nodes: [n1], rank: 3}]\nx: 1"
    (tmp_path / "model.yaml").write_text(text)
    notes = topograph(tmp_path / "model.yaml").names.notes
    assert {"switch a: colour is not read", "blocks[0]: rank is not read"} <= set(notes)
    assert "model: x is not read" in notes


def test_a_slurm_tree_cuts_nodes_as_the_model_does() -> None:
    tree = slurm(DATA / "slurm_tree.conf")
    model = topograph(DATA / "topograph_model.yaml")
    for tier in range(3):
        level = f"fabric.topograph.run/tier-{tier}"
        assert labels(tree, level) == labels(model, level)


def test_slurm_blocks_are_accelerator_domains() -> None:
    instance = slurm(DATA / "slurm_block.conf")
    assert instance.names.nodes == ("a1", "a2", "b08", "b09", "b10")
    assert labels(instance, "accelerator.topograph.run/domain") == ["one"] * 2 + ["two"] * 3
    assert "blocksizes is not read" in instance.names.notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n2", "node n2: in .*:1 and in .*:2"),
        ("SwitchName=a Switches=b", "switch b: has no line"),
        ("SwitchName=a Switches=b\nSwitchName=b Switches=a", "lies below itself"),
        ("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2", "switch a: named twice"),
        ("SwitchName a", ":1: not a line"),
        ("SwitchName=a Nodes=n[1", ":1: nodes: "),
        ("# nothing", "no nodes"),
    ],
)
def test_a_wrong_slurm_file_is_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "topology.conf").write_text(text)
    with pytest.raises(InputError, match=message):
        slurm(tmp_path / "topology.conf")


def test_a_cordoned_node_takes_no_pod() -> None:
    instance = knavigator(DATA / "knavigator_nodes.yaml", (2,))
    assert instance.names.levels == (
        "network.topology.nvidia.com/spine",
        "network.topology.nvidia.com/block",
    )
    assert instance.can_use.tolist() == [[False, True, True, True]]
    assert instance.roles.devices.tolist() == [4]
    assert instance.rules.mode.tolist() == [PREFERRED, PREFERRED]


def test_a_cluster_that_is_cordoned_throughout_is_allowed(tmp_path: Path) -> None:
    text = (DATA / "knavigator_nodes.yaml").read_text()
    selectors = ", ".join(f"{{node-id: k{n}}}" for n in range(1, 5))
    (tmp_path / "all.yaml").write_text(text.replace("[{node-id: k1}]", f"[{selectors}]"))
    assert not knavigator(tmp_path / "all.yaml", (2,)).can_use.any()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{node-id: k1}]", "{node-id: k9}]", "selects no node"),
        ("node-id: k2,", "", "labels.node-id: missing"),
        ("node-id: k2,", "node-id: k3,", "node k3: in"),
        ("count: 1, labels: {node-id: k2", "count: 2, labels: {node-id: k2", "count: 1 expected"),
        ("{unschedulable: true}", "{unschedulable: soon}", "only unschedulable"),
        ("{unschedulable: true}", "{taints: []}", "only unschedulable"),
        ('sp, nvidia.com/gpu.count: "4"', "sp, nvidia.com/gpu.count: many", "whole number"),
    ],
)
def test_a_wrong_workflow_is_refused_by_name(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = (DATA / "knavigator_nodes.yaml").read_text()
    assert old in text
    (tmp_path / "nodes.yaml").write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=message):
        knavigator(tmp_path / "nodes.yaml")


def test_domains_of_a_level_are_numbered_apart_from_other_levels() -> None:
    topology = topograph(DATA / "topograph_model.yaml").topology
    used = [np.unique(row[row >= 0]) for row in topology.domain]
    assert sum(map(len, used)) == topology.n_domains == len(np.unique(np.concatenate(used)))
