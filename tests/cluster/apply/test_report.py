"""What apply says of what it did."""

from gangplan.cluster.flight import Falling, Flight, Member, Placing
from gangplan.cluster.outcome import BOUND, LEFT, UNDONE, Outcome
from gangplan.cluster.report import Report


def flight(key: str) -> Flight:
    """Give a flight of one pod, for which another one falls."""
    return Flight(
        key,
        0,
        (Member(f"ml/{key}", "u", "PodGroup", 1),),
        (Placing(f"ml/{key}-0", "u", "n1", "u", f"ml/{key}", "minimum"),),
        (Falling(f"ml/{key}-v", "u", "n1", "ml/v", "pod", True),),
    )


def test_a_check_says_what_would_be_done() -> None:
    report = Report((flight("a"), flight("b")), carried=False, waiting={"ml/c": "no room"})
    assert report.as_planned
    assert report.sentences() == (
        "would bind 2 pods, evict 2 and allocate 0 claims in 2 flights; 1 group would wait",
    )


def test_a_flight_that_was_not_begun_is_not_as_planned() -> None:
    report = Report((flight("a"), flight("b")), carried=True)
    report.outcomes.append(Outcome("a", BOUND, bound={"ml/a-0": "n1"}))
    assert not report.as_planned
    assert report.sentences()[0] == "1 of 2 flights done: 1 pod bound, 0 evicted; waiting: 0 groups"
    report.outcomes.append(Outcome("b", BOUND, bound={"ml/b-0": "n1"}))
    assert report.as_planned


def test_a_pod_on_another_node_is_not_as_planned_and_is_said() -> None:
    done = Outcome("a", BOUND, bound={"ml/a-0": "n2"}, elsewhere=["ml/a-0"])
    report = Report((flight("a"),), carried=True, outcomes=[done])
    assert not report.as_planned
    assert "ml/a: ml/a-0 is on n2, not where it was planned" in report.sentences()


def test_what_was_lost_deleted_and_left_is_said_by_name() -> None:
    undone = Outcome("a", UNDONE, lost=["ml/a-v"], deleted=["ml/a-0"], sentences=["no room"])
    left = Outcome("b", LEFT, warnings=["the server is away"])
    report = Report((flight("a"), flight("b")), True, [undone, left], stopped="the server is away")
    assert report.sentences()[1:] == (
        "lost: ml/a-v",
        "deleted: ml/a-0",
        "ml/a: undone: no room",
        "ml/b: left: no reason given",
        "warning: ml/b: the server is away",
        "stopped: the server is away",
    )


def test_the_json_has_the_flights_and_what_became_of_them() -> None:
    report = Report((flight("a"),), carried=True, outcomes=[Outcome("a", BOUND)])
    told = report.as_json()
    assert told["flights"][0]["pods"] == {"ml/a-0": "n1"}
    assert told["flights"][0]["evictions"] == ["ml/a-v"]
    assert told["outcomes"][0]["status"] == "bound"
    assert told["as_planned"]
