"""Killed at every point, and finished by the next process: nothing is half done in the end."""

import json
import os
import signal
import subprocess
import sys

import pytest

from gangplan.cluster.carry import resume
from gangplan.cluster.faultpoints import POINTS, VARIABLE
from gangplan.cluster.flight import Flight
from gangplan.cluster.outcome import BOUND, UNDONE, WAITING
from tests.cluster.audit.history import History
from tests.cluster.carry.flown import flight_in, journals, site, wrong
from tests.cluster.devices import claim_template, device_class, from_template, gpus_of
from tests.cluster.live import ROOT, Live
from tests.cluster.workloads import gang, priority_class, racks

pytestmark = pytest.mark.cluster

_UNDOING = ("undo", "deletion", "repair", "journal.undo")
_RESUMING = ("journal.takeover",)
_FORWARD = [p for p in POINTS if not p.startswith((*_UNDOING, *_RESUMING))]


@pytest.mark.parametrize("point", _FORWARD)
def test_a_flight_killed_on_its_way_is_finished_or_has_not_begun(cluster: Live, point: str) -> None:
    with History(cluster.admin, cluster.served) as history:
        flight = _set_up(cluster)
        _killed_at(cluster, flight, point)
        outcomes = resume(site(cluster, holder="next", client=cluster.admin, evict_foreign=True))
        bound = set(cluster.bound())
        assert {o.status for o in outcomes} <= {BOUND, WAITING}, outcomes
        if any(outcome.status == BOUND for outcome in outcomes) or not outcomes:
            assert bound in ({"high-0", "high-1"}, {"low-0", "low-1"})
        else:
            assert bound == {"low-0", "low-1"}
        if bound == {"high-0", "high-1"} and outcomes:
            assert sorted(outcomes[0].lost) == ["default/low-0", "default/low-1"]
        assert not journals(cluster)
        cluster.wait(lambda: not wrong(cluster, evict_foreign=True))
        assert not wrong(cluster, history, evict_foreign=True)


@pytest.mark.parametrize("point", [p for p in POINTS if p.startswith(_UNDOING)])
def test_a_flight_killed_while_it_is_taken_back_is_taken_back(cluster: Live, point: str) -> None:
    with History(cluster.admin, cluster.served) as history:
        flight = _set_up(cluster)
        if point.startswith("repair"):
            _killed_at(cluster, flight, "journal.confirm.after")
            cluster.admin.delete(cluster.served["Pod"].path_of("default/high-1"))
            cluster.create(_replacement(cluster))
            _killed_at(cluster, flight, point)
        else:
            _killed_at(cluster, flight, "journal.confirm.after")
            cluster.admin.delete(cluster.served["Pod"].path_of("default/high-1"))
            _killed_at(cluster, flight, point)
        (outcome,) = resume(site(cluster, holder="next", client=cluster.admin, evict_foreign=True))
        assert outcome.status == (BOUND if point.startswith("repair") else UNDONE), outcome
        if outcome.status == UNDONE:
            assert outcome.deleted == ["default/high-0"]
            assert not cluster.bound()
        assert not journals(cluster)
        cluster.wait(lambda: not wrong(cluster, evict_foreign=True))
        assert not wrong(cluster, history, evict_foreign=True)


@pytest.mark.parametrize("point", [p for p in POINTS if p.startswith(_RESUMING)])
def test_a_flight_killed_while_it_is_taken_over_is_finished(cluster: Live, point: str) -> None:
    flight = _set_up(cluster)
    _killed_at(cluster, flight, "journal.bind.after")
    _killed_at(cluster, flight, point)
    (outcome,) = resume(site(cluster, holder="next", client=cluster.admin, evict_foreign=True))
    assert outcome.status == BOUND
    assert set(cluster.bound()) == {"high-0", "high-1"}
    cluster.wait(lambda: not wrong(cluster, evict_foreign=True))


def _set_up(live: Live) -> Flight:
    """A foreign group fills two nodes; an urgent gang with a claim a pod waits for them."""
    version = live.served.group_version
    low = gang(
        version, "low", 2, cpu="6", priority_class="low", group={"whole": True},
        scheduler="default-scheduler",
    )  # fmt: skip
    for number, member in enumerate(low[1:]):
        member["spec"]["nodeName"] = f"n{number}"
    live.create(priority_class("low", 1), priority_class("high", 9), *racks(1, 2), *low)
    live.create(device_class(), gpus_of("n0", 1), gpus_of("n1", 1), claim_template("gpu"))
    high = gang(version, "high", 2, cpu="6", priority_class="high")
    for member in high[1:]:
        _ask(member)
    live.create(*high)
    live.wait(
        lambda: all(
            pod["status"].get("resourceClaimStatuses")
            for pod in live.all("Pod")
            if not pod["spec"].get("nodeName")
        )
    )
    return flight_in(live, evict_foreign=True)


def _ask(member: dict[str, object]) -> None:
    spec = member["spec"]
    assert isinstance(spec, dict)
    spec["resourceClaims"] = [{"name": "gpu", **from_template("gpu")}]
    spec["containers"][0]["resources"]["claims"] = [{"name": "gpu"}]


def _replacement(live: Live) -> dict[str, object]:
    member = gang(live.served.group_version, "high", 1, cpu="6", priority_class="high")[1]
    member["metadata"]["name"] = "high-again"
    _ask(member)
    return member


def _killed_at(live: Live, flight: Flight, point: str) -> None:
    file = live.folder / "flight.json"
    file.write_text(json.dumps(flight.as_json()))
    command = [sys.executable, "-m", "tests.cluster.carry.driver"]
    done = subprocess.run(
        [*command, str(live.plane.admin), str(file), f"killed-at-{point}"],
        cwd=ROOT,
        env={**os.environ, VARIABLE: point},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == -signal.SIGKILL, f"{point} was not passed: {done.stderr[-2000:]}"
