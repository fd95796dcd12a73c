"""resourceClaims of pods, of PodGroups and of what makes them."""

from typing import Any

import pytest

from gangplan.datasets.kubernetes.devicerecords import PodClaim
from tests.datasets.kubernetes.device_objects import snapshot
from tests.datasets.kubernetes.manifests import pod_faults, read_pod
from tests.datasets.kubernetes.objects import gang, obj

Obj = dict[str, Any]
BY_NAME = {"name": "fab", "resourceClaimName": "fabric"}
BY_TEMPLATE = {"name": "gpu", "resourceClaimTemplateName": "one-gpu"}


def using(*claims: Obj, **spec: Any) -> Obj:
    container = {"name": "main", "resources": {"claims": list(claims)}}
    return {"containers": [container], "resourceClaims": [BY_NAME, BY_TEMPLATE], **spec}


def test_claims_of_a_pod_are_read_by_name_and_by_template() -> None:
    record = read_pod(using({"name": "gpu", "request": "r"}, {"name": "gpu"}))
    assert record.claims == (
        PodClaim("fab", claim="fabric"),
        PodClaim("gpu", template="one-gpu"),
    )
    assert (record.extended_claim, record.uid) == ("", "")


@pytest.mark.parametrize(
    ("entry", "generated"),
    [({"name": "gpu", "resourceClaimName": "a-gpu-x"}, "a-gpu-x"), ({"name": "gpu"}, "")],
)
def test_the_status_names_the_claim_made_from_a_template(entry: Obj, generated: str) -> None:
    status = {
        "resourceClaimStatuses": [entry],
        "extendedResourceClaimStatus": {"resourceClaimName": "a-ext", "requestMappings": []},
    }
    record = read_pod(using(), status=status, metadata={"name": "a", "uid": "u-1"})
    assert record.claims[1] == PodClaim("gpu", template="one-gpu", generated=generated)
    assert (record.extended_claim, record.uid) == ("a-ext", "u-1")


@pytest.mark.parametrize(
    ("spec", "more", "expected"),
    [
        ({"resourceClaims": [{"name": "c"}]}, {}, "spec.resourceClaims[0]: one of resourceClaim"),
        (
            {"resourceClaims": [{**BY_NAME, "resourceClaimTemplateName": "x"}]},
            {},
            "spec.resourceClaims[0]: only one of resourceClaimName, resourceClaimTemplateName",
        ),
        ({"resourceClaims": [BY_NAME, BY_NAME]}, {}, "two entries have the same name"),
        ({"resourceClaims": [{**BY_NAME, "name": "a.b"}]}, {}, "resourceClaims[0].name: a DNS"),
        ({"resourceClaims": [{**BY_NAME, "x": 1}]}, {}, "resourceClaims[0].x: unknown field"),
        (
            using({"name": "gup"}),
            {},
            "spec.containers[0].resources.claims[0].name: no entry 'gup' in spec.resourceClaims",
        ),
        (using({"name": "gpu"}, {"name": "gpu"}), {}, "resources.claims[1]: there twice"),
        (using({"name": "gpu", "requests": "r"}), {}, "claims[0].requests: unknown field"),
        (
            {"initContainers": [{"name": "i", "resources": {"claims": [{"name": "x"}]}}]},
            {},
            "spec.initContainers[0].resources.claims[0].name: no entry 'x'",
        ),
        (using(resources={"claims": [{"name": "gpu"}]}), {}, "spec.resources.claims: only a"),
        (
            using(),
            {"status": {"resourceClaimStatuses": [{"name": "gup"}]}},
            "status.resourceClaimStatuses: no entry 'gup' in spec.resourceClaims",
        ),
        (
            using(),
            {"status": {"extendedResourceClaimStatus": {}}},
            "status.extendedResourceClaimStatus.resourceClaimName: missing",
        ),
    ],
)
def test_what_is_wrong_with_claims_of_a_pod_names_the_field(
    spec: Obj, more: Obj, expected: str
) -> None:
    found = pod_faults(spec, **more)
    assert any(expected in line for line in found), found


def test_claims_of_a_group_are_read_with_the_one_made_for_it() -> None:
    group = gang("g", 1, spec={"resourceClaims": [BY_TEMPLATE, BY_NAME]})
    group["status"] = {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "g-gpu"}]}
    found, wrong = snapshot(group)
    assert wrong == []
    assert found.groups[0].claims == (
        PodClaim("gpu", template="one-gpu", generated="g-gpu"),
        PodClaim("fab", claim="fabric"),
    )


def test_a_group_has_four_claims_at_most() -> None:
    entries = [{**BY_NAME, "name": f"c{n}"} for n in range(5)]
    (found,) = snapshot(gang("g", 1, spec={"resourceClaims": entries}))[1]
    assert "spec.resourceClaims: at most 4 expected, got 5" in found


def test_pods_of_a_job_have_the_claims_of_its_template_and_the_group_those_of_scheduling() -> None:
    template = {"spec": {**using({"name": "gpu"}), "restartPolicy": "Never"}}
    scheduling = {"schedulingPolicy": {"gang": {}}, "resourceClaims": [BY_NAME]}
    spec = {"parallelism": 2, "completions": 2, "template": template, "scheduling": scheduling}
    found, wrong = snapshot(obj("batch/v1", "Job", "j", spec))
    assert wrong == []
    expected = (PodClaim("fab", claim="fabric"), PodClaim("gpu", template="one-gpu"))
    assert [pod.claims for pod in found.pods] == [expected, expected]
    assert found.groups[0].claims == (PodClaim("fab", claim="fabric"),)


def test_claims_in_a_template_of_a_workload_are_checked() -> None:
    template = {
        "name": "t",
        "schedulingPolicy": {"basic": {}},
        "resourceClaims": [{"name": "gpu"}],
    }
    workload = obj("scheduling.k8s.io/v1beta1", "Workload", "w", {"podGroupTemplates": [template]})
    found = snapshot(workload)[1]
    assert any("podGroupTemplates[0].resourceClaims[0]: one of" in line for line in found), found
