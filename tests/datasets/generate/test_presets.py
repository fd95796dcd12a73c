"""The generators draw the published numbers: the sums below were computed once, outside."""

from collections import Counter

import numpy as np
import pytest

from gangplan.datasets.generate import catalogue, generate
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance
from gangplan.models.topology import PREFERRED, REQUIRED

UNITS = np.array([1000, 2**30, 1, 1])
MIX = np.array([1, 3, 7, 11])


def figures(instance: Instance) -> dict[str, object]:
    """Sums over everything drawn; the last two also see the order of nodes and of gangs."""
    roles, groups = instance.roles, instance.groups
    free, request = instance.nodes.free // UNITS, roles.request // UNITS
    worth = groups.priority[roles.group] * roles.wanted
    rules = zip(instance.rules.level.tolist(), instance.rules.mode.tolist(), strict=True)
    return {
        "size": (len(instance.nodes), len(groups), instance.n_pods, len(roles)),
        "free": free.sum(axis=0).tolist(),
        "asked": (roles.wanted @ request).tolist(),
        "worth": int(worth @ roles.devices),
        "priorities": dict(sorted(Counter(groups.priority.tolist()).items())),
        "rules": Counter((instance.names.levels[level], mode) for level, mode in rules),
        "nodes in order": int(np.arange(1, len(free) + 1) @ free @ MIX),
        "gangs in order": int((worth * (roles.group + 1)) @ (request @ MIX)),
    }


def rules(rack: int, block: int, loose: int) -> Counter[tuple[str, int]]:
    counts = {("rack", REQUIRED): rack, ("block", REQUIRED): block, ("block", PREFERRED): loose}
    return Counter({key: n for key, n in counts.items() if n})


def test_training_5k_draws_the_published_numbers() -> None:
    assert figures(generate("training-5k")) == {
        "size": (5120, 1500, 9492, 1966),
        "free": [573992, 4649676, 32407, 560787],
        "asked": [564560, 4501568, 46736, 9492],
        "worth": 106858,
        "priorities": {1: 524, 2: 490, 4: 486},
        "rules": rules(607, 449, 444),
        "nodes in order": 53527265585,
        "gangs in order": 24912884608,
    }


def test_racks_5k_draws_the_published_numbers() -> None:
    assert figures(generate("racks-5k")) == {
        "size": (5112, 624, 5668, 624),
        "free": [271800, 1812000, 15100, 415250],
        "asked": [362752, 2267200, 22672, 5668],
        "worth": 52764,
        "priorities": {1: 208, 2: 213, 4: 203},
        "rules": rules(624, 0, 0),
        "nodes in order": 26555002375,
        "gangs in order": 5494658487,
    }


def test_vectors_512_draws_the_published_numbers() -> None:
    assert figures(generate("vectors-512")) == {
        "size": (512, 119, 1199, 139),
        "free": [66798, 532772, 3743, 56187],
        "asked": [57520, 512128, 4326, 1199],
        "worth": 6570,
        "priorities": {1: 68, 2: 51},
        "rules": rules(53, 36, 30),
        "nodes in order": 581441674,
        "gangs in order": 156111484,
    }


def test_vectors_5k_draws_the_published_numbers() -> None:
    assert figures(generate("vectors-5k")) == {
        "size": (5120, 1303, 12669, 1717),
        "free": [682282, 5472492, 37268, 561793],
        "asked": [590338, 4900812, 42898, 12669],
        "worth": 65516,
        "priorities": {1: 629, 2: 674},
        "rules": rules(653, 413, 237),
        "nodes in order": 61543229774,
        "gangs in order": 15530523129,
    }


def test_training_of_another_size_and_seed_draws_the_published_numbers() -> None:
    drawn = figures(generate("training", nodes=128, groups=60, seed=3))
    assert drawn["size"] == (128, 60, 343, 75)
    assert drawn["nodes in order"] == 34201638
    assert drawn["gangs in order"] == 31880692


def test_nodes_are_rounded_to_whole_racks() -> None:
    assert len(generate("racks", nodes=5120, groups=1).nodes) == 5112
    assert len(generate("training", nodes=1, groups=1).nodes) == 16
    assert len(generate("training-5k", nodes=100, groups=1).nodes) == 96


@pytest.mark.parametrize("name", ["training", "racks", "vectors"])
def test_groups_decides_the_number_of_gangs_whatever_the_load(name: str) -> None:
    few, many = (generate(name, nodes=36, groups=n) for n in (2, 90))
    assert (len(few.groups), len(many.groups)) == (2, 90)
    assert len(generate(name, nodes=36, groups=0).groups) == 0


def test_load_decides_the_number_of_gangs_unless_told() -> None:
    instance = generate("racks", nodes=90, seed=5)
    asked = instance.roles.wanted * instance.roles.devices
    free = int(instance.nodes.free[:, 2].sum())
    assert asked.sum() >= 1.15 * free > asked[:-1].sum()


def test_equal_arguments_give_equal_instances_and_seeds_tell_them_apart() -> None:
    digests = [generate("vectors", nodes=64, seed=seed).digest() for seed in (1, 1, 2)]
    assert digests[0] == digests[1] != digests[2]


def test_gangs_are_rigid_and_named_by_generator_and_number() -> None:
    instance = generate("training-5k", nodes=64, groups=40)
    pods = np.bincount(instance.roles.group, weights=instance.roles.wanted)
    assert (instance.groups.minimum == pods).all()
    assert instance.names.groups[7] == "training/g0007"
    assert len(set(instance.names.pods)) == instance.n_pods
    assert instance.device_columns == (2,)


def test_intact_nodes_have_all_their_devices_free() -> None:
    instance = generate("racks", nodes=90)
    assert instance.nodes.intact.tolist() == (instance.nodes.free[:, 2] == 4).tolist()


def test_catalogue_lists_generators_and_presets() -> None:
    assert list(catalogue()) == [
        "training",
        "racks",
        "vectors",
        "training-5k",
        "racks-5k",
        "vectors-512",
        "vectors-5k",
        "aligned",
        "mig",
        "fabric",
        "models",
        "victims",
        "storm",
        "urgent-rack",
        "victims-1k",
        "victims-5k",
        "aligned-1k",
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("nothing", {}, "no such generator"),
        ("racks", {"nodes": 0}, "nodes: 0 is below 1"),
        ("racks", {"groups": -1}, "groups: -1 is below 0"),
        ("racks", {"seed": -3}, "seed: -3 is below 0"),
    ],
)
def test_nonsense_is_refused_by_name(name: str, arguments: dict[str, int], words: str) -> None:
    with pytest.raises(InputError, match=words):
        generate(name, **arguments)
