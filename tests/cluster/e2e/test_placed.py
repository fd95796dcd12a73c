"""Work that fits is placed, through the commands as users run them, on each version."""

from collections.abc import Iterator

import pytest

from tests.cluster import devices, workloads
from tests.cluster.audit.history import History
from tests.cluster.e2e.ways import WAYS, Way, apply, condition, events, told, well
from tests.cluster.live import Live

pytestmark = pytest.mark.cluster


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, cluster: Live) -> Iterator[Way]:
    """Each of the two ways; whatever happened is seen, and is well in the end."""
    found = Way(cluster, request.param)
    with History(cluster.admin, cluster.served) as history:
        yield found
        found.stop()
        well(cluster, history)


def racks_of(live: Live, pods: dict[str, str]) -> set[str]:
    """Give the racks of bound pods."""
    nodes = {node["metadata"]["name"]: node["metadata"]["labels"] for node in live.all("Node")}
    return {nodes[node][workloads.RACK] for node in pods.values()}


def test_an_indexed_job_needs_no_change_but_its_scheduler(way: Way) -> None:
    live = way.live
    live.create(*workloads.racks(2, 2, cpu="2"), workloads.job("j", 4, cpu="2"))
    live.wait(lambda: len(live.all("Pod")) == 4)
    way.go(lambda: len(live.bound()) == 4)
    live.wait(lambda: not told(live))
    assert events(live, "Scheduled") == set(live.bound())


@pytest.mark.versions("1.36")
def test_a_job_that_does_not_fit_as_a_gang_gets_no_pod(way: Way) -> None:
    live = way.live
    live.create(*workloads.racks(1, 3, cpu="2"), workloads.job("j", 4, cpu="2"))
    live.create(workloads.job("small", 2, cpu="1"))
    live.wait(lambda: len(live.all("Pod")) == 6)
    way.go(lambda: len(live.bound()) == 2)
    assert all(name.startswith("small-") for name in live.bound())


@pytest.mark.versions("1.37")
def test_a_job_that_asks_to_be_a_gang_in_a_rack_is_one(way: Way) -> None:
    live = way.live
    live.create(
        *workloads.racks(2, 2, cpu="2"),
        workloads.pod("filler", node="n0", scheduler="other"),
        workloads.job("ask", 4, minimum=4, topology=workloads.RACK),
    )
    live.wait(lambda: len(live.all("Pod")) == 5)
    way.go(lambda: len(live.bound()) == 5)
    live.wait(lambda: not told(live))
    assert racks_of(live, {k: v for k, v in live.bound().items() if k != "filler"}) == {"r1"}


def test_a_group_is_placed_in_the_rack_that_has_room(way: Way) -> None:
    live = way.live
    live.create(
        *workloads.racks(3, 2, gpus=8),
        *(workloads.pod(f"f{n}", node=f"n{n}", gpus=2, scheduler="other") for n in (0, 1, 4, 5)),
        *workloads.gang(
            live.served.group_version, "g", 2, gpus=8, group={"topology": workloads.RACK}
        ),
    )
    way.go(lambda: {"g-0", "g-1"} <= set(live.bound()))
    assert {live.bound()[name] for name in ("g-0", "g-1")} == {"n2", "n3"}
    live.wait(lambda: not told(live))


def test_a_group_that_does_not_fit_waits_and_says_why(cluster: Live) -> None:
    cluster.create(
        *workloads.racks(2, 2, cpu="2"),
        *workloads.gang(
            cluster.served.group_version, "g", 3, cpu="2", group={"topology": workloads.RACK}
        ),
    )
    way = Way(cluster, "scheduler")
    way.go(lambda: len(cluster.all("Pod")) == 3 and not told(cluster))
    pods = [condition(pod, "PodScheduled") for pod in cluster.all("Pod")]
    assert {(c.get("status"), c.get("reason")) for c in pods} == {("False", "Unschedulable")}
    assert not cluster.bound()
    way.stop()
    well(cluster)


@pytest.mark.parametrize("made", ["named", "template"])
def test_a_claim_of_a_group_is_shared_by_300_pods(way: Way, made: str) -> None:
    live = way.live
    ref = devices.named("fabric") if made == "named" else devices.from_template("fabric")
    source = devices.claim("fabric") if made == "named" else devices.claim_template("fabric")
    fabric = [
        devices.resource_slice(
            f"fabric-{rack}", [devices.device("f")], nodes={workloads.RACK: rack}
        )
        for rack in ("r0", "r1")
    ]
    live.create(
        *workloads.racks(2, 3, pods=110), devices.device_class(), *fabric, source,
        workloads.pod("filler", node="n0", scheduler="other", cpu="7"),
        *workloads.gang(live.served.group_version, "g", 300, cpu="50m", memory="1Mi",
                        claims={"fabric": ref}),
    )  # fmt: skip
    way.go(lambda: len(live.bound()) == 301, seconds=120)
    (claim,) = live.all("ResourceClaim")
    (user,) = claim["status"]["reservedFor"]
    assert (user["resource"], user["name"]) == ("podgroups", "g")
    bound = {name: node for name, node in live.bound().items() if name != "filler"}
    assert len(racks_of(live, bound)) == 1


def test_each_pod_of_a_gang_gets_devices_of_its_own(way: Way) -> None:
    live = way.live
    mine = {"gpu": devices.from_template("two")}
    live.create(
        *workloads.racks(1, 2), devices.device_class(), devices.gpus_of("n0", 4),
        devices.gpus_of("n1", 2), devices.claim_template("two", 2),
        *workloads.gang(live.served.group_version, "g", 3, claims=mine, group={"claims": None}),
    )  # fmt: skip
    live.wait(lambda: len(live.all("ResourceClaim")) == 3)
    way.go(lambda: len(live.bound()) == 3)
    assert sorted(live.bound().values()) == ["n0", "n0", "n1"]
    live.wait(lambda: not told(live))


def test_an_elastic_group_gets_its_minimum_and_then_the_rest(way: Way) -> None:
    live = way.live
    live.create(
        *workloads.racks(1, 3, cpu="1"),
        *workloads.gang(live.served.group_version, "g", 5, minimum=2),
    )
    way.go(lambda: len(live.bound()) == 3)
    first = live.bound()
    live.create(workloads.node("n3", cpu="4"))
    way.go(lambda: len(live.bound()) == 5)
    assert first.items() <= live.bound().items()
    live.wait(lambda: not told(live))


@pytest.mark.versions("1.37")
def test_a_tree_gets_as_many_groups_as_it_needs_in_one_block(way: Way) -> None:
    live = way.live
    live.create(
        *workloads.racks(4, 2, cpu="2"),
        workloads.pod("filler", node="n0", cpu="2", scheduler="other"),
        *workloads.tree(
            "t", 2, {"a": 4, "b": 4}, topology=workloads.BLOCK, inner=workloads.RACK
        ),
    )  # fmt: skip
    way.go(lambda: len(live.bound()) == 9)
    tree = live.get("CompositePodGroup", "default/t")
    live.wait(lambda: not told(live))
    tree = live.get("CompositePodGroup", "default/t")
    assert condition(tree, "CompositePodGroupInitiallyScheduled")["status"] == "True"
    assert {n for p, n in live.bound().items() if p != "filler"} == {"n4", "n5", "n6", "n7"}


def test_what_apply_would_do_is_said_and_nothing_is_written(cluster: Live) -> None:
    cluster.create(
        *workloads.racks(1, 2), *workloads.gang(cluster.served.group_version, "g", 2)
    )  # fmt: skip
    before = [pod["metadata"]["resourceVersion"] for pod in cluster.all("Pod")]
    cluster.run("snapshot", "-o", "s.json")
    cluster.run("plan", "s.json", "-o", "p.json")
    done = cluster.run("apply", "--plan", "p.json")
    assert done.returncode == 0, done.stderr
    assert "default/g" in done.stdout
    assert [pod["metadata"]["resourceVersion"] for pod in cluster.all("Pod")] == before
    assert "default/g" in apply(cluster)
