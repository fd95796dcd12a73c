"""Jobs without pods: what the Job controller of 1.36 and of 1.37 would make of them."""

from typing import Any

import pytest

from gangplan.models.columns import BARE, BASIC, GANG
from tests.datasets.kubernetes.objects import (
    faults,
    gang,
    held,
    instance,
    job,
    node,
    obj,
    pod,
    pod_spec,
)


def scheduling(**fields: Any) -> dict[str, Any]:
    return {"scheduling": fields}


def test_in_1_37_a_job_is_a_basic_group() -> None:
    built = instance(node("n1"), job("train", 3, 3, completionMode="Indexed"))
    assert built.names.groups == ("lab/train",)
    assert built.groups.kind.tolist() == [BASIC]
    assert built.names.pods == ("lab/train-0", "lab/train-1", "lab/train-2")


def test_in_1_37_scheduling_makes_a_gang_of_parallelism() -> None:
    spec = scheduling(schedulingPolicy={"gang": {}})
    built = instance(node("n1"), job("train", 3, **spec))
    assert (built.groups.kind.tolist(), built.groups.minimum.tolist()) == ([GANG], [3])


def test_in_1_37_scheduling_gives_minimum_and_topology() -> None:
    spec = scheduling(
        schedulingPolicy={"gang": {"minCount": 2}},
        schedulingConstraints={"topology": [{"key": "rack"}]},
        disruptionMode={"all": {}},
        resourceClaims=[{"name": "fab", "resourceClaimName": "x"}],
    )
    built = instance(node("n1", labels={"rack": "a"}), job("train", 3, **spec))
    assert built.groups.minimum.tolist() == [2]
    assert len(built.rules) == 1
    assert held(built) == {}


def test_in_1_36_an_indexed_job_of_equal_numbers_is_a_gang() -> None:
    built = instance(node("n1"), job("train", 3, 3, completionMode="Indexed"), kubernetes="1.36")
    assert (built.groups.kind.tolist(), built.groups.minimum.tolist()) == ([GANG], [3])


@pytest.mark.parametrize(
    ("parallelism", "completions", "mode"),
    [(3, 3, "NonIndexed"), (3, 6, "Indexed"), (1, 1, "Indexed")],
)
def test_in_1_36_other_jobs_make_bare_pods(parallelism: int, completions: int, mode: str) -> None:
    made = job("train", parallelism, completions, completionMode=mode)
    built = instance(node("n1"), made, kubernetes="1.36")
    assert built.groups.kind.tolist() == [BARE]
    assert built.names.groups == ("lab/train-0",)
    assert built.n_pods == parallelism


def test_scheduling_is_not_of_1_36() -> None:
    made = job("train", 3, **scheduling(schedulingPolicy={"gang": {}}))
    assert any("of Kubernetes 1.37, not of 1.36" in one for one in faults(made, kubernetes="1.36"))


def test_a_minimum_above_parallelism_is_refused() -> None:
    made = job("train", 3, **scheduling(schedulingPolicy={"gang": {"minCount": 4}}))
    assert faults(made) == [
        "0.yaml: Job lab/train: spec.scheduling.schedulingPolicy.gang.minCount:"
        " 4 is above parallelism 3"
    ]


def test_active_pods_are_what_completions_leave() -> None:
    made = job("train", 4, 6) | {"status": {"succeeded": 4}}
    assert instance(node("n1"), made).n_pods == 2
    assert instance(node("n1"), job("queue", 4)).n_pods == 4


@pytest.mark.parametrize(
    ("spec", "status", "why"),
    [
        ({"suspend": True}, {}, "it is suspended"),
        ({}, {"conditions": [{"type": "Complete", "status": "True"}]}, "it has finished"),
        ({"managedBy": "kueue.x-k8s.io/multikueue"}, {}, "managed by kueue.x-k8s.io/multikueue"),
        ({"completions": 2}, {"succeeded": 2}, "it needs none"),
        ({"completions": None}, {"succeeded": 1}, "it needs none"),  # a queue that is worked off
    ],
)
def test_a_job_that_makes_no_pods_is_told(
    spec: dict[str, Any], status: dict[str, Any], why: str
) -> None:
    built = instance(node("n1"), job("train", 2, **spec) | {"status": status})
    assert built.n_pods == 0
    assert any("Job lab/train makes no pods" in note and why in note for note in built.names.notes)


def test_active_pods_that_are_not_in_the_sources_are_told() -> None:
    built = instance(node("n1"), job("train", 2) | {"status": {"active": 2}})
    assert built.n_pods == 2
    (note,) = built.names.notes
    assert note.startswith("Job lab/train has 2 active pods that are not in the sources")


def test_a_job_that_is_being_deleted_makes_no_pods() -> None:
    made = job("train", 2)
    made["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    built = instance(node("n1"), made)
    assert built.n_pods == 0
    assert "Job lab/train makes no pods: it is being deleted" in built.names.notes


@pytest.mark.parametrize(
    "mark",
    [
        {"labels": {"batch.kubernetes.io/job-name": "train"}},
        {"labels": {"job-name": "train"}},
        {"ownerReferences": [{"kind": "Job", "name": "train", "controller": True}]},
    ],
)
def test_pods_that_are_there_count_alone(mark: dict[str, Any]) -> None:
    built = instance(node("n1"), job("train", 3), pod("train-x7k", **mark))
    assert built.names.pods == ("lab/train-x7k",)


def test_a_job_may_bring_its_own_group() -> None:
    made = job("train", 3, template={"spec": pod_spec(group="mine")})
    built = instance(node("n1"), made, gang("mine", 3))
    assert built.names.groups == ("lab/mine",)
    assert (built.n_pods, held(built)) == (3, {})


@pytest.mark.parametrize("release", ["1.36", "1.37"])
def test_a_group_made_through_a_workload_that_names_the_job_is_used(release: str) -> None:
    controller = {"apiGroup": "batch", "kind": "Job", "name": "train"}
    template = {"name": "t", "schedulingPolicy": {"gang": {"minCount": 2}}}
    workload = obj(
        "scheduling.k8s.io/v1beta1",
        "Workload",
        "w",
        {"controllerRef": controller, "podGroupTemplates": [template]},
    )
    group = gang("w-t-0", 2, spec={"workloadRef": {"workloadName": "w", "templateName": "t"}})
    built = instance(node("n1"), job("train", 2), workload, group, kubernetes=release)
    assert built.names.groups == ("lab/w-t-0",)
    assert built.n_pods == 2
    alone = instance(
        node("n1"), job("train", 2, 2, completionMode="Indexed"), workload, kubernetes=release
    )
    assert alone.groups.kind.tolist() == ([BARE] if release == "1.36" else [BASIC])


def test_a_child_job_of_a_delegated_group_is_held() -> None:
    made = job("train", 2)
    made["metadata"]["annotations"] = {"scheduling.k8s.io/parent-compositepodgroup": "top"}
    path = "metadata.annotations[scheduling.k8s.io/parent-compositepodgroup]"
    assert held(instance(node("n1"), made)) == {"lab/train": f"unsupported {path}"}


def test_a_template_s_annotations_and_priority_reach_the_group() -> None:
    template = {
        "metadata": {"annotations": {"kueue.x-k8s.io/podset-required-topology": "rack"}},
        "spec": pod_spec(priority=8),
    }
    built = instance(node("n1", labels={"rack": "a"}), job("train", 2, template=template))
    assert built.groups.priority.tolist() == [8]
    assert len(built.rules) == 1


def test_a_job_named_like_a_group_gets_a_name_of_its_own() -> None:
    built = instance(node("n1"), job("g", 2), gang("g", 1), pod("x", "g"))
    assert built.names.groups == ("lab/g", "lab/g-job")


def test_a_generated_name_is_named_by_its_stem() -> None:
    made = job("x", 1)
    made["metadata"] = {"generateName": "sample-job-", "namespace": "lab"}
    assert instance(node("n1"), made).names.pods == ("lab/sample-job-0",)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"parallelism": 10**6}, "at most 100000"),
        ({"parallelism": -1}, "at least 0"),
        ({"paralelism": 1}, "unknown field, is it parallelism?"),
        ({"template": None}, "spec.template: missing"),
        ({"template": {}}, "spec.template.spec: missing"),
        ({"completionMode": "indexed"}, "one of NonIndexed, Indexed"),
        ({"completionMode": "Indexed"}, "spec.completions: missing in an Indexed Job"),
        ({"template": {"metdata": {}, "spec": pod_spec()}}, "spec.template.metdata: unknown field"),
        ({"scheduling": {"policy": {}}}, "spec.scheduling.policy: unknown field"),
    ],
)
def test_a_faulty_job_is_refused(spec: dict[str, Any], words: str) -> None:
    found = faults(
        job("train", 2, **{k: v for k, v in spec.items() if k != "parallelism"})
        if "parallelism" not in spec
        else job("train", spec["parallelism"])
    )
    assert any(words in fault for fault in found), found


def test_our_annotations_on_a_job_are_refused() -> None:
    made = job("train", 2)
    made["metadata"]["annotations"] = {"gangplan.io/required-topology": "rack"}
    (fault,) = faults(made)
    assert "belongs on the PodGroup, or on the pod template" in fault
