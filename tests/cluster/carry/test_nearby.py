"""What a flight has nothing to do with is left out of its check, and nothing else."""

from dataclasses import replace
from typing import Any

from gangplan.cluster.carry.nearby import nearby
from gangplan.cluster.flight import Falling, Flight, Member, Placing
from gangplan.cluster.world import World, name_of
from tests.cluster.workloads import pod, pod_group, racks

FLIGHT = Flight(
    "key",
    0,
    (Member("default/g", "g", "PodGroup", 1),),
    (Placing("default/g-0", "u", "n0", "n", "default/g", "minimum"),),
)


def _world(*pods: dict[str, Any]) -> World:
    objects = {"Node": racks(2, 2), "Pod": [pod("g-0", group="g"), *pods]}
    return World("c", "v1.37.2", 0.0, "1", "gangplan", objects)


def _names(world: World) -> tuple[list[str], list[str]]:
    nodes, pods = (sorted(map(name_of, world.objects[kind])) for kind in ("Node", "Pod"))
    return nodes, [name.partition("/")[2] for name in pods]


def test_other_nodes_and_their_pods_are_left_out() -> None:
    world = _world(pod("here", node="n0"), pod("there", node="n3"), pod("waits"))
    assert _names(nearby(world, FLIGHT)) == (["n0"], ["g-0", "here"])


def test_members_of_the_group_stay_with_their_nodes() -> None:
    world = _world(pod("g-1", group="g", node="n2"), pod("there", node="n3"))
    assert _names(nearby(world, FLIGHT)) == (["n0", "n2"], ["g-0", "g-1"])


def test_pods_that_repel_others_stay() -> None:
    away: dict[str, Any] = {
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}
    }
    world = _world(pod("shy", node="n3", affinity=away))
    assert _names(nearby(world, FLIGHT)) == (["n0", "n3"], ["g-0", "shy"])


def test_room_that_is_reserved_for_another_group_stays_so() -> None:
    nominated = [{**pod(f"h-{i}", group="h"), "status": {}} for i in range(2)]
    nominated[0]["status"] = {"nominatedNodeName": "n0"}
    assert _names(nearby(_world(*nominated), FLIGHT))[1] == ["g-0", "h-0", "h-1"]


def test_all_stays_where_somebody_falls_or_rules_look_further() -> None:
    world = _world(pod("there", node="n3"))
    falls = (Falling("default/there", "x", "n3", "default/there", "pod", True),)
    assert nearby(world, replace(FLIGHT, fallings=falls)) is world
    spread = [{"maxSkew": 1}]
    wide = world.with_objects({"Pod": [pod("g-0", group="g", topologySpreadConstraints=spread)]})
    assert nearby(wide, FLIGHT) is wide


def test_pods_that_other_flights_bring_to_its_nodes_stay_and_so_does_where_they_go() -> None:
    world = _world(pod("comes"), pod("goes", group="g"), pod("waits"))
    member = (Member("default/h", "h", "PodGroup", 1),)
    placings = (
        Placing("default/comes", "c", "n0", "n", "default/h", "minimum"),
        Placing("default/goes", "d", "n3", "n", "default/g", "minimum"),
    )
    other = Flight("other", 0, member, placings)
    assert _names(nearby(world, FLIGHT, [other])) == (["n0", "n3"], ["comes", "g-0", "goes"])


def test_groups_without_a_pod_there_are_left_out() -> None:
    groups = [pod_group("v1beta1", name, 1) for name in ("g", "h", "i")]
    world = _world(pod("h-0", group="h", node="n0")).with_objects({"PodGroup": groups})
    assert [*map(name_of, nearby(world, FLIGHT).objects["PodGroup"])] == ["default/g", "default/h"]
