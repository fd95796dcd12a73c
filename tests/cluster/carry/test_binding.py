"""A flight without victims: bound as a whole, repaired, or taken back."""

from threading import Timer

import pytest

from gangplan.cluster.carry import carry
from gangplan.cluster.kinds import Kind
from gangplan.cluster.outcome import BOUND, UNDONE, WAITING
from tests.cluster.carry.flown import (
    bind,
    delete,
    flight_in,
    journals,
    set_status,
    site,
    when,
    without_kubelets,
    wrong,
)
from tests.cluster.live import Live
from tests.cluster.workloads import RACK, gang, job, node, pod, racks

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

_POLICY = Kind(
    "admissionregistration.k8s.io",
    "v1",
    "validatingadmissionpolicies",
    "ValidatingAdmissionPolicy",
    namespaced=False,
)
_POLICY_BINDING = Kind(
    "admissionregistration.k8s.io",
    "v1",
    "validatingadmissionpolicybindings",
    "ValidatingAdmissionPolicyBinding",
    namespaced=False,
)
_NOT = "not this one"


def test_a_gang_is_bound_and_its_journal_is_gone(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(*racks(2, 2), *gang(version, "g", 4, group={"topology": RACK}, cpu="4"))
    flight = flight_in(cluster)
    outcome = carry(site(cluster), flight)
    assert outcome.status == BOUND, outcome
    assert len(set(cluster.bound().values()) & {"n0", "n1"}) in (0, 2)
    assert outcome.bound == {f"default/{name}": at for name, at in cluster.bound().items()}
    assert len(outcome.bound) == 4
    kind = {"v1alpha2": "PodGroupScheduled"}.get(version, "PodGroupInitiallyScheduled")
    conditions = cluster.get("PodGroup", "default/g")["status"]["conditions"]
    assert {c["type"]: c["status"] for c in conditions}[kind] == "True"
    assert not journals(cluster)
    assert not wrong(cluster)


def test_a_pod_that_was_made_again_is_not_bound_in_the_place_of_the_old_one(
    cluster: Live,
) -> None:
    cluster.create(*racks(1, 2), pod("p"))
    flight = flight_in(cluster)
    delete(cluster, "Pod", "default/p")
    cluster.create(pod("p"))
    outcome = carry(site(cluster), flight)
    assert outcome.status == WAITING
    assert not cluster.bound()
    assert not journals(cluster)


def test_what_is_gone_between_the_check_and_the_binding_is_taken_back(cluster: Live) -> None:
    cluster.create(*racks(1, 2), *gang(cluster.served.group_version, "g", 3, cpu="4"))
    flight = flight_in(cluster)
    with when("bind.before", lambda: delete(cluster, "Pod", "default/g-1")):
        outcome = carry(site(cluster), flight)
    assert outcome.status == UNDONE, outcome
    assert sorted(outcome.deleted) == ["default/g-0", "default/g-2"]
    assert "default/g-1 is gone" in outcome.sentences
    assert any("no controller" in warning for warning in outcome.warnings)
    (told,) = cluster.get("PodGroup", "default/g")["status"]["conditions"]
    assert told["message"] == "below its minimum without default/g-1; default/g-1 is gone"
    assert not cluster.bound()
    assert not wrong(cluster)


def test_pods_of_a_node_that_has_gone_are_bound_to_another_one(cluster: Live) -> None:
    cluster.create(*racks(1, 2), *gang(cluster.served.group_version, "g", 2, cpu="6"))
    flight = flight_in(cluster)
    cluster.create(node("spare"))

    def lose() -> None:
        delete(cluster, "Node", "n1")

    with when("bind.before", lose):
        outcome = carry(site(cluster), flight)
    assert outcome.status == BOUND, outcome
    assert sorted(cluster.bound().values()) == ["n0", "spare"]
    assert len(outcome.elsewhere) == 1
    assert not wrong(cluster)


def test_a_binding_that_somebody_else_made_to_our_node_is_a_success(cluster: Live) -> None:
    cluster.create(*racks(1, 2), *gang(cluster.served.group_version, "g", 2, cpu="6"))
    flight = flight_in(cluster)
    first = flight.placings[0]
    name = first.pod.partition("/")[2]
    with when("binding.before", lambda: bind(cluster, name, first.node)):
        outcome = carry(site(cluster), flight)
    assert outcome.status == BOUND
    assert not outcome.elsewhere
    assert not wrong(cluster)


def test_a_pod_that_somebody_else_bound_where_it_may_be_counts(cluster: Live) -> None:
    cluster.create(*racks(1, 2), *gang(cluster.served.group_version, "g", 2, cpu="3"))
    flight = flight_in(cluster)
    cluster.create(node("spare", rack="r0"))
    with when("bind.before", lambda: bind(cluster, "g-0", "spare")):
        outcome = carry(site(cluster), flight)
    assert outcome.status == BOUND
    assert outcome.elsewhere == ["default/g-0"]
    assert outcome.bound["default/g-0"] == "spare"


def test_a_pod_that_somebody_else_bound_out_of_its_domain_undoes_the_gang_and_stays(
    cluster: Live,
) -> None:
    version = cluster.served.group_version
    cluster.create(*racks(2, 1), *gang(version, "g", 2, group={"topology": RACK}, cpu="3"))
    flight = flight_in(cluster)
    (mine,) = flight.nodes
    other = {"n0": "n1", "n1": "n0"}[mine]
    with when("bind.before", lambda: bind(cluster, "g-0", other)):
        outcome = carry(site(cluster), flight)
    assert outcome.status == UNDONE
    assert outcome.deleted == ["default/g-1"]
    assert cluster.bound() == {"g-0": other}


def test_a_pod_that_the_kubelet_rejects_is_a_failed_binding(cluster: Live) -> None:
    cluster.create(*racks(1, 2), *gang(cluster.served.group_version, "g", 3, cpu="4"))
    flight = flight_in(cluster)
    reason = {"phase": "Failed", "reason": "OutOfcpu", "message": "Pod was rejected: no cpu"}
    act = when("confirm.before", lambda: set_status(cluster, "g-2", reason))
    with without_kubelets(cluster), act:
        outcome = carry(site(cluster), flight)
    assert outcome.status == UNDONE, outcome
    assert sorted(outcome.deleted) == ["default/g-0", "default/g-1"]
    assert [pod["metadata"]["name"] for pod in cluster.all("Pod")] == ["g-2"]
    assert not journals(cluster)


def test_pods_that_a_controller_makes_in_the_place_of_others_fill_the_gang(
    cluster: Live,
) -> None:
    boss = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "boss"}}
    group, *members = gang(cluster.served.group_version, "g", 3, cpu="4")
    (owner,) = cluster.create(boss)
    for member in members:
        member["metadata"]["ownerReferences"] = [
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "name": "boss",
                "uid": owner["metadata"]["uid"],
                "controller": True,
            }
        ]
    cluster.create(*racks(1, 3), group, *members)
    flight = flight_in(cluster)
    again = {**members[1], "metadata": {**members[1]["metadata"], "name": "g-1-again"}}

    def reject() -> None:
        delete(cluster, "Pod", "default/g-1")
        Timer(0.7, lambda: cluster.create(again)).start()

    with when("bind.after", reject):
        outcome = carry(site(cluster), flight)
    assert outcome.status == BOUND, outcome
    assert set(cluster.bound()) == {"g-0", "g-2", "g-1-again"}
    assert not outcome.missing
    assert not wrong(cluster)


def test_a_policy_that_refuses_one_pod_of_a_gang_undoes_it(cluster: Live) -> None:
    cluster.create(*racks(1, 2), *gang(cluster.served.group_version, "g", 3, cpu="2"))
    flight = flight_in(cluster)
    _refuse(cluster, "g-1")
    try:
        outcome = carry(site(cluster), flight)
    finally:
        _allow(cluster)
    assert outcome.status == UNDONE, outcome
    assert any(_NOT in sentence for sentence in outcome.sentences)
    assert sorted(outcome.deleted) == ["default/g-0", "default/g-2"]
    assert [pod["metadata"]["name"] for pod in cluster.all("Pod")] == ["g-1"]
    assert not cluster.bound()
    assert not wrong(cluster)


def test_elastic_pods_that_cannot_be_bound_are_no_reason_to_undo(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(*racks(1, 2), *gang(version, "g", 4, minimum=2, cpu="4"))
    flight = flight_in(cluster)
    elastic = next(placing for placing in flight.placings if placing.mark == "elastic")
    with when("bind.before", lambda: delete(cluster, "Pod", elastic.pod)):
        outcome = carry(site(cluster), flight)
    assert outcome.status == BOUND, outcome
    assert len(cluster.bound()) == 3
    assert outcome.missing == [elastic.pod]
    assert any(elastic.pod in warning for warning in outcome.warnings)
    assert not wrong(cluster)


def test_nothing_is_written_where_the_room_is_taken(cluster: Live) -> None:
    cluster.create(*racks(1, 2), *gang(cluster.served.group_version, "g", 2, cpu="6"))
    flight = flight_in(cluster)
    cluster.create(pod("stranger", node="n0", cpu="4", scheduler="default-scheduler"))
    outcome = carry(site(cluster), flight)
    assert outcome.status == WAITING, outcome
    assert any("cpu" in sentence for sentence in outcome.sentences)
    assert set(cluster.bound()) == {"stranger"}
    assert not wrong(cluster)


def test_a_job_whose_backoff_limit_an_undo_passes_is_named(cluster: Live) -> None:
    version = cluster.served.group_version
    minimum = 3 if version != "v1alpha2" else None
    cluster.create(*racks(1, 3), job("g", 3, minimum=minimum, cpu="4", backoff=1))
    cluster.wait(lambda: len(cluster.all("Pod")) == 3)
    flight = flight_in(cluster)
    victim = flight.placings[0].pod.partition("/")[2]

    def reject() -> None:
        status = {"phase": "Failed", "reason": "OutOfcpu", "message": "Pod was rejected: no cpu"}
        set_status(cluster, victim, status)

    with without_kubelets(cluster), when("confirm.before", reject):
        outcome = carry(site(cluster), flight)
    assert outcome.status == UNDONE, outcome
    assert any("backoffLimit of 1" in warning for warning in outcome.warnings), outcome
    assert len(outcome.deleted) == 2
    assert set(cluster.bound()) == {victim}


def _refuse(live: Live, name: str) -> None:
    rules = [
        {
            "apiGroups": [""],
            "apiVersions": ["v1"],
            "operations": ["CREATE"],
            "resources": ["pods/binding"],
        }
    ]
    spec = {
        "failurePolicy": "Fail",
        "matchConstraints": {"resourceRules": rules},
        "validations": [{"expression": f"object.metadata.name != '{name}'", "message": _NOT}],
    }
    api = "admissionregistration.k8s.io/v1"
    meta = {"metadata": {"name": "refuse"}}
    live.admin.post(_POLICY.path(), {"apiVersion": api, "kind": _POLICY.name, **meta, "spec": spec})
    binding = {"policyName": "refuse", "validationActions": ["Deny"]}
    body = {"apiVersion": api, "kind": _POLICY_BINDING.name, **meta, "spec": binding}
    live.admin.post(_POLICY_BINDING.path(), body)
    live.wait(lambda: _is_refused(live, name), why="the policy does not work")


def _is_refused(live: Live, name: str) -> bool:
    path = live.served["Pod"].path_of(f"default/{name}", "binding")
    target = {"apiVersion": "v1", "kind": "Node", "name": "n0"}
    body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target}
    try:
        live.admin.post(path, body, dry_run=True)
    except Exception as error:
        return _NOT in str(error)
    return False


def _allow(live: Live) -> None:
    live.admin.delete(_POLICY_BINDING.path("", "refuse"))
    live.admin.delete(_POLICY.path("", "refuse"))
