"""A World made numeric, with everything and without what cannot be read; flights found on it."""

from typing import Any

import pytest

import gangplan
from gangplan.cluster.errors import Changed
from gangplan.cluster.flight import Allocating, Falling, Flight, Placing
from gangplan.cluster.flights import flights_of
from gangplan.cluster.instances import instance_of, placed, placed_document, tolerant
from gangplan.cluster.world import World
from gangplan.datasets.plan_file import plan_document
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance
from tests.cluster.paper.worlds import OURS, changed, without, world
from tests.datasets.kubernetes.devices.claims import (
    DRIVER,
    asks,
    claim,
    device_class,
    request,
    result,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import child, composite, gang, node, obj, pod, pods
from tests.datasets.kubernetes.running.work import ALL, units

HIGH = OURS | {"priority": 9}
BROKEN: Any = {"status__allocatable": {"cpu": "much"}}


def waiting(instance: Instance) -> set[str]:
    return {name for name in instance.names.pods if name}


def devices(instance: Instance) -> set[str]:
    return set(instance.names.devices)


# -- all of it -------------------------------------------------------------------------------------


def test_a_world_is_read_as_its_snapshot_file_would_be() -> None:
    instance = instance_of(world(node("n1"), pod("ours", spec=OURS), pod("theirs")))
    assert waiting(instance) == {"lab/ours"}
    assert instance.names.nodes == ("n1",)


def test_an_object_that_cannot_be_read_stops_it_by_name() -> None:
    broken = changed(world(node("n1"), node("n2")), "Node", "n2", **BROKEN)
    with pytest.raises(InputError, match=r"Node n2: status\.allocatable\.cpu"):
        instance_of(broken)


# -- without what cannot be read -------------------------------------------------------------------


def test_a_world_that_can_be_read_is_the_same_for_both() -> None:
    whole = world(node("n1"), gang("g", 1), *pods("g", 2, spec=OURS))
    instance, reasons = tolerant(whole)
    assert instance.digest() == instance_of(whole).digest()
    assert reasons == {}


def test_a_node_that_cannot_be_read_leaves() -> None:
    broken = changed(world(node("n1"), node("n2")), "Node", "n2", **BROKEN)
    instance, reasons = tolerant(broken)
    assert instance.names.nodes == ("n1",)
    assert reasons.keys() == {"Node n2"}


def test_a_waiting_pod_that_cannot_be_read_takes_its_group_with_it_and_nobody_else() -> None:
    before = world(
        node("n1"),
        gang("g", 1),
        *pods("g", 2, spec=OURS),
        pod("g-run", "g", "n1", spec=OURS),
        pod("alone", spec=HIGH),
    )
    instance, reasons = tolerant(changed(before, "Pod", "g-0", spec__nodeSelectr={}))
    assert waiting(instance) == {"lab/alone"}
    assert reasons.keys() == {"Pod lab/g-0", "PodGroup lab/g"}
    assert "lab/g-run" in instance.names.running, "nobody keeps a group from falling by a bad pod"


def test_a_bound_pod_that_cannot_be_read_takes_its_node_and_keeps_its_group() -> None:
    before = world(
        node("n1"),
        node("n2"),
        gang("g", 1, spec=ALL),
        *pods("g", 2, on="n1", spec=OURS),
        pod("g-2", "g", "n2", spec=OURS),
        pod("new", spec=HIGH),
    )
    bad = [{"name": "c", "resources": {"requests": {"cpu": "much"}}}]
    instance, reasons = tolerant(changed(before, "Pod", "g-2", spec__containers=bad))
    assert instance.names.nodes == ("n1",)
    assert "lab/g" not in instance.names.units
    assert reasons["Node n2"] == "what Pod lab/g-2 holds cannot be read"


def test_a_finished_pod_that_cannot_be_read_takes_nothing_with_it() -> None:
    before = world(node("n1"), gang("g", 1), pod("g-0", "g", "n1", phase="Succeeded", spec=OURS))
    more = before.with_objects({"Pod": [*before.objects["Pod"], pod("g-1", "g", spec=OURS)]})
    instance, reasons = tolerant(changed(more, "Pod", "g-0", spec__nodeSelectr={}))
    assert instance.names.nodes == ("n1",)
    assert waiting(instance) == {"lab/g-1"}
    assert reasons.keys() == {"Pod lab/g-0"}


def test_an_annotation_that_cannot_be_read_holds_up_its_own_group_alone() -> None:
    before = world(
        node("n1"),
        gang("g", 1),
        *pods("g", 1, spec=OURS, annotations={"gangplan.io/slice-size": "two"}),
        pod("fine", spec=OURS),
    )
    instance, reasons = tolerant(before)
    assert waiting(instance) == {"lab/fine"}
    assert "slice-size" in reasons["Pod lab/g-0"]


def test_a_bound_pod_keeps_its_node_whatever_its_annotations_say() -> None:
    bad = {"gangplan.io/required-topology": "zone,,"}
    owner = [{"kind": "Job", "name": "j", "controller": True}]
    good = {"gangplan.io/required-topology": "zone"}
    before = world(
        node("n1", labels={"zone": "z"}),
        pod("run", on="n1", spec=OURS, annotations=bad, ownerReferences=owner),
        pod("wait", spec=OURS, annotations=good, ownerReferences=owner),
    )
    instance, reasons = tolerant(before)
    assert instance.names.nodes == ("n1",)
    assert waiting(instance) == {"lab/wait"}
    assert reasons.keys() == {"Pod lab/run"}


def test_a_group_that_cannot_be_read_waits_and_its_running_pods_stay() -> None:
    before = world(
        node("n1"),
        gang("g", 2, spec=ALL),
        *pods("g", 2, on="n1", spec=OURS),
        pod("g-2", "g", spec=OURS),
        pod("new", spec=HIGH),
    )
    instance, reasons = tolerant(changed(before, "PodGroup", "g", spec__schedulingPolicy={}))
    assert waiting(instance) == {"lab/new"}
    assert not units(instance)
    assert reasons.keys() == {"PodGroup lab/g"}


def test_a_group_with_an_annotation_that_fits_none_of_its_pods_can_still_fall_whole() -> None:
    role = {"gangplan.io/role-minimum": "leader=1"}
    before = world(
        node("n1"),
        gang("g", 2, spec=ALL, annotations=role),
        *pods("g", 2, on="n1", spec=OURS),
        pod("g-2", "g", spec=OURS),
        pod("new", spec=HIGH),
    )
    instance, reasons = tolerant(before)
    assert waiting(instance) == {"lab/new"}
    assert units(instance)["lab/g"].pods == ["g-0", "g-1"]
    assert "no pod has the role leader" in reasons["PodGroup lab/g"]


def test_groups_below_a_composite_that_cannot_be_read_wait_and_stay() -> None:
    before = world(
        node("n1"),
        composite("top"),
        composite("mid", parent="top"),
        child("low", "mid"),
        pod("low-0", "low", spec=OURS),
        pod("low-1", "low", "n1", spec=OURS),
        pod("new", spec=HIGH),
    )
    broken = changed(before, "CompositePodGroup", "top", spec__schedulingPolicy={})
    instance, reasons = tolerant(broken)
    assert waiting(instance) == {"lab/new"}
    assert not units(instance)
    assert {"CompositePodGroup lab/top", "PodGroup lab/low"} <= reasons.keys()


def test_nobody_is_evicted_where_a_budget_cannot_be_read() -> None:
    guard = obj("policy/v1", "PodDisruptionBudget", "b", {"selector": {}, "minAvailable": "-1"})
    elsewhere = pod("far", on="n1", spec=OURS, namespace="other")
    before = world(node("n1"), pod("old", on="n1", spec=OURS), elsewhere, pod("new", spec=HIGH))
    instance, reasons = tolerant(before.with_objects({"PodDisruptionBudget": [guard]}))
    assert list(instance.names.units) == ["other/far"]
    assert reasons.keys() == {"PodDisruptionBudget lab/b"}


def with_devices(*more: dict[str, Any]) -> World:
    wants = {"resourceClaims": [{"name": "gpu", "resourceClaimName": "mine"}]}
    return world(
        node("n1"),
        node("n2"),
        device_class(),
        slice_("s1", "d1", "d2"),
        slice_("s2", "d1", on="n2", pool="n2"),
        pod("new", gpus=0, spec=OURS | wants),
        claim("mine", asks(request())),
        *more,
    )


def test_a_claim_that_cannot_be_read_keeps_its_pool() -> None:
    held = claim("held", asks(request()), [result("d1")], reserved=["x"])
    held["spec"]["devices"]["request"] = []
    assert devices(tolerant(with_devices())[0]) == {
        f"{DRIVER}/n1/d1",
        f"{DRIVER}/n1/d2",
        f"{DRIVER}/n2/d1",
    }
    instance, reasons = tolerant(with_devices(held))
    assert devices(instance) == {f"{DRIVER}/n2/d1"}
    assert reasons.keys() == {"ResourceClaim lab/held"}


def test_a_slice_that_cannot_be_read_takes_its_pool_with_it() -> None:
    broken = changed(with_devices(), "ResourceSlice", "s2", spec__device=[])
    assert devices(tolerant(broken)[0]) == {f"{DRIVER}/n1/d1", f"{DRIVER}/n1/d2"}


def test_a_rule_of_taints_that_cannot_be_read_bars_its_devices() -> None:
    rule = obj(
        "resource.k8s.io/v1", "DeviceTaintRule", "r", {"deviceSelector": {"driver": DRIVER}, "x": 1}
    )
    del rule["metadata"]["namespace"]
    assert not devices(tolerant(with_devices(rule))[0])


# -- flights ---------------------------------------------------------------------------------------


def planned() -> tuple[World, Instance, dict[str, Any]]:
    """A gang that evicts, a pod with two claims of its own, and a shared claim."""
    entries = [
        {"name": "gpu", "resourceClaimTemplateName": "t"},
        {"name": "net", "resourceClaimTemplateName": "t"},
        {"name": "both", "resourceClaimName": "common"},
    ]
    made = [
        {"name": "gpu", "resourceClaimName": "user-net-x"},
        {"name": "net", "resourceClaimName": "user-gpu-y"},
    ]
    user = pod("user", gpus=0, spec=OURS | {"resourceClaims": entries})
    user["status"] = {"resourceClaimStatuses": made}
    of = world(
        node("n1", 2),
        node("n2", 0),
        gang("g", 2, spec={"priority": 9}),
        *pods("g", 2, spec=HIGH),
        gang("old", 2, spec=ALL),
        *pods("old", 2, on="n1", spec=OURS),
        user,
        template("t", asks(request())),
        claim("user-net-x", asks(request()), owner=("Pod", "user")),
        claim("user-gpu-y", asks(request()), owner=("Pod", "user")),
        claim("common", asks(request("q"))),
        device_class(),
        slice_("s", "d1", "d2", "d3", on="n2", pool="n2"),
    )
    instance = instance_of(of)
    return of, instance, plan_document(instance, gangplan.plan(instance, "exact"))


def test_flights_of_a_plan_are_that_plan() -> None:
    of, instance, document = planned()
    whole = placed_document(instance, document)
    assert len(whole.evicted) == 1
    assert len(whole.allocations.device) == 3
    again = placed(instance, flights_of(document, of), of)
    assert again.node.tolist() == whole.node.tolist()
    assert again.evicted.tolist() == whole.evicted.tolist()
    for column in ("pod", "claim", "choice", "device"):
        said, true = (sorted(getattr(p.allocations, column).tolist()) for p in (again, whole))
        assert said == true, column
    assert not gangplan.verify(instance, again)


def test_a_plan_is_found_on_a_world_that_has_moved_on() -> None:
    of, instance, document = planned()
    later = world(*(one for found in of.objects.values() for one in found), node("n0", 1))
    now = instance_of(later)
    plan = placed_document(now, document)
    nodes = [now.names.nodes[n] for n in plan.node.tolist()]
    assert nodes == [instance.names.nodes[n] for n in placed_document(instance, document).node]
    gone = instance_of(without(of, "Pod", "user"))
    with pytest.raises(Changed, match="lab/user is no pending pod"):
        placed_document(gone, document)


def test_a_claim_that_has_its_devices_is_passed_over() -> None:
    of, _, document = planned()
    (user,) = [f for f in flights_of(document, of) if f.allocatings]
    done = [one for one in user.allocatings if one.claim == "lab/common"]
    later = changed(
        of, "ResourceClaim", "common", status__allocation=dict(done[0].allocation or {})
    )
    plan = placed(instance_of(later), [user], later)
    assert len(plan.allocations.device) == 2


def placing(name: str, on: str) -> Placing:
    return Placing(name, "u", on, "u", name, "minimum")


def test_every_name_that_is_gone_is_told_at_once() -> None:
    of, instance, _ = planned()
    falling = Falling("lab/old-0", "u", "n1", "lab/old", "group", True)
    lost = Flight(
        "k",
        9,
        (),
        (placing("lab/ghost", "n1"), placing("lab/g-0", "n9")),
        (falling, Falling("lab/x", "u", "n1", "lab/x", "pod", True)),
        (),
    )
    with pytest.raises(Changed) as error:
        placed(instance, [lost], of)
    assert error.value.sentences == (
        "Pod lab/ghost: it does not wait any more",
        "Node n9: it is not there any more",
        "group lab/old: it has other pods now: lab/old-1",
        "pod lab/x: it cannot be evicted any more",
    )


def test_a_claim_that_no_pod_uses_is_told() -> None:
    of, instance, _ = planned()
    allocation = {"devices": {"results": [result("d1", pool="n2")]}}
    lost = Flight(
        "k", 0, (), (placing("lab/user", "n2"),), (), (Allocating("lab/no", "u", allocation, ()),)
    )
    with pytest.raises(Changed, match="ResourceClaim lab/no: no pod of the plan uses it"):
        placed(instance, [lost], of)
