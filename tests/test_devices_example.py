"""The example with devices: what the README and docs/devices.md say of it is so."""

from pathlib import Path

import pytest

from gangplan import Result, load, plan, verify
from gangplan.datasets.allocation_entries import allocation_entries
from gangplan.models.instance import Instance

EXAMPLE = Path(__file__).parent.parent / "examples" / "devices.yaml"


@pytest.fixture(scope="module")
def instance() -> Instance:
    return load(str(EXAMPLE))


@pytest.fixture(scope="module")
def result(instance: Instance) -> Result:
    return plan(instance)


def devices_of(instance: Instance, result: Result, group: str) -> list[tuple[str, str]]:
    """(request, device of a pool) of the own claims of a group's pods."""
    own, _ = allocation_entries(instance, result.plan)
    number = instance.names.groups.index(group)
    mine = [p for p, k in enumerate(instance.pod_role) if instance.roles.group[k] == number]
    return [
        (str(entry["request"]), f"{entry['pool']}/{entry['device']}")
        for p in mine
        for entry in own.get(p, [])
    ]


def test_it_is_small_and_read_without_a_note(instance: Instance) -> None:
    assert len(instance.nodes) == 5
    assert instance.names.notes == ()
    assert len(EXAMPLE.read_text().splitlines()) < 400


def test_all_but_one_group_start_and_that_is_proven(instance: Instance, result: Result) -> None:
    assert verify(instance, result.plan) == ()
    assert all(tier.proven for tier in result.tiers)
    waits = [instance.names.groups[g] for g in result.reasons]
    assert waits == ["ml/tune"]
    (reason,) = result.reasons.values()
    assert "devices that go together for claim gpu-nic (proven: counting)" in reason


def test_gpu_and_nic_are_on_one_root(instance: Instance, result: Result) -> None:
    given = devices_of(instance, result, "ml/train")
    pairs = {(gpu, nic) for (_, gpu), (_, nic) in zip(given[::2], given[1::2], strict=True)}
    root = {"gpu-0": "nic-0", "gpu-1": "nic-0", "gpu-2": "nic-1", "gpu-3": "nic-1"}
    assert len(pairs) == 2
    assert all(root[gpu.split("/")[1]] == nic.split("/")[1] for gpu, nic in pairs)


def test_one_server_gets_an_a100_and_the_others_their_first_choice(
    instance: Instance, result: Result
) -> None:
    requests = sorted(request for request, _ in devices_of(instance, result, "ml/serve"))
    assert requests == ["gpu/a100", "gpu/h100", "gpu/h100"]


def test_the_partitions_are_three_different_ones(instance: Instance, result: Result) -> None:
    given = {device for _, device in devices_of(instance, result, "ml/notebook")}
    assert len(given) == 3
    assert all(device.startswith("a100-0/mig-") for device in given)


def test_the_gang_shares_one_channel(instance: Instance, result: Result) -> None:
    _, shared = allocation_entries(instance, result.plan)
    (channel,) = shared
    assert channel["claim"] == "ml/pretrain:channel"
    assert str(channel["device"]).startswith("channel-")


def test_greedy_starts_as_many(instance: Instance, result: Result) -> None:
    greedy = plan(instance, planner="greedy")
    assert verify(instance, greedy.plan) == ()
    assert greedy.tiers[0].value == result.tiers[0].value
