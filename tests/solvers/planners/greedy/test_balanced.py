from dataclasses import replace
from pathlib import Path

import numpy as np

from gangplan.datasets.traces.openb import openb
from gangplan.models.instance import Instance
from gangplan.models.tiers import tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.planners.greedy.balanced import balanced_plan, suits
from gangplan.solvers.planners.greedy.runs import greedy_plan
from tests.tiny import make_instance

DATA = Path(__file__).parents[3] / "data" / "traces"


def small() -> Instance:
    return openb(DATA / "openb_nodes.csv", DATA / "openb_pods.csv")


def lists(tmp_path: Path, nodes: str, pods: str) -> Instance:
    files = tmp_path / "nodes.csv", tmp_path / "pods.csv"
    files[0].write_text("sn,cpu_milli,memory_mib,gpu,model\n" + nodes)
    files[1].write_text("name,cpu_milli,memory_mib,num_gpu,gpu_milli\n" + pods)
    return openb(*files)


def test_the_plan_keeps_every_rule_and_is_the_same_every_time() -> None:
    instance = small()
    tiers = tiers_of(instance, "weighted-gpus", {0: 1})
    plan = balanced_plan(instance, tiers)
    assert check(instance, plan) == ()
    again = balanced_plan(instance, tiers)
    assert (plan.node == again.node).all()
    assert (plan.device == again.device).all()


def test_pods_with_much_cpu_go_where_gpus_come_with_much(tmp_path: Path) -> None:
    instance = lists(
        tmp_path,
        "lean,8000,9999,2,G2\nrich,64000,9999,2,T4\n",
        "p-0,30000,1,1,500\np-1,30000,1,1,500\np-2,4000,1,1,1000\np-3,4000,1,1,1000\n",
    )
    plan = balanced_plan(instance, tiers_of(instance, "weighted-gpus", {0: 1}))
    assert plan.node.tolist() == [1, 1, 0, 0]
    assert check(instance, plan) == ()


def test_parts_fill_the_fullest_device_that_has_room(tmp_path: Path) -> None:
    instance = lists(
        tmp_path,
        "n-0,64000,9999,2,T4\n",
        "p-0,1000,1,1,700\np-1,1000,1,1,400\np-2,1000,1,1,300\n",
    )
    plan = balanced_plan(instance, tiers_of(instance, "weighted-gpus", {0: 1}))
    assert plan.device.tolist() == [0, 1, 0]


def test_held_pods_are_left_alone() -> None:
    instance = small()
    groups = replace(instance.groups, held=np.arange(len(instance.groups)) == 0)
    held = replace(instance, groups=groups)
    plan = balanced_plan(held, tiers_of(held))
    assert (plan.node[held.pod_role == 0] == -1).all()
    assert (plan.node[held.pod_role != 0] >= 0).any()


def test_gangs_are_for_others() -> None:
    gang = {"minimum": 2, "wanted": 2, "request": {"cpu": 1}, "share": 500}
    assert suits(small())
    assert not suits(make_instance([{"cpu": 9, "shared": [1000]}], [gang], device_unit=1000))


def test_the_greedy_planner_takes_the_better_of_both() -> None:
    instance = small()
    for tiers in (tiers_of(instance), tiers_of(instance, "weighted-gpus", {0: 1})):
        ours = values(instance, balanced_plan(instance, tiers), tiers)
        assert values(instance, greedy_plan(instance, tiers), tiers) >= ours[:1]
