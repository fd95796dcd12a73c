"""Traces through the whole path: loaded, planned, verified."""

from pathlib import Path

import numpy as np
import pytest

from gangplan import api
from gangplan.datasets import traces
from gangplan.datasets.traces import knavigator, openb, topograph
from gangplan.models.instance import Instance
from gangplan.models.result import Result
from gangplan.solvers.base import Limits

DATA = Path(__file__).parents[2] / "data" / "traces"


def planned(instance: Instance, planner: str = "exact") -> Result:
    result = api.plan(instance, planner, limits=Limits(seconds=60))
    assert api.verify(instance, result.plan) == ()
    return result


def nodes(instance: Instance, result: Result) -> list[str]:
    placed = result.plan.node
    return sorted(instance.names.nodes[n] for n in placed[placed >= 0].tolist())


def test_two_replicas_share_the_leaf_that_is_free() -> None:
    instance = knavigator.knavigator(DATA / "knavigator_nodes.yaml", (2,))
    result = planned(instance)
    assert nodes(instance, result) == ["k3", "k4"]
    assert result.stop == "optimal"


def test_every_pod_of_the_openb_sample_is_placed() -> None:
    instance = openb.openb(DATA / "openb_nodes.csv", DATA / "openb_pods.csv")
    result = planned(instance)
    assert (result.plan.node >= 0).all()
    assert result.stop == "optimal"
    eight = instance.names.pods.index("openb/w-3")
    held = result.plan.device[result.plan.device_pod == eight]
    assert instance.shared.node[held].tolist() == [4] * 8


def test_added_gangs_on_a_switch_tree_are_planned() -> None:
    instance = topograph.topograph(DATA / "topograph_model.yaml", groups=6, seed=3)
    assert (planned(instance).plan.node >= 0).any()


@pytest.mark.public_data
def test_the_public_benchmark_has_one_answer() -> None:
    instance = _public("knavigator-nodes")
    result = planned(instance)
    assert nodes(instance, result) == ["n5", "n7", "n8"]
    assert result.stop == "optimal"


@pytest.mark.public_data
def test_two_public_jobs_get_an_accelerator_domain_each() -> None:
    instance = _public("knavigator-nodes-acc")
    result = planned(instance)
    level = instance.names.levels.index("network.topology.nvidia.com/accelerator")
    domain = instance.topology.domain[level, result.plan.node]
    job = instance.roles.group[instance.pod_role]
    assert len(np.unique(np.stack([job, domain]), axis=1).T) == 2
    assert result.stop == "optimal"


@pytest.mark.public_data
@pytest.mark.parametrize("planner", ["greedy", "exact"])
def test_a_sample_of_openb_is_planned(planner: str) -> None:
    instance = _public("openb", nodes=12, groups=40)
    assert (planned(instance, planner).plan.node >= 0).any()


def _public(name: str, **sizes: int) -> Instance:
    trace = next(trace for trace in traces.catalogue() if trace.name == name)
    if not trace.available():
        pytest.skip(f"left out: {name} needs {trace.files[0].path}; set GANGPLAN_DATA")
    return traces.load(name, **sizes)
