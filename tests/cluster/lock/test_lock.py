"""The lock on a real server: one holder at a time, whatever happens to it and to the server."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gangplan.cluster.client import Client
from gangplan.cluster.errors import ClusterError, Fenced, Unreachable
from gangplan.cluster.kinds import CONFIG_MAP, LEASE
from gangplan.cluster.lock import Lock
from tests.cluster.live import Live

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

HERE = Path(__file__).parent
NAMESPACE = "gangplan-system"
PATH = LEASE.path(NAMESPACE, "gangplan")


class Locks:
    """Locks of one test; they are released in the end."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.said: list[str] = []
        self.made: list[Lock] = []

    def __call__(self, holder: str, seconds: float = 3.0, **options: Any) -> Lock:
        client = options.pop("client", self.client)
        options = {"duration": seconds, "renew": seconds * 2 / 3, "retry": 0.3, **options}
        namespace = options.pop("namespace", NAMESPACE)
        self.made.append(Lock(client, namespace, holder, say=self.said.append, **options))
        return self.made[-1]


@pytest.fixture
def locks(cluster: Live) -> Iterator[Locks]:
    found = Locks(cluster.client)
    yield found
    for lock in found.made:
        lock.release()


def holder(live: Live) -> str:
    return str(live.admin.get(PATH)["spec"]["holderIdentity"])


def test_one_of_two_leads_and_the_other_names_it(cluster: Live, locks: Locks) -> None:
    first, second = locks("first"), locks("second")
    assert first.acquire(0)
    assert first.acquire(0)
    first.guard()
    assert not second.acquire(1.5)
    assert second.held_by().startswith("held by first, renewed ")
    with pytest.raises(Fenced, match="the lease gangplan-system/gangplan is not ours"):
        second.guard()


def test_a_lease_given_up_is_taken_at_once(cluster: Live, locks: Locks) -> None:
    first, second = locks("first", 30), locks("second", 30)
    assert first.acquire(0)
    assert first.release()
    with pytest.raises(Fenced, match="released"):
        first.guard()
    assert not first.lost.is_set()
    assert second.acquire(0)
    spec = cluster.admin.get(PATH)["spec"]
    assert (spec["holderIdentity"], spec["leaseTransitions"]) == ("second", 1)


def test_a_holder_that_is_silent_is_waited_for_as_long_as_it_asked(
    cluster: Live, locks: Locks
) -> None:
    spec = {"holderIdentity": "x", "leaseDurationSeconds": 2}
    silent = {"metadata": {"name": "gangplan"}, "spec": spec}
    cluster.admin.post(LEASE.path(NAMESPACE), silent)
    lock = locks("second", 30)
    assert not lock.acquire(0)
    began = time.monotonic()
    assert lock.acquire(10)
    assert 1.5 < time.monotonic() - began < 6
    assert any("taken over from x" in said for said in locks.said)


def test_a_paused_leader_finds_out_at_its_next_write(cluster: Live, locks: Locks) -> None:
    command = [sys.executable, str(HERE / "leader.py"), str(cluster.plane.user), "first"]
    leader = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert leader.stdout is not None
    try:
        assert next(leader.stdout) == "wrote 0\n"
        leader.send_signal(signal.SIGSTOP)
        assert locks("second").acquire(20)
        before = _names(cluster)
        leader.send_signal(signal.SIGCONT)
        said = leader.communicate(timeout=20)[0]
    finally:
        leader.kill()
        leader.wait()
    assert leader.returncode == 4
    assert "fenced: the lease gangplan-system/gangplan is not ours: " in said
    assert _names(cluster) == before
    assert holder(cluster) == "second"


def _names(live: Live) -> set[str]:
    found = live.admin.get(CONFIG_MAP.path(NAMESPACE))["items"]
    return {item["metadata"]["name"] for item in found}


def test_a_lease_that_another_one_has_written_is_lost_for_good(cluster: Live, locks: Locks) -> None:
    lock = locks("first", 30)
    assert lock.acquire(0)
    cluster.admin.patch(PATH, {"spec": {"holderIdentity": "thief"}})
    assert lock.lost.wait(5)
    with pytest.raises(Fenced, match=r"lost \(held by thief, renewed 0 s ago\)"):
        lock.guard()
    cluster.admin.patch(PATH, {"spec": {"holderIdentity": "first"}})
    time.sleep(0.5)
    assert not lock.leads
    assert not lock.release()


def test_a_deleted_lease_is_lost(cluster: Live, locks: Locks) -> None:
    lock = locks("first", 30)
    assert lock.acquire(0)
    cluster.admin.delete(PATH)
    assert lock.lost.wait(5)
    assert lock.acquire(0)
    lock.guard()


def test_a_label_on_the_lease_is_no_loss(cluster: Live, locks: Locks) -> None:
    lock = locks("first", 30)
    assert lock.acquire(0)
    for number in range(3):
        cluster.admin.patch(PATH, {"metadata": {"labels": {"n": str(number)}}})
        time.sleep(0.4)
    lock.guard()
    assert cluster.admin.get(PATH)["metadata"]["labels"] == {"n": "2"}


def test_a_server_that_dies_is_waited_for_until_the_lease_is_lost(
    cluster: Live, locks: Locks
) -> None:
    patient, hasty = locks("patient", 60, name="patient"), locks("hasty", name="hasty")
    assert patient.acquire(0)
    assert hasty.acquire(0)
    cluster.plane.end("kube-apiserver", kill=True)
    try:
        assert hasty.lost.wait(10)
        with pytest.raises(Fenced):
            hasty.guard()
        patient.guard()
        with pytest.raises(Unreachable):
            locks("third").acquire(0.5)
    finally:
        cluster.plane.start_server()
    path = LEASE.path(NAMESPACE, "patient")
    renewed = cluster.admin.get(path)["spec"]["renewTime"]
    cluster.wait(lambda: cluster.admin.get(path)["spec"]["renewTime"] != renewed)
    patient.guard()
    assert not hasty.leads
    assert hasty.acquire(20)


def test_where_the_namespace_is_missing_the_command_that_makes_it_is_named(
    cluster: Live, locks: Locks
) -> None:
    lock = locks("first", namespace="nowhere", client=cluster.admin)
    with pytest.raises(ClusterError, match=r"nowhere is not there: kubectl apply -k"):
        lock.acquire(None)


def test_where_the_rights_are_missing_the_command_that_gives_them_is_named(
    cluster: Live, locks: Locks
) -> None:
    with pytest.raises(ClusterError, match=r"(?s)cannot get resource.*kubectl apply -k"):
        locks("first", namespace="default").acquire(0)
