"""Instances with claims: what is drawn fits together, and leaves something to decide."""

import numpy as np
import pytest

from gangplan.datasets.generate import generate
from gangplan.datasets.generate.aligned import ALONE, PAIR
from gangplan.datasets.generate.mig import ASKS, PROFILES
from gangplan.models.instance import Instance

NAMES = ("aligned", "mig", "fabric", "models")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [1, 7])
def test_equal_arguments_give_equal_instances(name: str, seed: int) -> None:
    first, again = (generate(name, nodes=16, seed=seed) for _ in range(2))
    assert first.digest() == again.digest()
    assert first.digest() != generate(name, nodes=16, seed=seed + 1).digest()


@pytest.mark.parametrize("name", NAMES)
def test_any_size_can_be_asked_for(name: str) -> None:
    small = generate(name, nodes=1, groups=2)
    large = generate(name, nodes=200, groups=9)
    assert len(small.groups) == 2
    assert len(large.groups) == 9
    assert len(small.nodes) < 20 < 180 < len(large.nodes) < 220


@pytest.mark.parametrize("name", NAMES)
def test_every_pod_has_claims_that_some_device_fits(name: str) -> None:
    instance = generate(name)
    claims = instance.claims
    assert set(claims.own_role.tolist()) == set(range(len(instance.roles)))
    assert claims.fits.any(axis=1).all()
    assert (instance.roles.devices > 0).all()
    assert not instance.device_columns


@pytest.mark.parametrize("name", NAMES)
def test_more_is_asked_than_there_is(name: str) -> None:
    instance = generate(name)
    if name in ("aligned", "fabric"):
        gpu = np.char.startswith(np.array(instance.names.devices), "gpu")
        free = int((gpu & ~instance.devices.taken).sum())
        assert int(instance.roles.wanted @ instance.roles.devices) > free
    if name == "mig":
        left = instance.devices.counter_free[
            [c.endswith("multiprocessors") for c in instance.names.counters]
        ].sum()
        first = [PROFILES[ASKS[s][0]][0] for s in instance.claims.own_spec]
        assert int(instance.roles.wanted @ np.array(first)) > left
    if name == "models":
        assert int(instance.roles.wanted.sum()) > len(instance.devices) // 2


def test_a_free_partition_of_mig_draws_and_a_held_one_does_not() -> None:
    devices = generate("mig").devices
    drawn = np.zeros(len(devices), dtype=bool)
    drawn[devices.draw_device] = True
    assert (drawn != devices.taken).all()
    assert devices.taken.any()


def test_an_empty_gpu_of_mig_takes_seven_small_partitions_or_one_large() -> None:
    instance = generate("mig", nodes=64)
    devices, names = instance.devices, instance.names
    first = next(
        i for i, n in enumerate(names.devices) if "-mig-7g-40gb-" in n and not _held(instance, i)
    )
    mine = devices.draw_device == first
    assert (devices.counter_free[devices.draw_counter[mine]] == devices.draw_amount[mine]).all()
    assert sorted(devices.draw_amount[mine].tolist()) == [*[1] * 8, 98]


def _held(instance: Instance, device: int) -> bool:
    mine = instance.devices.draw_counter[instance.devices.draw_device == device]
    free = instance.devices.counter_free[mine]
    return len(mine) == 0 or 98 not in free or bool((free == 0).any())


def test_gpus_of_aligned_often_have_no_free_nic_beside_them() -> None:
    instance = generate("aligned")
    devices, claims = instance.devices, instance.claims
    root = dict(zip(devices.trait_device.tolist(), devices.trait_value.tolist(), strict=True))
    gpu, nic = claims.fits[claims.choices_of(PAIR)]
    with_nic = {root[i] for i in np.flatnonzero(nic & ~devices.taken).tolist()}
    free = np.flatnonzero(gpu & ~devices.taken).tolist()
    assert 0 < sum(root[i] not in with_nic for i in free) < len(free) // 2
    assert ALONE in claims.own_spec


def test_a_gang_of_fabric_shares_one_channel_that_its_rack_reaches() -> None:
    instance = generate("fabric")
    claims, devices = instance.claims, instance.devices
    assert claims.n_shared > 3
    channel = claims.fits[claims.choices_of(int(claims.shared_spec[0]))[0]]
    assert (devices.zone[channel] >= 0).all()
    rack = instance.topology.domain[1]
    for nodes in devices.zones:
        assert len(set(rack[nodes].tolist())) == 1
    assert (devices.zones.sum(axis=0) == 1).all()


def test_parts_of_a_gpu_of_models_come_out_of_its_memory() -> None:
    instance = generate("models")
    devices, claims = instance.devices, instance.claims
    assert devices.multi.any()
    assert (devices.pot_free >= 4).all()
    assert set(claims.use_amount.tolist()) == {4, 6, 10, 16}
    assert (claims.rank > 0).any()
