"""The journal: who holds it writes, who does not is fenced, and what is too big is refused."""

import uuid
from dataclasses import replace

import pytest

from gangplan.cluster.carry import carry, resume, resume_one
from gangplan.cluster.carry import journal as journals_of
from gangplan.cluster.carry.packed import MOST
from gangplan.cluster.errors import ClusterError, Fenced
from gangplan.cluster.flight import Flight, Member, Placing
from gangplan.cluster.kinds import CONFIG_MAP
from gangplan.cluster.outcome import BOUND, LEFT, WAITING
from tests.cluster.carry.flown import flight_in, journals, site, when, wrong
from tests.cluster.live import Live
from tests.cluster.workloads import gang, racks

pytestmark = [pytest.mark.cluster, pytest.mark.alike]


def _waiting(live: Live) -> Flight:
    live.create(*racks(1, 2), *gang(live.served.group_version, "g", 2, cpu="6"))
    return flight_in(live)


def test_the_second_to_take_a_flight_is_fenced(cluster: Live) -> None:
    flight = _waiting(cluster)
    journals_of.take(site(cluster, holder="one"), flight)
    with pytest.raises(Fenced, match="carried out by one, at step clear"):
        carry(site(cluster, holder="two"), flight)
    assert not cluster.bound()


def test_whoever_was_taken_over_writes_nothing_more(cluster: Live) -> None:
    flight = _waiting(cluster)
    taken = []

    def take_over() -> None:
        (left,) = journals_of.left_over(site(cluster))
        journal = journals_of.opened(site(cluster, holder="two"), left)
        journal.take_over()
        taken.append(journal)

    with when("clear.after", take_over), pytest.raises(Fenced, match="carried out by two"):
        carry(site(cluster, holder="one"), flight)
    assert not cluster.bound()
    (left,) = journals(cluster)
    assert left["data"]["holder"] == "two"


def test_a_flight_that_was_closed_by_another_is_not_closed_again(cluster: Live) -> None:
    flight = _waiting(cluster)

    def finish() -> None:
        resume(site(cluster, holder="two"))

    with when("bind.after", finish), pytest.raises(Fenced):
        carry(site(cluster, holder="one"), flight)
    assert len(cluster.bound()) == 2
    assert not wrong(cluster)


def test_a_write_whose_answer_was_lost_is_read_back(cluster: Live) -> None:
    flight = _waiting(cluster)
    here = site(cluster, holder="one")
    journal = journals_of.take(here, flight)
    # The same creation once more, as after an answer that never came.
    again = journals_of.take(here, flight)
    assert again.written["metadata"]["uid"] == journal.written["metadata"]["uid"]
    journal.write("bind")
    stale = {**journal.written, "metadata": {**journal.written["metadata"], "resourceVersion": "1"}}
    journal.written, journal.writes = stale, journal.writes - 1
    journal.write("bind")
    assert journal.written["metadata"]["resourceVersion"] != "1"


def test_a_journal_says_for_people_what_it_is_about(cluster: Live) -> None:
    journals_of.take(site(cluster, holder="one"), _waiting(cluster))
    (left,) = journals(cluster)
    assert left["data"]["groups"] == "default/g"
    assert left["data"]["step"] == "clear"
    assert left["data"]["holder"] == "one"


def test_one_flight_alone_can_be_taken_up_again(cluster: Live) -> None:
    flight = _waiting(cluster)
    journal = journals_of.take(site(cluster, holder="one"), flight)
    journal.write("bind")
    outcome = resume_one(site(cluster, holder="two"), flight.key)
    assert outcome is not None
    assert outcome.status == BOUND
    assert resume_one(site(cluster, holder="two"), flight.key) is None


def test_what_had_not_begun_is_given_up_and_can_be_planned_again(cluster: Live) -> None:
    journals_of.take(site(cluster, holder="one"), _waiting(cluster))
    (outcome,) = resume(site(cluster, holder="two"))
    assert outcome.status == WAITING
    assert not journals(cluster)
    assert not cluster.bound()


def test_a_flight_whose_group_was_deleted_is_closed(cluster: Live) -> None:
    flight = _waiting(cluster)
    journal = journals_of.take(site(cluster, holder="one"), flight)
    journal.write("bind")
    for pod in ("g-0", "g-1"):
        cluster.admin.delete(cluster.served["Pod"].path_of(f"default/{pod}"))
    cluster.admin.delete(cluster.served["PodGroup"].path_of("default/g"))
    (outcome,) = resume(site(cluster, holder="two"))
    assert outcome.status == WAITING
    assert not journals(cluster)


def test_a_journal_that_cannot_be_read_holds_up_nobody(cluster: Live) -> None:
    flight = _waiting(cluster)
    name = {"name": "gangplan-flight-aaa", "labels": dict([journals_of.LABEL])}
    broken = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": name, "data": {"step": "x"}}
    cluster.admin.post(CONFIG_MAP.path("gangplan-system"), broken)
    journals_of.take(site(cluster, holder="one"), flight).write("bind")
    outcomes = resume(site(cluster, holder="two"))
    cluster.admin.delete(CONFIG_MAP.path("gangplan-system", "gangplan-flight-aaa"))
    assert sorted(outcome.status for outcome in outcomes) == [BOUND, LEFT]
    assert any("cannot be read as a journal" in w for o in outcomes for w in o.warnings)


def test_a_missing_namespace_is_one_clear_error(cluster: Live) -> None:
    flight = _waiting(cluster)
    with pytest.raises(ClusterError, match="no namespace nowhere, where the journals lie"):
        carry(site(cluster, client=cluster.admin, namespace="nowhere"), flight)
    assert not cluster.bound()


def test_five_thousand_pods_fit_into_a_journal_and_a_monster_is_refused(cluster: Live) -> None:
    journal = journals_of.take(site(cluster), _big(5_000))
    journal.write("bind")
    journal.earlier = journal.flight.placings
    journal.write("confirm")
    journal.close()
    with pytest.raises(ClusterError, match=r"too big to be carried out as one: 60,000 pods"):
        carry(site(cluster), _big(60_000))
    assert MOST < 1 << 20


def _big(count: int) -> Flight:
    placings = tuple(
        Placing(
            f"default/training-run-{i}",
            str(uuid.uuid4()),
            f"node-{i // 8}",
            str(uuid.uuid5(uuid.NAMESPACE_DNS, str(i // 8))),
            "default/training-run",
            "minimum",
        )
        for i in range(count)
    )
    member = Member("default/training-run", str(uuid.uuid4()), "PodGroup", count)
    return replace(Flight("big", 0, (member,), placings), plan="x")
