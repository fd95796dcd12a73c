from gangplan.cluster.instances import instance_of
from gangplan.cluster.scheduler.drained import drained
from gangplan.cluster.scheduler.holds import Hold, held, units_of
from gangplan.cluster.scheduler.overlay import overlaid
from gangplan.cluster.scheduler.settings import Settings
from gangplan.cluster.scheduler.starving import Starving
from gangplan.cluster.world import Object, World, timestamp
from tests.cluster.scheduler.worlds import NOW, flight, placing, running, world
from tests.cluster.workloads import composite, gang, node, pod, pod_group, pods

SETTINGS = Settings(starving=60, recheck=15, deadline=2)
LARGE = "default/large"


def test_nodes_are_held_for_a_gang_that_waits_too_long() -> None:
    starving, told = _starving()
    assert starving.look(_busy(now=NOW + 59), [LARGE]) == 1.0
    assert not starving.holds
    assert starving.look(_busy(now=NOW + 61), [LARGE]) == 15
    hold = starving.holds[0]
    assert (hold.unit, hold.priority, len(hold.nodes)) == (LARGE, 0, 2)
    assert told == [f"{LARGE} starves: 2 nodes are held for it (n2, n3)"]


def test_a_gang_whose_pods_are_made_again_begins_to_wait_then() -> None:
    starving, _ = _starving()
    later = _busy(now=NOW + 3601)
    for one in later.objects["Pod"]:
        if one["metadata"]["name"].startswith("large"):
            one["metadata"]["creationTimestamp"] = timestamp(NOW + 3600)
    assert starving.look(later, [LARGE]) == 59
    assert not starving.holds


def test_the_least_occupied_nodes_are_held() -> None:
    starving, _ = _starving()
    starving.look(_busy(now=NOW + 61), [LARGE])
    # n0 and n1 are full, n2 and n3 half.
    assert starving.holds[0].nodes == {"n2", "n3"}


def test_others_of_the_same_priority_keep_off_and_the_gang_and_urgent_ones_do_not() -> None:
    starving, _ = _starving()
    before = _busy(pod("small", cpu="1"), _urgent(pod("urgent", cpu="1")), now=NOW + 61)
    starving.look(before, [LARGE])
    instance = instance_of(starving.over(before))
    may = {
        name: {
            instance.names.nodes[n]
            for n in range(len(instance.nodes))
            if instance.roles.eligible[k, instance.nodes.node_class[n]]
        }
        for k, name in enumerate(instance.names.groups[g] for g in instance.roles.group.tolist())
    }
    assert may["default/small"] == {"n0", "n1"}
    assert may["default/urgent"] == may[LARGE] == {"n0", "n1", "n2", "n3"}
    assert "taints" not in before.objects["Node"][2].get("spec", {})


def test_a_hold_stays_where_it_is_until_the_gang_is_in() -> None:
    starving, told = _starving()
    starving.look(_busy(now=NOW + 61), [LARGE])
    held_before = starving.holds
    free = _busy(now=NOW + 120, free=("n0", "n1"))
    starving.look(free, [LARGE])
    assert starving.holds == held_before
    starving.look(free, [])
    assert starving.holds == ()
    assert told[-1] == f"{LARGE} waits no more: 2 nodes are free for others"


def test_a_hold_moves_when_a_node_of_it_goes() -> None:
    starving, _ = _starving()
    starving.look(_busy(now=NOW + 61), [LARGE])
    less = _busy(now=NOW + 62)
    nodes = [one for one in less.objects["Node"] if one["metadata"]["name"] != "n3"]
    starving.look(less.with_objects({"Node": nodes}), [LARGE])
    assert "n3" not in starving.holds[0].nodes
    assert len(starving.holds[0].nodes) == 2


def test_nothing_is_held_for_who_would_not_fit_an_empty_cluster() -> None:
    starving, told = _starving()
    huge = gang("v1beta1", "huge", 5, cpu="4")
    starving.look(world(*_nodes(), *huge, now=NOW + 61), ["default/huge"])
    assert starving.holds == ()
    assert told == []


def test_work_of_others_and_of_higher_priority_and_daemons_is_not_expected_to_end() -> None:
    daemon = running(pod("daemon", cpu="1"), "n0")
    daemon["metadata"]["ownerReferences"] = [{"kind": "DaemonSet", "name": "d"}]
    foreign = running(pod("foreign", cpu="1", scheduler="default-scheduler"), "n0")
    urgent = _urgent(running(pod("urgent", cpu="1"), "n0"))
    small = running(pod("small", cpu="1"), "n0")
    mine = running(pod("large-0", group="large", cpu="1"), "n0")
    other = pod("waits")
    head = pod_group("v1beta1", "large", 2)
    found = world(*_nodes(), head, daemon, foreign, urgent, small, mine, other)
    names = {
        p["metadata"]["name"] for p in drained(found, LARGE, 0, units_of(found)).objects["Pod"]
    }
    assert names == {"daemon", "foreign", "urgent", "large-0"}


def test_work_that_is_just_being_bound_ends_as_any_other() -> None:
    small = pod("small", cpu="1")
    found = world(*_nodes(), *gang("v1beta1", "large", 2, cpu="4"), small)
    flying = overlaid(found, [flight(placing(small, "n0"))], cleared=True)
    names = {
        p["metadata"]["name"] for p in drained(flying, LARGE, 0, units_of(found)).objects["Pod"]
    }
    assert names == {"large-0", "large-1"}


def test_nothing_is_held_when_it_is_turned_off() -> None:
    starving = Starving(Settings(starving=0), print)
    assert starving.look(_busy(now=NOW + 10_000), [LARGE]) is None
    assert starving.holds == ()


def test_a_hold_for_a_tree_is_one_for_all_its_groups() -> None:
    tree = composite("tree", 2, workload="w")
    leaf = pod_group("v1alpha3", "leaf", 1, parent="tree", workload="w")
    found = world(*_nodes(), tree, leaf, *pods("leaf", 1), pod("small"))
    units = units_of(found)
    assert [units.of(p) for p in found.objects["Pod"]] == ["default/tree", "default/small"]
    over = held(found, [Hold("default/tree", 0, frozenset({"n0"}))], units)
    tolerations = [p["spec"].get("tolerations") for p in over.objects["Pod"]]
    assert [bool(one) for one in tolerations] == [True, False]


def _starving() -> tuple[Starving, list[str]]:
    told: list[str] = []
    clock = iter(range(0, 10_000, 20))
    return Starving(SETTINGS, told.append, lambda: next(clock)), told


def _nodes() -> list[Object]:
    return [node(f"n{i}", cpu="4") for i in range(4)]


def _busy(*more: Object, now: float, free: tuple[str, ...] = ()) -> World:
    """Give four nodes, two of them full and two half full, and a gang that needs two of them."""
    work = [
        running(pod(f"{name}-{i}", cpu="2"), name)
        for name, count in (("n0", 2), ("n1", 2), ("n2", 1), ("n3", 1))
        for i in range(0 if name in free else count)
    ]
    large = gang("v1beta1", "large", 2, cpu="4")
    return world(*_nodes(), *work, *large, *more, now=now)


def _urgent(obj: Object) -> Object:
    return {**obj, "spec": {**obj["spec"], "priority": 1000}}
