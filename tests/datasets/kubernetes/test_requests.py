from typing import Any

import pytest

from tests.datasets.kubernetes.manifests import pod_faults, read_pod


def container(
    cpu: str | None = None, *, limit: str | None = None, name: str = "main", **more: Any
) -> dict[str, Any]:
    resources: dict[str, Any] = {}
    if cpu is not None:
        resources["requests"] = {"cpu": cpu}
    if limit is not None:
        resources["limits"] = {"cpu": limit}
    return {"name": name, "resources": resources, **more}


def sidecar(cpu: str, name: str = "side") -> dict[str, Any]:
    return container(cpu, name=name, restartPolicy="Always")


def cpu(spec: dict[str, Any], **more: Any) -> int:
    return read_pod(spec, **more).request.get("cpu", 0)


def test_containers_are_added_up_and_a_pod_takes_a_place() -> None:
    spec = {"containers": [container("1"), container("250m")]}
    assert read_pod(spec).request == {"cpu": 1250, "pods": 1}


def test_three_tenths_of_a_core_are_added_exactly() -> None:
    assert cpu({"containers": [container("0.1")] * 3}) == 300


def test_quantities_of_the_public_reports_are_exact() -> None:
    amounts = {"cpu": "0.1", "memory": "42991616000m", "example.com/x": "1e3"}
    spec = {"containers": [{"name": "a", "resources": {"requests": amounts}}]}
    assert read_pod(spec).request == {
        "cpu": 100,
        "memory": 42_991_616,
        "example.com/x": 1000,
        "pods": 1,
    }


def test_zero_requests_are_left_out() -> None:
    assert read_pod({"containers": [container("0")]}).request == {"pods": 1}


def test_an_amount_that_is_null_is_absent() -> None:
    resources = {"requests": {"cpu": None, "memory": "1Ki"}, "limits": {"cpu": "2"}}
    assert cpu({"containers": [{"name": "a", "resources": resources}]}) == 2000


def test_a_limit_stands_in_for_a_missing_request_only() -> None:
    assert cpu({"containers": [container(limit="2")]}) == 2000
    assert cpu({"containers": [container("1", limit="2")]}) == 1000
    assert cpu({"containers": [container("0", limit="2")]}) == 0


def test_the_largest_init_container_counts_where_it_is_more() -> None:
    spec = {"containers": [container("1")]}
    assert cpu({**spec, "initContainers": [container("3"), container("2")]}) == 3000
    assert cpu({**spec, "initContainers": [container("500m")]}) == 1000


def test_sidecars_run_beside_containers_and_later_init_containers() -> None:
    """KEP-753: a sidecar counts from its place in the order on."""
    spec = {"containers": [container("1")]}
    assert cpu({**spec, "initContainers": [sidecar("2"), container("3")]}) == 5000
    assert cpu({**spec, "initContainers": [container("3"), sidecar("2")]}) == 3000
    assert cpu({**spec, "initContainers": [sidecar("2"), sidecar("4", "other")]}) == 7000


def test_resources_are_compared_one_by_one() -> None:
    init = {"name": "i", "resources": {"requests": {"memory": "1Gi"}}}
    spec = {"containers": [container("1")], "initContainers": [init]}
    assert read_pod(spec).request == {"cpu": 1000, "memory": 2**30, "pods": 1}


def test_pod_level_requests_replace_what_they_name() -> None:
    amounts = {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"}
    spec = {
        "containers": [{"name": "a", "resources": {"requests": amounts}}],
        "resources": {"requests": {"cpu": "4"}},
    }
    assert read_pod(spec).request == {
        "cpu": 4000,
        "memory": 2**30,
        "nvidia.com/gpu": 1,
        "pods": 1,
    }


def test_a_pod_level_limit_counts_only_where_no_container_asks() -> None:
    limits = {"resources": {"limits": {"cpu": "4"}}}
    assert cpu({"containers": [{"name": "a"}], **limits}) == 4000
    assert cpu({"containers": [container("1")], **limits}) == 1000
    both = {"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "4"}}}
    assert cpu({"containers": [{"name": "a"}], **both}) == 2000


def test_overhead_is_added_last() -> None:
    spec = {"containers": [container("1")], "overhead": {"cpu": "250m", "memory": "1Mi"}}
    assert read_pod(spec).request == {"cpu": 1250, "memory": 2**20, "pods": 1}
    assert cpu({**spec, "resources": {"requests": {"cpu": "4"}}}) == 4250


def resized(
    allocated: str | None, actual: str | None = None, reason: str = "", node: str = "n1"
) -> int:
    status: dict[str, Any] = {"name": "main"}
    if allocated is not None:
        status["allocatedResources"] = {"cpu": allocated}
    if actual is not None:
        status["resources"] = {"requests": {"cpu": actual}}
    conditions = [{"type": "PodResizePending", "status": "True", "reason": reason}]
    return cpu(
        {"containers": [container("2")], "nodeName": node},
        status={
            "phase": "Running",
            "containerStatuses": [status],
            "conditions": conditions if reason else [],
        },
    )


def test_a_running_pod_holds_the_most_of_wanted_allocated_and_actual() -> None:
    assert resized(None) == 2000
    assert resized("1") == 2000
    assert resized("3") == 3000
    assert resized("1", "4") == 4000
    assert resized("2", "2") == 2000
    assert resized("3", reason="Deferred") == 3000
    assert resized("1", reason="Deferred") == 2000


def test_a_resize_that_is_infeasible_is_forgotten() -> None:
    assert resized("1", reason="Infeasible") == 1000
    assert resized("500m", "1", reason="Infeasible") == 1000
    assert resized(None, reason="Infeasible") == 2000


def test_a_pod_without_a_node_has_nothing_allocated() -> None:
    assert resized("3", node="") == 2000


def test_a_pod_level_resize_counts_too() -> None:
    spec = {
        "containers": [{"name": "main"}],
        "resources": {"requests": {"cpu": "2"}},
        "nodeName": "n1",
    }
    assert cpu(spec, status={"allocatedResources": {"cpu": "3"}}) == 3000


def test_a_sidecar_resize_counts_too() -> None:
    spec = {
        "containers": [container("1")],
        "initContainers": [sidecar("1")],
        "nodeName": "n1",
    }
    status = {"initContainerStatuses": [{"name": "side", "allocatedResources": {"cpu": "3"}}]}
    assert cpu(spec, status=status) == 4000


def test_a_running_pod_holds_what_its_devices_take_of_the_node() -> None:
    """Gate DRANodeAllocatableResources: devices may stand for cpu or memory of the node."""
    claim = {
        "resourceClaimName": "c",
        "containers": ["main", "other"],
        "mapping": [{"name": "cpu", "quantity": "1"}],
        "overhead": [{"name": "memory", "perPod": "1Ki", "perContainer": "2Ki"}],
    }
    spec = {"containers": [container("1")], "nodeName": "n1"}
    status = {"nodeAllocatableResourceClaimStatuses": [claim]}
    assert read_pod(spec, status=status).request == {"cpu": 2000, "memory": 5 * 1024, "pods": 1}
    assert cpu({"containers": [container("1")]}, status=status) == 1000


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ({"containers": None}, "spec.containers: missing"),
        ({"containers": []}, "spec.containers: missing"),
        ({"containers": [container("-1")]}, "spec.containers[0].resources.requests.cpu: at least"),
        ({"containers": [container("lots")]}, "spec.containers[0].resources.requests.cpu: a quan"),
        (
            {"containers": [{"name": "a", "resources": {"requests": {"memory": "8Ei"}}}]},
            "spec.containers[0].resources.requests.memory: the quantity is above 2^63 - 1",
        ),
        (
            {"containers": [{"name": "a", "resources": {"requests": {"memory": "5Ei"}}}] * 2},
            "spec: the pod asks for more than 2^63 - 1 of memory",
        ),
        (
            {"containers": [{"name": "a", "resources": {"request": {}}}]},
            "spec.containers[0].resources.request: unknown field, is it requests?",
        ),
        (
            {"containers": [{"name": "a"}], "resources": {"requests": {"nvidia.com/gpu": "1"}}},
            "spec.resources.requests.nvidia.com/gpu: only cpu, memory and hugepages",
        ),
        (
            {"containers": [{"name": "a", "resources": {"limits": {"nvidia.com/gpu": "500m"}}}]},
            "spec.containers[0].resources.limits.nvidia.com/gpu: a whole number expected",
        ),
    ],
)
def test_impossible_requests_are_faults(spec: dict[str, Any], fault: str) -> None:
    assert pod_faults(spec)[0].startswith(f"f.yaml: Pod ml/a: {fault}")
