"""Whatever has changed between plan and apply is refused in a sentence, and nothing is written."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from gangplan.cluster.apply import apply
from gangplan.cluster.checks.rights import Right, lacks
from gangplan.cluster.errors import ApiError, Changed
from gangplan.cluster.kinds import CONFIG_MAP, EVENT, NAMESPACE, POD
from tests.cluster import devices as d
from tests.cluster import workloads as w
from tests.cluster.checks.planned import plan_of, site_of, world_of
from tests.cluster.live import Live

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

Object = dict[str, Any]


def everything(live: Live) -> Object:
    """Give the resource versions of all that apply could write; of nodes only what is not told."""
    kinds = [live.served[name] for name in _WRITTEN if name in live.served]
    paths = [kind.path() for kind in (*kinds, EVENT)] + [CONFIG_MAP.path("gangplan-system")]
    found = {
        (path, obj["metadata"].get("namespace"), obj["metadata"]["name"]): obj["metadata"][
            "resourceVersion"
        ]
        for path in paths
        for obj in live.admin.get(path)["items"]
    }
    nodes = {
        obj["metadata"]["name"]: (obj["spec"], obj["metadata"].get("labels"))
        for obj in live.all("Node")
    }
    return {"versions": found, "nodes": nodes}


_LATE = "beta.kubernetes.io/os"
_WRITTEN = ("Pod", "PodGroup", "CompositePodGroup", "ResourceClaim", "PodDisruptionBudget")


def settled(live: Live) -> Object:
    """Wait until the controllers have nothing to add: node-lifecycle adds labels some time."""
    live.wait(lambda: all(_ready(node) for node in live.all("Node")), 60.0)
    seen, times = everything(live), 0
    for _ in range(60):
        time.sleep(0.2)
        times = times + 1 if seen == (seen := everything(live)) else 0
        if times == 3:
            return seen
    raise AssertionError("the cluster does not come to rest")


def _ready(node: Object) -> bool:
    taints = node["spec"].get("taints") or ()
    return _LATE in (node["metadata"].get("labels") or {}) and not any(
        taint["key"].startswith("node.kubernetes.io/") for taint in taints
    )


@pytest.fixture
def scene(cluster: Live) -> Live:
    """Give a gang that needs two nodes of its rack, and a pod that takes the only device of n0."""
    version = cluster.served.group_version
    cluster.create(
        *w.racks(1, 2, cpu="4"),
        *w.gang(version, "a", 6, group={"topology": w.RACK}),
        d.device_class(),
        d.gpus_of("n0", 1),
        d.claim("g"),
        w.pod("p", claims={"gpu": d.named("g")}),
    )
    settled(cluster)
    return cluster


def refused(live: Live, document: Object, sentence: str, **options: Any) -> None:
    """Apply a plan, and see it refused with the cluster as it was."""
    before = settled(live)
    max_age = options.pop("max_age", 600.0)
    with pytest.raises(Changed, match=sentence):
        apply(site_of(live, **options), document, yes=True, max_age=max_age)
    assert everything(live) == before


# -- what the plan relied on -----------------------------------------------------------------------


def _patched(kind: str, name: str, body: Object, sub: str = "") -> Callable[[Live], None]:
    def change(live: Live) -> None:
        live.admin.patch(live.served[kind].path_of(name, sub), body)

    return change


def _gone(kind: str, name: str) -> Callable[[Live], None]:
    def change(live: Live) -> None:
        path = live.served[kind].path_of(name)
        live.admin.delete(path, {"gracePeriodSeconds": 0})
        live.wait(lambda: not _there(live, path))

    return change


def _there(live: Live, path: str) -> bool:
    try:
        live.admin.get(path)
    except ApiError:
        return False
    return True


def _made_again(live: Live) -> None:
    _gone("Pod", "default/a-1")(live)
    live.create(w.pod("a-1", group="a"))


def _allocated(live: Live) -> None:
    claim = live.get("ResourceClaim", "default/g")
    result = {"request": "main", "driver": d.DRIVER, "pool": "n0", "device": "gpu-0"}
    claim["status"] = {"allocation": {"devices": {"results": [result]}}}
    live.admin.put(live.served["ResourceClaim"].path_of("default/g", "status"), claim)


_RACKLESS = {"metadata": {"labels": {w.RACK: "r9"}}}
_TAINT = {"spec": {"taints": [{"key": "example.com/x", "effect": "NoSchedule"}]}}
_LESS = {"status": {"allocatable": {"cpu": "3", "memory": "32Gi", "pods": "110"}}}

CHANGES: dict[str, tuple[Callable[[Live], None], str]] = {
    "node relabelled": (_patched("Node", "n1", _RACKLESS), r"Node n1: .*label"),
    "node tainted": (_patched("Node", "n1", _TAINT), r"Node n1: .*taint"),
    "node shrunk": (_patched("Node", "n1", _LESS, "status"), r"Node n1: .*allocatable"),
    "node gone": (_gone("Node", "n1"), r"Node n1: .*not there"),
    "pod made again": (_made_again, r"Pod default/a-1: .*again"),
    "pod gone": (_gone("Pod", "default/a-1"), r"Pod default/a-1: .*not there"),
    "claim allocated": (_allocated, r"ResourceClaim default/g: .*allocat"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_since_the_plan_is_refused(scene: Live, change: str) -> None:
    document = plan_of(world_of(scene))
    assert len(document["groups"]) == 2
    make, sentence = CHANGES[change]
    make(scene)
    refused(scene, document, sentence)


@pytest.mark.versions("1.37")
def test_a_group_that_was_edited_is_refused(scene: Live) -> None:
    document = plan_of(world_of(scene))
    policy = {"spec": {"schedulingPolicy": {"gang": {"minCount": 5}}}}
    scene.admin.patch(scene.served["PodGroup"].path_of("default/a"), policy)
    refused(scene, document, r"PodGroup default/a: ")


def test_another_pod_that_took_the_room_is_refused(scene: Live) -> None:
    document = plan_of(world_of(scene))
    scene.create(w.pod("intruder", node="n1", cpu="2", scheduler="default-scheduler"))
    refused(scene, document, r"n1.*cpu")


def test_another_clusters_plan_is_refused(scene: Live) -> None:
    document = plan_of(world_of(scene))
    document["cluster"] = {**document["cluster"], "uid": "elsewhere"}
    refused(scene, document, "made for another cluster")


def test_an_old_plan_is_refused(scene: Live) -> None:
    world = world_of(scene)
    document = plan_of(replace(world, taken=world.taken - 700))
    refused(scene, document, r"70\d s old, and 600 s are allowed")
    document = plan_of(replace(world, taken=world.taken - 5))
    refused(scene, document, r"s old, and 2 s are allowed", max_age=2.0)


def test_a_plan_from_the_future_is_refused(scene: Live) -> None:
    world = world_of(scene)
    refused(scene, plan_of(replace(world, taken=world.taken + 200)), "from the future")


def test_a_plan_of_a_file_is_refused(scene: Live) -> None:
    document = plan_of(world_of(scene))
    del document["cluster"]
    refused(scene, document, "'gangplan snapshot -o FILE' makes one")


# -- whose pods ------------------------------------------------------------------------------------


def test_pods_of_another_scheduler_are_neither_placed_nor_evicted(cluster: Live) -> None:
    _full(cluster, scheduler="default-scheduler")
    document = plan_of(world_of(cluster, evict_foreign=True), pdb="hard")
    assert document["evictions"]
    refused(cluster, document, r"Pod default/v: .*--evict-foreign only")
    refused(cluster, document, r"schedulerName is gangplan, not other", scheduler="other")


def _full(live: Live, **options: Any) -> None:
    """Give a node that ``v`` fills, and an urgent gang that wants it."""
    live.create(
        w.node("n1", cpu="4"),
        w.priority_class("urgent", 100),
        w.pod("v", node="n1", cpu="4", labels={"app": "v"}, **options),
        *w.gang(live.served.group_version, "a", 1, cpu="4", priority_class="urgent"),
    )
    live.wait(lambda: live.get("Pod", "default/v")["status"].get("phase") == "Running")


# -- budgets ---------------------------------------------------------------------------------------


def test_a_budget_that_is_used_up_is_refused(cluster: Live) -> None:
    _full(cluster)
    document = plan_of(world_of(cluster))
    cluster.create(w.budget("b", {"app": "v"}, 1))
    path = cluster.served["PodDisruptionBudget"].path_of("default/b")
    cluster.wait(lambda: (cluster.admin.get(path).get("status") or {}).get("observedGeneration"))
    refused(cluster, document, r"PodDisruptionBudget default/b: it allows 0 disruptions")


def test_a_pod_under_two_budgets_is_refused(cluster: Live) -> None:
    _full(cluster)
    document = plan_of(world_of(cluster))
    cluster.create(w.budget("b", {"app": "v"}, 0), w.budget("c", {"app": "v"}, 0))
    refused(cluster, document, r"default/v: several PodDisruptionBudgets .*default/b, default/c")


# -- what the server refuses -----------------------------------------------------------------------

_POLICY = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingAdmissionPolicy",
    "metadata": {"name": "no-binding"},
    "spec": {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "operations": ["CREATE"],
                    "resources": ["pods/binding"],
                }
            ]
        },
        "validations": [{"expression": "object.metadata.name != 'a-3'", "message": "not this one"}],
    },
}
_POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"


@contextmanager
def policy(live: Live) -> Iterator[None]:
    """Refuse the binding of a-3 for a while."""
    binding = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "no-binding"},
        "spec": {"policyName": "no-binding", "validationActions": ["Deny"]},
    }
    live.admin.post(_POLICIES, dict(_POLICY))
    live.admin.post(f"{_POLICIES[: -len('ies')]}ybindings", binding)
    try:
        live.wait(lambda: not _binds(live, "a-3"))
        yield
    finally:
        live.admin.delete(f"{_POLICIES[: -len('ies')]}ybindings/no-binding")
        live.admin.delete(f"{_POLICIES}/no-binding")
        live.wait(lambda: _binds(live, "a-3"))


def _binds(live: Live, name: str) -> bool:
    body = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name, "namespace": "default"},
        "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"},
    }
    try:
        live.admin.post(POD.path("default", name, "binding"), body, dry_run=True)
    except ApiError:
        return False
    return True


def test_a_policy_that_refuses_one_binding_is_found_before_the_first(scene: Live) -> None:
    document = plan_of(world_of(scene))
    with policy(scene):
        refused(scene, document, r"Pod default/a-3: its binding to n\d is refused .*not this one")


def test_a_namespace_that_is_being_deleted_is_refused(cluster: Live) -> None:
    cluster.create(w.node("n1"))
    version = cluster.served.group_version
    cluster.create(*w.gang(version, "a", 1, namespace="going", group={"namespace": "going"}))
    document = plan_of(world_of(cluster))
    # Without its controller the namespace stays as it is: terminating, its pods untouched.
    cluster.plane.end("kube-controller-manager")
    try:
        cluster.admin.delete(NAMESPACE.path_of("going"))
        refused(cluster, document, r"Pod going/a-0: its binding .*being terminated")
    finally:
        cluster.plane.start_controllers()


RIGHTS = {
    "pods/binding": Right("create", "", "pods/binding", "default"),
    "pods": Right("delete", "", "pods", "default"),
    "resourceclaims/binding": Right(
        "update", "resource.k8s.io", "resourceclaims/binding", "default"
    ),
}
_ROLE = "/apis/rbac.authorization.k8s.io/v1/clusterroles/gangplan"


@pytest.mark.parametrize("right", RIGHTS)
def test_a_right_that_lacks_is_named_before_the_first_write(scene: Live, right: str) -> None:
    document = plan_of(world_of(scene))
    role = scene.admin.get(_ROLE)
    verb = RIGHTS[right].verb
    rules = [_without(rule, right, verb) for rule in role["rules"]]
    scene.admin.patch(_ROLE, {"rules": rules})
    try:
        scene.wait(lambda: lacks(site_of(scene), RIGHTS[right]))
        refused(scene, document, rf"we may not {verb} {right} .*in namespace default: .*apply -k")
    finally:
        scene.admin.patch(_ROLE, {"rules": role["rules"]})
        scene.wait(lambda: not lacks(site_of(scene), RIGHTS[right]))


def _without(rule: Object, resource: str, verb: str) -> Object:
    if resource not in rule["resources"] or verb not in rule["verbs"]:
        return rule
    rest = [other for other in rule["resources"] if other != resource]
    kept = [other for other in rule["verbs"] if other != verb]
    return {**rule, "resources": rest} if rest else {**rule, "verbs": kept or ["get"]}


def test_without_its_namespace_one_clear_error_says_how_to_make_it(scene: Live) -> None:
    document = plan_of(world_of(scene))
    with pytest.raises(Changed, match="there is no namespace nowhere"):
        apply(site_of(scene, namespace="nowhere"), document, yes=False, max_age=600.0)
