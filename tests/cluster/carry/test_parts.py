"""Several groups in one flight: what fails together, and what stands without the others."""

import pytest

from gangplan.cluster.carry import carry
from gangplan.cluster.outcome import BOUND, UNDONE
from tests.cluster.carry.flown import delete, flight_in, journals, site, when, wrong
from tests.cluster.live import Live
from tests.cluster.workloads import gang, pods, priority_class, racks, tree

pytestmark = [pytest.mark.cluster, pytest.mark.alike]


@pytest.mark.versions("1.37")
def test_a_tree_is_bound_and_told_as_a_whole(cluster: Live) -> None:
    cluster.create(*racks(1, 2), *tree("t", 2, {"a": 2, "b": 2}, cpu="3"))
    outcome = carry(site(cluster), flight_in(cluster))
    assert outcome.status == BOUND, outcome
    assert len(cluster.bound()) == 4
    conditions = cluster.get("CompositePodGroup", "default/t")["status"]["conditions"]
    said = {c["type"]: c["status"] for c in conditions}
    assert said["CompositePodGroupInitiallyScheduled"] == "True"
    assert not wrong(cluster)


@pytest.mark.versions("1.37")
def test_a_tree_without_one_of_its_groups_is_taken_back_as_a_whole(cluster: Live) -> None:
    cluster.create(*racks(1, 2), *tree("t", 2, {"a": 2, "b": 2}, cpu="3"))
    flight = flight_in(cluster)
    with when("bind.before", lambda: delete(cluster, "Pod", "default/t-b-1")):
        outcome = carry(site(cluster), flight)
    assert outcome.status == UNDONE, outcome
    assert sorted(outcome.deleted) == ["default/t-a-0", "default/t-a-1", "default/t-b-0"]
    assert not cluster.bound()
    assert not wrong(cluster)


def test_a_group_that_shares_only_the_victims_stands_without_the_other(cluster: Live) -> None:
    version = cluster.served.group_version
    low = gang(version, "low", 2, cpu="6", priority_class="low", group={"whole": True})
    for number, member in enumerate(low[1:]):
        member["spec"]["nodeName"] = f"n{number}"
    cluster.create(priority_class("low", 1), priority_class("high", 9), *racks(1, 2), *low)
    for name in ("a", "b"):
        cluster.create(*gang(version, name, 2, cpu="3", priority_class="high"))
    flight = flight_in(cluster)
    assert len(flight.members) == 2
    with when("bind.before", lambda: delete(cluster, "Pod", "default/a-1")):
        outcome = carry(site(cluster), flight)
    assert outcome.status == UNDONE, outcome
    assert outcome.deleted == ["default/a-0"]
    assert set(cluster.bound()) == {"b-0", "b-1"}
    assert set(outcome.bound) == {"default/b-0", "default/b-1"}
    assert not journals(cluster)
    assert not wrong(cluster)


def test_pods_that_ran_before_are_never_deleted(cluster: Live) -> None:
    version = cluster.served.group_version
    head, *members = gang(version, "g", 2, cpu="2")
    for member in members:
        member["spec"]["nodeName"] = "n0"
    cluster.create(*racks(1, 2), head, *members)
    cluster.create(*pods("g", 2, start=2, cpu="2"))
    flight = flight_in(cluster)
    assert {placing.mark for placing in flight.placings} == {"elastic"}
    with when("bind.before", lambda: delete(cluster, "Pod", "default/g-0")):
        outcome = carry(site(cluster), flight)
    # One member that ran is gone, and the new ones make up for it.
    assert outcome.status == BOUND, outcome
    assert set(cluster.bound()) == {"g-1", "g-2", "g-3"}
