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
from tests.cluster.carry.flown import journals, site, wrong
from tests.cluster.carry.urgent import replacement, urgent_flight
from tests.cluster.live import ROOT, Live

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

_UNDOING = ("undo", "deletion", "repair", "journal.undo")
_RESUMING = ("journal.takeover",)
_FORWARD = [p for p in POINTS if not p.startswith((*_UNDOING, *_RESUMING))]


@pytest.mark.parametrize("point", _FORWARD)
def test_a_flight_killed_on_its_way_is_finished_or_has_not_begun(cluster: Live, point: str) -> None:
    with History(cluster.admin, cluster.served) as history:
        flight = urgent_flight(cluster)
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
        flight = urgent_flight(cluster)
        if point.startswith("repair"):
            _killed_at(cluster, flight, "journal.confirm.after")
            cluster.admin.delete(cluster.served["Pod"].path_of("default/high-1"))
            cluster.create(replacement(cluster))
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
    flight = urgent_flight(cluster)
    _killed_at(cluster, flight, "journal.bind.after")
    _killed_at(cluster, flight, point)
    (outcome,) = resume(site(cluster, holder="next", client=cluster.admin, evict_foreign=True))
    assert outcome.status == BOUND
    assert set(cluster.bound()) == {"high-0", "high-1"}
    cluster.wait(lambda: not wrong(cluster, evict_foreign=True))


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
