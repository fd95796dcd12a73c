"""Evictions: none that comes too late, none for room that is gone, none given up before its end."""

import json
import time
from dataclasses import replace
from threading import Timer

import pytest

from gangplan.cluster.carry import carry, resume
from gangplan.cluster.client import connect
from gangplan.cluster.outcome import BOUND, UNDONE, WAITING
from tests.cluster.carry.flown import (
    SHORT,
    delete,
    flight_in,
    journals,
    site,
    when,
    without_kubelets,
    wrong,
)
from tests.cluster.faults.proxy import Proxy
from tests.cluster.faults.rules import Rule
from tests.cluster.hostile.stopped import killed_at
from tests.cluster.live import Live
from tests.cluster.workloads import gang, pod, priority_class, racks

pytestmark = [pytest.mark.cluster, pytest.mark.alike]


def full(live: Live, grace: int = 0) -> None:
    """Two nodes that a running group of low priority fills, and an urgent gang that waits."""
    version = live.served.group_version
    low = gang(version, "low", 2, cpu="6", priority_class="low")
    for number, member in enumerate(low[1:]):
        member["spec"]["nodeName"] = f"n{number}"
        member["spec"]["terminationGracePeriodSeconds"] = grace
    high = gang(version, "high", 2, cpu="6", priority_class="high")
    live.create(priority_class("low", 1), priority_class("high", 9))
    live.create(*racks(1, 2), *low, *high)
    live.wait(
        lambda: all(
            one["status"]["phase"] == "Running"
            for one in live.all("Pod")
            if one["spec"].get("nodeName")
        )
    )


def test_an_eviction_that_arrives_after_the_flight_was_given_up_evicts_nobody(
    cluster: Live,
) -> None:
    full(cluster)
    flight = flight_in(cluster)
    with Proxy(cluster.plane, [Rule("delay", "POST", "/eviction", seconds=4.0)]) as proxy:
        file = cluster.folder / "proxied.json"
        file.write_text(json.dumps(cluster.plane.kubeconfig(server=proxy.address)))
        old = site(cluster, client=connect(str(file)).within(1.0), parallel=1)
        with killed_at("eviction.before", 2):
            carry(old, flight)
        began = time.monotonic()
        (outcome,) = resume(site(cluster, holder="next"))
        assert outcome.status == WAITING, outcome
        assert time.monotonic() - began < 3.0, "too slow for this test"
        time.sleep(4.0)
    assert proxy.happened["delay"] == 1
    assert set(cluster.bound()) == {"low-0", "low-1"}
    assert not journals(cluster)
    assert not wrong(cluster)


def test_nobody_else_falls_once_the_room_of_those_that_fell_is_taken(cluster: Live) -> None:
    full(cluster)
    flight = flight_in(cluster)
    with killed_at("eviction.after"):
        carry(site(cluster, parallel=1), flight)
    (fallen,) = {"low-0", "low-1"} - set(cluster.bound())
    cluster.wait(lambda: len(cluster.all("Pod")) == 3)
    cluster.create(pod("stranger", node=f"n{fallen[-1]}", cpu="6", scheduler="default-scheduler"))
    (outcome,) = resume(site(cluster, holder="next"))
    assert outcome.status == UNDONE, outcome
    assert outcome.lost == [f"default/{fallen}"]
    assert set(cluster.bound()) == {"low-0", "low-1", "stranger"} - {fallen}
    assert not journals(cluster)


def test_victims_get_their_grace_however_long_it_is(cluster: Live) -> None:
    full(cluster, grace=20)
    flight = flight_in(cluster)

    def end() -> None:
        for name in ("low-0", "low-1"):
            delete(cluster, "Pod", f"default/{name}")

    here = site(cluster, waits=replace(SHORT, leave=1.0))
    with without_kubelets(cluster), when("clear.before", lambda: Timer(4.0, end).start()):
        outcome = carry(here, flight)
    assert outcome.status == BOUND, outcome
    assert set(cluster.bound()) == {"high-0", "high-1"}
