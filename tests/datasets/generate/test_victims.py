"""Generators with running work: what they promise."""

import numpy as np
import pytest

from gangplan.datasets.generate import generate
from gangplan.models.running import GROUP, POD
from gangplan.models.victims import victims_of

GPU = 2


@pytest.mark.parametrize("name", ["victims", "storm", "urgent-rack"])
def test_free_room_and_what_runs_make_up_the_nodes(name: str) -> None:
    instance = generate(name, nodes=64, seed=3)
    running = instance.running
    held = np.zeros_like(instance.nodes.free)
    np.add.at(held, running.pod_node, running.pod_request)
    node = np.array([128_000, 1024 * 2**30, 8, 110])
    assert (held + instance.nodes.free == node).all()
    assert (running.pod_devices == running.pod_request[:, GPU]).all()


def test_victims_are_nine_tenths_of_a_cluster_and_the_urgent_ask_more_than_lower_work_holds() -> (
    None
):
    for seed in range(1, 6):
        instance = generate("victims", nodes=128, seed=seed)
        running = instance.running
        assert running.pod_devices.sum() == pytest.approx(0.9 * 1024, abs=128)
        can = victims_of(instance).can[running.pod_unit]
        possible = instance.nodes.free[:, GPU].sum() + running.pod_devices[can].sum()
        assert (instance.roles.wanted * instance.roles.devices).sum() > possible
        assert can.any()
        assert not can.all()


def test_victims_hold_units_of_every_kind_and_groups_that_cross_racks() -> None:
    instance = generate("victims", nodes=128)
    running = instance.running
    rack = instance.topology.domain[1][running.pod_node]
    groups = [v for v in range(len(running)) if running.kind[v] == GROUP]
    crossing = [v for v in groups if len(set(rack[list(running.pods_of(v))].tolist())) > 1]
    assert 0 < len(crossing) < len(groups) < len(running)
    members = running.pod_group >= 0
    alone = (running.kind[running.pod_unit] == POD) & ~members
    spare = instance.groups.running > instance.groups.minimum
    assert alone.any()
    assert spare.any()
    assert len(running.budget_allowed)
    counted = np.bincount(running.pod_group[members], minlength=len(instance.groups))
    assert (counted == instance.groups.running).all()


def test_a_storm_asks_a_tenth_of_a_full_cluster() -> None:
    instance = generate("storm", nodes=160)
    assert instance.nodes.free[:, GPU].sum() == 0
    assert (instance.roles.wanted * instance.roles.devices).sum() == 16 * 8
    assert victims_of(instance).can.all()


def test_an_urgent_rack_gang_asks_half_a_rack() -> None:
    instance = generate("urgent-rack", nodes=64)
    assert instance.roles.wanted.tolist() == [8]
    assert instance.names.levels[instance.rules.level[0]] == "rack"


def test_equal_seeds_run_the_same_work() -> None:
    digests = [generate("victims", nodes=32, seed=seed).digest() for seed in (1, 1, 2)]
    assert digests[0] == digests[1] != digests[2]
