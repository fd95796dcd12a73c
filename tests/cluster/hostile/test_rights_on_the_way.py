"""Rights that are gone for a moment, as after the start of an API server, or for good."""

from threading import Timer

import pytest

from gangplan.cluster.carry import carry
from gangplan.cluster.checks.rights import Right
from gangplan.cluster.outcome import BOUND, UNDONE
from tests.cluster.carry.flown import (
    flight_in,
    journals,
    set_status,
    site,
    when,
    without_kubelets,
    wrong,
)
from tests.cluster.hostile.taken import give_back, take, without
from tests.cluster.live import Live
from tests.cluster.workloads import gang, job, racks

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

_MOMENTS = {
    "bind.before": Right("create", "", "pods/binding"),
    "confirm.before": Right("get", "", "nodes"),
    "journal.bind.before": Right("update", "", "configmaps", "gangplan-system"),
}


@pytest.mark.parametrize("place", _MOMENTS)
def test_a_right_that_is_gone_for_a_moment_undoes_nothing(cluster: Live, place: str) -> None:
    right = _MOMENTS[place]
    cluster.create(*racks(1, 2), *gang(cluster.served.group_version, "g", 2, cpu="6"))
    flight = flight_in(cluster)

    def gone_for_a_moment() -> None:
        take(cluster, right)
        back.start()

    back = Timer(0.7, lambda: give_back(cluster, right))
    with when(place, gone_for_a_moment):
        outcome = carry(site(cluster), flight)
    back.join()
    assert outcome.status == BOUND, outcome
    assert not outcome.deleted
    assert not journals(cluster)
    assert not wrong(cluster)


def test_an_undo_needs_no_word_about_jobs(cluster: Live) -> None:
    minimum = 3 if cluster.served.group_version != "v1alpha2" else None
    cluster.create(*racks(1, 3), job("g", 3, minimum=minimum, cpu="6", backoff=9))
    cluster.wait(lambda: len(cluster.all("Pod")) == 3)
    flight = flight_in(cluster)
    victim = flight.placings[0].pod.partition("/")[2]
    status = {"phase": "Failed", "reason": "OutOfcpu", "message": "Pod was rejected: no cpu"}
    with (
        without(cluster, Right("get", "batch", "jobs")),
        without_kubelets(cluster),
        when("confirm.before", lambda: set_status(cluster, victim, status)),
    ):
        outcome = carry(site(cluster), flight)
    assert outcome.status == UNDONE, outcome
    assert any("backoffLimit is not known" in warning for warning in outcome.warnings)
    assert set(cluster.bound()) == {victim}
    assert not journals(cluster)
