"""Pods, groups and nodes that are made again under their old names while a flight is on its way."""

from typing import Any

import pytest

from gangplan.cluster.carry import carry
from gangplan.cluster.outcome import BOUND
from tests.cluster.carry.flown import delete, flight_in, site, when, wrong
from tests.cluster.live import Live
from tests.cluster.workloads import gang, racks

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

Object = dict[str, Any]


def owned(live: Live, members: list[Object]) -> list[Object]:
    """Give pods a controller, so that they count as being made again."""
    meta = {"generateName": "boss-"}
    (boss,) = live.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta})
    who = {key: boss["metadata"][key] for key in ("name", "uid")}
    for member in members:
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "controller": True, **who}
        member["metadata"]["ownerReferences"] = [owner]
    return members


@pytest.mark.parametrize("place", ["bind.before", "bind.after"])
def test_a_pod_that_is_made_again_gets_the_node_of_the_old_one(cluster: Live, place: str) -> None:
    group, *members = gang(cluster.served.group_version, "g", 2, cpu="6")
    cluster.create(*racks(1, 2), group, *owned(cluster, members))
    flight = flight_in(cluster)

    def again() -> None:
        delete(cluster, "Pod", "default/g-1")
        cluster.create(members[1])

    with when(place, again):
        outcome = carry(site(cluster), flight)
    assert outcome.status == BOUND, outcome
    assert sorted(cluster.bound().values()) == ["n0", "n1"]
    assert not outcome.deleted
    assert not wrong(cluster)
