"""Metrics in the text format of Prometheus."""

import pytest

from gangplan.cluster.outcome import BOUND, Outcome
from gangplan.cluster.scheduler.exposition import Counter, Gauge, Histogram, text_of
from gangplan.cluster.scheduler.metrics import Metrics


def test_a_counter_without_labels_is_there_before_it_has_counted() -> None:
    counter = Counter("a_total", "All.")
    assert text_of([counter]) == "# HELP a_total All.\n# TYPE a_total counter\na_total 0\n"
    counter.add(2.5)
    assert text_of([counter]).endswith("a_total 2.5\n")


def test_a_counter_does_not_go_down() -> None:
    with pytest.raises(ValueError, match="does not go down"):
        Counter("a_total", "All.").add(-1)


def test_labels_are_escaped_and_in_order() -> None:
    gauge = Gauge("g", "A back\\slash,\na line.", ["one", "two"])
    gauge.set(1, two="b", one='say "a\\b"\n')
    help_line, _, sample = text_of([gauge]).splitlines()
    assert help_line == "# HELP g A back\\\\slash,\\na line."
    assert sample == 'g{one="say \\"a\\\\b\\"\\n",two="b"} 1'


def test_a_label_that_is_missing_is_an_error() -> None:
    with pytest.raises(ValueError, match="has the labels"):
        Counter("a_total", "All.", ["verb"]).add()


def test_numbers_are_written_as_prometheus_reads_them() -> None:
    gauge = Gauge("g", "G.")
    for value, text in [
        (float("nan"), "NaN"),
        (float("inf"), "+Inf"),
        (-0.25, "-0.25"),
        (1e300, "1e+300"),
    ]:
        gauge.set(value)
        assert text_of([gauge]).splitlines()[-1] == f"g {text}"


def test_buckets_of_a_histogram_hold_all_below_and_end_in_everything() -> None:
    histogram = Histogram("h", "H.", [1, 0.1], ["phase"])
    for value in (0.1, 0.5, 7):
        histogram.observe(value, phase="plan")
    assert text_of([histogram]).splitlines()[2:] == [
        'h_bucket{phase="plan",le="0.1"} 1',
        'h_bucket{phase="plan",le="1"} 2',
        'h_bucket{phase="plan",le="+Inf"} 3',
        'h_sum{phase="plan"} 7.6',
        'h_count{phase="plan"} 3',
    ]


def test_a_flight_that_ended_is_counted_with_its_pods() -> None:
    metrics = Metrics()
    metrics.ended(Outcome("f", status=BOUND, bound={"a": "n", "b": "n"}, lost=["c"]))
    assert metrics.flights.value(outcome=BOUND) == 1
    assert metrics.bound_pods.value() == 2
    assert metrics.evicted_pods.value() == 1


def test_a_phase_that_fails_is_measured_all_the_same() -> None:
    metrics = Metrics()
    with pytest.raises(RuntimeError), metrics.phase("plan"):
        raise RuntimeError
    assert metrics.phase_seconds.count(phase="plan") == 1
    with pytest.raises(ValueError, match="no phase dinner"), metrics.phase("dinner"):
        pass


def test_every_metric_is_named_for_this_program_and_explained() -> None:
    for one in Metrics().instruments:
        assert one.name.startswith("gangplan_")
        assert one.help.endswith(".")
        assert (one.kind == "counter") == one.name.endswith("_total")
