"""``gangplan apply`` on a live cluster, as its users run it."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from gangplan.cluster import apply as module
from gangplan.cluster.apply import apply
from gangplan.cluster.carry import journal
from gangplan.cluster.errors import Changed, ClusterError
from gangplan.cluster.flights import flights_of
from gangplan.cluster.kinds import CONFIG_MAP, LEASE
from gangplan.cluster.lock import Lock
from gangplan.cluster.outcome import BOUND, UNDONE, WAITING
from gangplan.cluster.site import Waits
from gangplan.cluster.world import World
from tests.cluster import devices as d
from tests.cluster import workloads as w
from tests.cluster.apply.test_refusals import everything, settled
from tests.cluster.checks.planned import plan_of, site_of, world_of
from tests.cluster.live import Live

pytestmark = pytest.mark.cluster

Object = dict[str, Any]


def planned(live: Live) -> None:
    """Write ``p.json``, as an operator does."""
    for args in (("snapshot", "-o", "s.json"), ("plan", "s.json", "--pdb", "hard", "-o", "p.json")):
        done = live.run(*args)
        assert done.returncode == 0, done.stderr


def applied(live: Live, *args: str) -> tuple[int, Object, str]:
    """Run apply with JSON: exit code, report, and what people see."""
    done = live.run("apply", "--plan", "p.json", "--json", *args)
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def scene(live: Live) -> None:
    """Give a gang that fits, a pod with a claim, a gang that does not fit."""
    version = live.served.group_version
    live.create(
        *w.racks(1, 2, cpu="4"),
        *w.gang(version, "a", 3),
        *w.gang(version, "big", 2, cpu="16"),
        d.device_class(),
        d.gpus_of("n0", 1),
        d.claim("g"),
        w.pod("p", claims={"gpu": d.named("g")}),
    )
    settled(live)


def leases(live: Live) -> list[str]:
    """Name the leases in the adapter's namespace."""
    items = live.admin.get(LEASE.path("gangplan-system"))["items"]
    return [lease["metadata"]["name"] for lease in items]


def journals(live: Live) -> list[str]:
    """Name the journals."""
    items = live.admin.get(CONFIG_MAP.path("gangplan-system"))["items"]
    names = [item["metadata"]["name"] for item in items]
    return [name for name in names if name.startswith("gangplan-flight-")]


@contextmanager
def stubborn(live: Live) -> Iterator[Object]:
    """Give the plan of an urgent gang, for which a victim falls that does not go."""
    victim = w.pod("v", node="n1", cpu="4")
    victim["metadata"]["finalizers"] = ["example.com/stays"]
    live.create(
        w.node("n1", cpu="4"),
        w.priority_class("urgent", 100),
        victim,
        *w.gang(live.served.group_version, "a", 1, cpu="4", priority_class="urgent"),
    )
    live.wait(lambda: live.get("Pod", "default/v")["status"].get("phase") == "Running")
    settled(live)
    planned(live)
    live.plane.end("kwok")  # which takes finalizers away
    try:
        yield json.loads((live.folder / "p.json").read_text())
    finally:
        live.plane.start_kubelets()
    settled(live)


def test_without_yes_all_is_checked_and_nothing_written(cluster: Live) -> None:
    scene(cluster)
    planned(cluster)
    before = settled(cluster)
    code, report, said = applied(cluster)
    assert code == 0, said
    assert everything(cluster) == before
    assert not leases(cluster)
    assert {tuple(flight["groups"]) for flight in report["flights"]} == {
        ("default/a",), ("default/p",)
    }  # fmt: skip
    assert not report["carried"]
    assert "would bind 4 pods, evict 0 and allocate 1 claim in" in said
    assert "nothing was written; --yes carries it out" in said


def test_with_yes_a_plan_is_carried_out(cluster: Live, version: str) -> None:
    scene(cluster)
    planned(cluster)
    code, report, said = applied(cluster, "--yes")
    assert code == 0, said
    assert sorted(cluster.bound()) == ["a-0", "a-1", "a-2", "p"]
    assert cluster.bound()["p"] == "n0"
    assert [outcome["status"] for outcome in report["outcomes"]] == [BOUND, BOUND]
    allocation = cluster.get("ResourceClaim", "default/g")["status"]["allocation"]
    assert [result["device"] for result in allocation["devices"]["results"]] == ["gpu-0"]
    kind = {"1.37": "PodGroupInitiallyScheduled", "1.36": "PodGroupScheduled"}[version]
    for group, status in (("a", "True"), ("big", "False")):
        conditions = cluster.get("PodGroup", f"default/{group}")["status"]["conditions"]
        assert {c["type"]: c["status"] for c in conditions}[kind] == status
    assert "default/big waits: " in said
    assert not journals(cluster)
    code, _, said = applied(cluster, "--yes")
    assert code == 4
    assert "Pod default/a-0: " in said


def test_an_urgent_gang_evicts_a_whole_one(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(
        *w.racks(1, 2, cpu="4"),
        w.priority_class("urgent", 100),
        *[w.pod(f"old-{i}", group="old", node=f"n{i}", cpu="4") for i in range(2)],
        w.pod_group(version, "old", 2, whole=True),
        *w.gang(version, "a", 2, cpu="3", priority_class="urgent"),
    )
    cluster.wait(lambda: len(cluster.bound()) == 2)
    settled(cluster)
    planned(cluster)
    code, report, said = applied(cluster)
    assert (code, report["flights"][0]["evictions"]) == (0, ["default/old-0", "default/old-1"])
    code, report, said = applied(cluster, "--yes")
    assert code == 0, said
    assert sorted(cluster.bound()) == ["a-0", "a-1"]
    assert sorted(report["outcomes"][0]["lost"]) == ["default/old-0", "default/old-1"]
    assert "lost: default/old-" in said


def test_what_was_lost_is_said_where_a_flight_is_undone(cluster: Live) -> None:
    with stubborn(cluster) as document:
        site = site_of(cluster, waits=Waits(leave=1.0))
        report = apply(site, document, yes=True, max_age=600.0)
    assert [outcome.status for outcome in report.outcomes] == [UNDONE]
    assert not report.as_planned
    assert "lost: default/v" in report.sentences()
    assert "a-0" not in cluster.bound()


def test_ctrl_c_leaves_the_flight_in_its_journal_and_the_next_apply_takes_it_up(
    cluster: Live,
) -> None:
    path = cluster.served["Pod"].path_of("default/v")
    with stubborn(cluster):
        process = cluster.start("apply", "--plan", "p.json", "--yes", log="apply.log")
        cluster.wait(lambda: cluster.admin.get(path)["metadata"].get("deletionTimestamp"))
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        said = (cluster.folder / "apply.log").read_text()
        assert "Traceback" not in said
        assert "goes on from there" in said
        assert "lost: default/v" in said
        assert len(journals(cluster)) == 1
        code, _, said = applied(cluster)
        assert code == 4, said
        assert "Pod default/v: it is being deleted" in said
    # Now the kubelet takes it away.
    code, _, said = applied(cluster, "--yes")
    assert code == 4
    assert "left by an earlier process: bound" in said
    assert "Pod default/a-0: " in said
    assert not journals(cluster)
    assert cluster.bound() == {"a-0": "n1"}


def test_while_another_one_works_nothing_is_begun(
    cluster: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene(cluster)
    document = plan_of(world_of(cluster))
    lock = Lock(cluster.client, "gangplan-system", "another", say=lambda sentence: None)
    assert lock.acquire(5.0)
    monkeypatch.setattr(module, "PATIENCE", 0.5)
    try:
        with pytest.raises(ClusterError, match=r"another gangplan is at work here: .*another"):
            apply(site_of(cluster), document, yes=True, max_age=600.0)
    finally:
        lock.release()
    assert not cluster.bound()


def test_a_flight_that_was_left_over_is_told_without_yes(cluster: Live) -> None:
    scene(cluster)
    world = world_of(cluster)
    document = plan_of(world)
    flight = flights_of(document, world)[0]
    journal.take(site_of(cluster), flight)
    report = apply(site_of(cluster), document, yes=False, max_age=600.0)
    assert any(f"gangplan-flight-{flight.key}" in said for said in report.warnings)
    report = apply(site_of(cluster, holder="next"), document, yes=True, max_age=600.0)
    assert [outcome.flight for outcome in report.resumed] == [flight.key]
    assert report.as_planned, report.sentences()
    assert not journals(cluster)


# -- bad input -------------------------------------------------------------------------------------


def _fails(live: Live, *args: str) -> tuple[int, list[str]]:
    done: subprocess.CompletedProcess[str] = live.run("apply", *args)
    assert not done.stdout
    return done.returncode, done.stderr.splitlines()


def test_bad_input_is_one_line_and_its_exit_code(cluster: Live) -> None:
    assert _fails(cluster, "--plan", "none.json")[0] == 1
    (cluster.folder / "p.json").write_text('{"schema": "gangplan/plan/v1", "groups": []}')
    code, lines = _fails(cluster, "--plan", "p.json")
    assert (code, len(lines)) == (4, 1)
    assert "says nothing of a cluster" in lines[0]
    (cluster.folder / "p.json").write_text('{"schema": "gangplan/instance/v1"}')
    code, lines = _fails(cluster, "--plan", "p.json")
    assert code == 1
    assert lines[0].startswith("error: p.json: schema: gangplan/plan/v1 expected, not ")
    assert len(lines) == 1
    code, lines = _fails(cluster, "--plan", "p.json", "--max-age", "-1")
    assert (code, len(lines)) == (1, 1)
    (cluster.folder / "p.json").write_text('{"schema": "gangplan/plan/v1", "groups": []}')
    code, lines = _fails(cluster, "--plan", "p.json", "--kubeconfig", "nowhere")
    assert (code, len(lines)) == (4, 1)


def test_the_lock_is_given_back(cluster: Live) -> None:
    scene(cluster)
    report = apply(site_of(cluster), plan_of(world_of(cluster)), yes=True, max_age=600.0)
    assert report.as_planned, report.sentences()
    lease = cluster.admin.get(LEASE.path("gangplan-system", "gangplan"))
    assert lease["spec"]["holderIdentity"] == ""


# -- in the middle ---------------------------------------------------------------------------------


def test_a_later_flight_that_does_not_fit_any_more_evicts_nobody(cluster: Live) -> None:
    version = cluster.served.group_version
    cluster.create(
        *[w.node(f"n{i}", cpu="4") for i in range(2)],
        w.priority_class("first", 200),
        w.priority_class("urgent", 100),
        w.pod("v", node="n1", cpu="4", labels={"app": "v"}),
        *w.gang(version, "a", 1, cpu="4", priority_class="first"),
        *w.gang(version, "b", 1, cpu="4", priority_class="urgent"),
    )
    cluster.wait(lambda: cluster.get("Pod", "default/v")["status"].get("phase") == "Running")
    settled(cluster)
    document = plan_of(world_of(cluster), pdb="hard")
    site = site_of(cluster)
    path = cluster.served["PodDisruptionBudget"].path_of("default/guard")

    def world() -> World:
        if "a-0" in cluster.bound() and not cluster.all("PodDisruptionBudget"):
            cluster.create(w.budget("guard", {"app": "v"}, 1))
            cluster.wait(lambda: cluster.admin.get(path).get("status", {}).get("expectedPods"))
        return world_of(cluster)

    report = apply(replace(site, world=world), document, yes=True, max_age=600.0)
    assert [outcome.status for outcome in report.outcomes] == [BOUND, WAITING]
    assert not report.as_planned
    assert any("PodDisruptionBudget default/guard" in said for said in report.sentences())
    assert sorted(cluster.bound()) == ["a-0", "v"]
    assert not journals(cluster)


def test_a_pod_of_another_scheduler_falls_where_that_is_asked_for_and_its_node_is_free_again(
    cluster: Live,
) -> None:
    cluster.create(
        w.node("n1", cpu="4"),
        w.priority_class("urgent", 100),
        w.pod("v", node="n1", cpu="4", scheduler="default-scheduler"),
        *w.gang(cluster.served.group_version, "a", 1, cpu="4", priority_class="urgent"),
    )
    cluster.wait(lambda: cluster.get("Pod", "default/v")["status"].get("phase") == "Running")
    settled(cluster)
    document = plan_of(world_of(cluster, evict_foreign=True), pdb="hard")
    site = site_of(cluster, evict_foreign=True)
    with pytest.raises(Changed, match=r"we may not patch nodes.*evict-foreign"):
        apply(site, document, yes=True, max_age=600.0)
    report = apply(replace(site, client=cluster.admin), document, yes=True, max_age=600.0)
    assert report.as_planned, report.sentences()
    assert cluster.bound() == {"a-0": "n1"}
    assert not cluster.get("Node", "n1")["spec"].get("taints")
