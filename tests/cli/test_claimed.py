import numpy as np
import pytest

from gangplan.cli.claimed import POOLS, REQUESTS, claimed
from gangplan.cli.render import show_plan
from gangplan.models.instance import Instance
from gangplan.models.plan import Allocations, Plan, empty_plan
from gangplan.models.result import Result
from tests.tiny import make_instance
from tests.tiny_devices import with_devices


def cluster(pods: int, requests: int = 1) -> Instance:
    """A node with a GPU and a NIC for each pod, and a fabric that all of them share."""
    nodes = [{"cpu": 1}] * pods
    return with_devices(
        make_instance(nodes, [{"wanted": pods, "request": {"cpu": 1}}, {"request": {"cpu": 9}}]),
        devices=[
            {"node": n, "gpu": True, "name": f"gpu.test/n{n}/gpu-{d}"}
            for n in range(pods)
            for d in range(requests)
        ]
        + [{"zone": list(range(pods)), "fab": True, "name": "fabric.test/rack-b/fab"}],
        specs=[
            {"requests": [(f"r{q}", "gpu") for q in range(requests)]},
            {"requests": [("f", "fab")]},
        ],
        own={0: [0]},
        shared=[{"spec": 1, "roles": [0, 1], "name": "test/fabric"}],
    )


def planned(instance: Instance, pods: int, requests: int = 1) -> Plan:
    none = np.zeros(0, dtype=np.int64)
    rows = [(p, 0, q, p * requests + q) for p in range(pods) for q in range(requests)]
    rows.append((-1, 0, requests, len(instance.devices) - 1))
    return Plan(np.array([*range(pods), -1]), none, none, Allocations(*np.array(rows).T))


def test_a_hundred_pods_are_one_line_a_request() -> None:
    instance = cluster(100)
    assert claimed(instance, planned(instance, 100), 0) == [
        "claim0/r0: 100 x gpu.test n[0-99]/gpu-0",
        "test/fabric/f (shared): fabric.test rack-b/fab",
    ]


def test_a_group_that_places_nothing_gets_nothing_of_a_shared_claim() -> None:
    instance = cluster(2)
    assert claimed(instance, planned(instance, 2), 1) == []
    assert claimed(instance, empty_plan(instance), 0) == []


def test_requests_and_pools_beyond_a_few_are_counted() -> None:
    instance = cluster(1, REQUESTS + 1)
    said = claimed(instance, planned(instance, 1, REQUESTS + 1), 0)
    assert len(said) == REQUESTS + 1
    assert said[-1] == "and 2 requests more (-o FILE writes them all)"
    ragged = cluster(2 * POOLS, 2)
    rows = [(p, 0, 0, d) for p in range(2 * POOLS) for d in (2 * p, 2 * p + 1)][1:-1]
    none = np.zeros(0, dtype=np.int64)
    nodes = np.array([*range(2 * POOLS), -1])
    plan = Plan(nodes, none, none, Allocations(*np.array(rows).T))
    assert claimed(ragged, plan, 0) == [
        "claim0/r0: 6 x gpu.test n[1-2]/gpu-[0-1], n0/gpu-1 and 1 more"
    ]


def test_the_table_of_a_plan_names_the_devices(capsys: pytest.CaptureFixture[str]) -> None:
    instance = cluster(3)
    show_plan(instance, Result(planned(instance, 3), (), "feasible", {}), 0.0)
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[2].endswith("   n[0-2]")
    assert lines[3:5] == [
        "claim0/r0: 3 x gpu.test n[0-2]/gpu-0",
        "test/fabric/f (shared): fabric.test rack-b/fab",
    ]


def test_a_choice_that_is_not_the_first_says_so() -> None:
    instance = with_devices(
        make_instance([{"cpu": 2}], [{"wanted": 2, "request": {"cpu": 1}}]),
        devices=[
            {"node": 0, "h": True, "name": "gpu.test/n0/h-0"},
            {"node": 0, "a": True, "name": "gpu.test/n0/a-0"},
        ],
        specs=[{"requests": [("r", {"word": "h", "name": "h"}, {"word": "a", "name": "a"})]}],
        own={0: [0]},
    )
    none = np.zeros(0, dtype=np.int64)
    rows = [(0, 0, 0, 0), (1, 0, 1, 1)]
    plan = Plan(np.array([0, 0]), none, none, Allocations(*np.array(rows).T))
    assert claimed(instance, plan, 0) == [
        "claim0/r/h: gpu.test n0/h-0",
        "claim0/r/a (choice 2): gpu.test n0/a-0",
    ]


def test_a_thousand_pods_with_eight_devices_each_take_a_few_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    instance = cluster(1000, 8)
    show_plan(instance, Result(planned(instance, 1000, 8), (), "feasible", {}), 0.0)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 20
    assert max(map(len, lines)) <= 80
    # Where the last column would be narrow it goes below its row, and no line is broken.
    assert "    claim0/r0: 1000 x gpu.test n[0-999]/gpu-0" in lines


def test_requests_of_one_name_in_several_claims_are_one_line() -> None:
    instance = with_devices(
        make_instance([{"cpu": 1}], [{"wanted": 1, "request": {"cpu": 1}}]),
        devices=[{"node": 0, "gpu": True, "name": f"gpu.test/n0/gpu-{d}"} for d in range(3)],
        specs=[{"requests": [("r", "gpu")]}],
        own={0: [0, 0, 0]},
    )
    none = np.zeros(0, dtype=np.int64)
    rows = [(0, w, 0, w) for w in range(3)]
    plan = Plan(np.array([0]), none, none, Allocations(*np.array(rows).T))
    assert claimed(instance, plan, 0) == ["claim[0-2]/r: 3 x gpu.test n0/gpu-[0-2]"]
