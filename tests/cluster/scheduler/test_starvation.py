"""A large gang under a steady stream of small work, on a real API server."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from gangplan.cluster.errors import ApiError
from gangplan.cluster.kinds import POD
from tests.cluster.live import Live
from tests.cluster.scheduler.running import Scheduler
from tests.cluster.workloads import gang, pod, racks

pytestmark = pytest.mark.cluster

LIFE = 2.0
"""Seconds that small work runs."""

BACKLOG = 4
"""Small pods that always wait: the cluster is never left with room."""


@pytest.mark.parametrize("starving", ["2", "0"])
def test_a_gang_of_half_the_cluster_gets_in_only_where_room_is_held_for_it(
    cluster: Live, starving: str
) -> None:
    version = cluster.served.group_version
    cluster.create(*racks(1, 4, cpu="4"))
    scheduler = Scheduler(cluster, "--starving", starving).leads()
    with _stream(cluster):
        scheduler.bound(8, prefix="small")
        cluster.create(*gang(version, "large", 2, cpu="4"))
        if starving == "2":
            where = scheduler.bound(2, prefix="large", seconds=40)
            assert len(set(where.values())) == 2
            assert scheduler.said("default/large starves: 2 nodes are held for it")
            scheduler.wait("default/large waits no more")
        else:
            time.sleep(12)
            assert not [name for name in cluster.bound() if name.startswith("large")]
            assert not scheduler.said("starves")
    scheduler.end()


@contextmanager
def _stream(cluster: Live) -> Iterator[None]:
    """Let small work arrive, and end after a while, for as long as the context lasts."""
    stop = Event()
    failed: list[Exception] = []

    def work() -> None:
        since: dict[str, float] = {}
        number = 0
        try:
            while not stop.wait(0.1):
                small = [p for p in cluster.all("Pod") if p["metadata"]["name"].startswith("small")]
                going = [p for p in small if p["status"]["phase"] not in ("Succeeded", "Failed")]
                for one in going:
                    name = one["metadata"]["name"]
                    if one["spec"].get("nodeName"):
                        since.setdefault(name, time.monotonic())
                    if time.monotonic() - since.get(name, float("inf")) > LIFE:
                        _succeed(cluster, name)
                waiting = sum(not p["spec"].get("nodeName") for p in going)
                for _ in range(BACKLOG - waiting):
                    number += 1
                    cluster.create(pod(f"small-{number}", cpu="2"))
        except Exception as error:
            failed.append(error)

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    assert not failed, failed


def _succeed(cluster: Live, name: str) -> None:
    try:
        cluster.admin.patch(POD.path("default", name, "status"), {"status": {"phase": "Succeeded"}})
    except ApiError as error:
        if error.status != 409:
            raise
