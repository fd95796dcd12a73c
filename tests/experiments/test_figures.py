"""The quick figures run for real; the long ones are for the benchmark."""

import numpy as np

from gangplan.experiments.figures.build import build_128
from gangplan.experiments.figures.exact import one_gang, thousand_pods
from gangplan.experiments.figures.start import import_gangplan
from gangplan.experiments.figures.workers import handover, pods_on_nodes, warm_worker
from gangplan.experiments.pulp_rows import pulp_rows
from gangplan.models.counts.formulation import build


def test_the_thousand_pod_gang_is_proven() -> None:
    (line,) = thousand_pods()
    assert (line.value, line.bound) == (1, 1)
    assert "optimal" in line.note


def test_the_pulp_yardstick_writes_every_row() -> None:
    milp = build(one_gang(pods=4, nodes=3)).milp
    both = (milp.row_lower > -float("inf")) & (milp.row_upper < float("inf"))
    both &= milp.row_lower != milp.row_upper
    assert pulp_rows(milp) == milp.n_rows + int(both.sum())


def test_building_is_compared_side_by_side() -> None:
    ours, theirs, ratio = build_128()
    assert ours.seconds < theirs.seconds
    assert ratio.note.endswith("x")


def test_the_import_is_timed_against_the_bare_interpreter() -> None:
    (line,) = import_gangplan()
    assert "interpreter alone" in line.note


def test_a_warm_worker_is_clocked() -> None:
    (line,) = warm_worker()
    assert line.figure == "warm worker, 10 rows"
    assert 0 < line.seconds < 10


def test_a_hand_over_is_clocked_apart_from_the_solve() -> None:
    line = handover(roles=4, nodes=1_000)
    assert line.figure == "hand-over, 4,000 columns"
    assert 0 < line.seconds < 10
    assert "3,004 rows, 16,000 entries" in line.note


def test_the_model_of_the_hand_over_has_an_entry_for_each_resource_and_total() -> None:
    milp = pods_on_nodes(roles=3, nodes=5)
    assert (milp.n_cols, milp.n_rows, milp.matrix.nnz) == (15, 18, 60)
    assert not len(milp.violated_rows(np.zeros(15, dtype=np.int64)))
