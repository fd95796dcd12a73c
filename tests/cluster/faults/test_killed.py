"""Killed with SIGKILL at every named place: the next one that runs leaves everything well."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from gangplan.cluster.faultpoints import POINTS, VARIABLE
from gangplan.cluster.kinds import LEASE
from tests.cluster import devices, workloads
from tests.cluster.audit.history import History
from tests.cluster.e2e.ways import Way, all_usable, well
from tests.cluster.faults.placed import all_run, allocate, bind, claim_of
from tests.cluster.faults.proxy import Proxy
from tests.cluster.faults.rules import Rule
from tests.cluster.live import MANIFESTS, Live

pytestmark = pytest.mark.cluster

TAKEN_BACK = ("undo", "deletion", "repair", "journal.undo")
"""Places that only a flight passes that cannot be carried out."""

LATER = ("takeover",)
"""Places that only the next one passes, who takes over."""

FORWARD = [p for p in POINTS if not any(word in p for word in (*TAKEN_BACK, *LATER))]
BACK = [p for p in POINTS if any(word in p for word in TAKEN_BACK)]
AGAIN = [p for p in POINTS if any(word in p for word in LATER)]

USUAL = {"binding.after", "eviction.after", "journal.claim.after", "deletion.after"}
"""Those that are not left to ``make fuzz-cluster``'s nights: the others are marked slow."""


def places(points: list[str]) -> list[object]:
    """Give parameters of a test, one a place."""
    return [p if p in USUAL else pytest.param(p, marks=pytest.mark.slow) for p in points]


FOREIGN = MANIFESTS / "evict-foreign" / "rbac.yaml"
CARD = "card.example.com"
CARDS = [devices.device("c0"), devices.device("c1")]
SHARED = {"fabric": devices.from_template("one")}
MINE = {"gpu": devices.from_template("gpus"), **SHARED}


def scene(live: Live) -> None:
    """A whole group and a foreign pod run where an urgent gang, with claims, has to be."""
    version = live.served.group_version
    fabric = devices.resource_slice("fabric", [devices.device("f")], nodes={workloads.RACK: "r0"})
    live.create(
        workloads.priority_class("urgent", 1000), workloads.priority_class("low", 10),
        *workloads.racks(1, 3, cpu="2"), devices.device_class(), fabric,
        devices.device_class("card", driver=CARD),
        *(devices.resource_slice(f"n{n}-cards", CARDS, node=f"n{n}", driver=CARD)
          for n in range(3)),
        devices.claim_template("one"), devices.claim_template("gpus", device_class="card"),
        *workloads.gang(version, "old", 2, cpu="2", priority_class="low", claims=SHARED,
                        group={"whole": True}),
        workloads.pod("foreign", cpu="2", node="n2", scheduler="other", priority_class="low"),
    )  # fmt: skip
    row = {"driver": devices.DRIVER, "pool": "fabric", "device": "f"}
    group = live.get("PodGroup", "default/old")
    claim = claim_of(live, "old")
    allocate(live, claim, [row], {**group, "kind": "PodGroup"}, nodes={workloads.RACK: "r0"})
    for number in range(2):
        bind(live, f"old-{number}", f"n{number}")
    all_run(live)
    live.create(
        *workloads.gang(version, "new", 3, cpu="2", priority_class="urgent", claims=MINE,
                        group={"claims": SHARED})
    )  # fmt: skip
    live.wait(lambda: len(live.all("ResourceClaim")) == 5)


def planned(live: Live) -> None:
    """Write the plan that is going to be carried out."""
    for step in (
        ("snapshot", "--evict-foreign", "-o", "s.json"),
        ("plan", "s.json", "--pdb", "hard", "-o", "p.json"),
    ):
        done = live.run(*step)
        assert done.returncode == 0, done.stderr


def killed(live: Live, point: str, server: str = "") -> None:
    """Run ``apply``, and fail unless it is killed at a place."""
    done = carry_out(live, point, server)
    assert done.returncode == -signal.SIGKILL, done.stdout + done.stderr


def carry_out(live: Live, point: str, server: str = "") -> "subprocess.CompletedProcess[str]":
    """Run ``apply``; it is killed where it passes a place."""
    where = ["--kubeconfig", server] if server else []
    os.environ[VARIABLE] = point
    try:
        done = live.run("apply", "--plan", "p.json", "--yes", "--evict-foreign", *where)
    finally:
        del os.environ[VARIABLE]
    assert "Traceback" not in done.stderr, done.stderr
    return done


def expire(live: Live) -> None:
    """Let the lease of a process that is dead run out at once."""
    path = LEASE.path("gangplan-system")
    for lease in live.admin.get(path)["items"]:
        live.admin.delete(f"{path}/{lease['metadata']['name']}")


@pytest.fixture
def history(cluster: Live) -> Iterator[History]:
    """Everything that happens after the scene is set; foreign pods may be evicted."""
    rights = [obj for obj in yaml.safe_load_all(FOREIGN.read_text()) if obj]
    cluster.create(*rights)
    try:
        scene(cluster)
        planned(cluster)
        with History(cluster.admin, cluster.served) as found:
            yield found
    finally:
        for obj in rights:
            cluster.admin.delete(cluster.kind(obj).path("", obj["metadata"]["name"]))


def all_well(live: Live, history: History) -> None:
    """Fail unless all is well; that the foreign pod fell was allowed."""
    well(live, _Allowing(history))  # type: ignore[arg-type]


class _Allowing:
    def __init__(self, history: History) -> None:
        self._history = history

    def wrong(self, scheduler: str, *, evict_foreign: bool) -> list[str]:
        return self._history.wrong(scheduler, evict_foreign=True)


@pytest.mark.parametrize("point", places(FORWARD))
def test_on_the_way(point: str, cluster: Live, history: History) -> None:
    killed(cluster, point)
    expire(cluster)
    way = Way(cluster, "scheduler", "--evict-foreign")
    way.go(lambda: set(cluster.bound()) == {"new-0", "new-1", "new-2"})
    way.stop()
    all_well(cluster, history)


@pytest.mark.parametrize("point", places(BACK))
def test_on_the_way_back(point: str, cluster: Live, history: History, tmp_path: Path) -> None:
    if point == "repair.planned":  # there is another place, of which the plan does not know
        spare = devices.resource_slice("n3-cards", CARDS, node="n3", driver=CARD)
        cluster.create(workloads.node("n3", cpu="2", rack="r0"), spare)
        all_usable(cluster)
    refused = Rule("answer", "POST", "pods/new-1/binding(?!.*dryRun)", times=10_000, status=422)
    with Proxy(cluster.plane, [refused]) as proxy:
        killed(cluster, point, proxied(cluster, proxy))
    expire(cluster)
    way = Way(cluster, "scheduler", "--evict-foreign")
    way.go(lambda: not journals(cluster))
    way.stop()
    all_well(cluster, history)


@pytest.mark.parametrize("point", places(AGAIN))
def test_again_by_the_one_that_takes_over(point: str, cluster: Live, history: History) -> None:
    killed(cluster, "bind.before")
    expire(cluster)
    killed(cluster, point)
    expire(cluster)
    carry_out(cluster, "")
    assert set(cluster.bound()) == {"new-0", "new-1", "new-2"}
    all_well(cluster, history)


def journals(live: Live) -> list[str]:
    """Give the names of the journals that are there."""
    items = live.admin.get("/api/v1/namespaces/gangplan-system/configmaps")["items"]
    return [i["metadata"]["name"] for i in items if "flight" in i["metadata"]["name"]]


def proxied(live: Live, proxy: Proxy, name: str = "proxied.json") -> str:
    """Write a kubeconfig of the adapter's user that goes through a proxy."""
    file = live.folder / name
    file.write_text(json.dumps(live.plane.kubeconfig(server=proxy.address)))
    return str(file)
