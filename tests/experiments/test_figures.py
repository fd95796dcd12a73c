"""The quick figures run for real; the long ones are for the benchmark."""

from gangplan.experiments.figures.build import build_128
from gangplan.experiments.figures.exact import one_gang, thousand_pods
from gangplan.experiments.figures.start import import_gangplan
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
