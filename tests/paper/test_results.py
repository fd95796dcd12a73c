"""What the paper says of records is counted, never typed."""

from collections.abc import Sequence

from gangplan.experiments.paper.results import (
    HIDDEN,
    agreement,
    constants,
    facts,
    losses,
    results,
)
from gangplan.experiments.records import FAILED, SKIPPED, Record, TierRecord
from gangplan.experiments.tables import by_backend
from gangplan.models.bound import SCALE_BITS
from tests.experiments.record_cases import record, tier

RUNS = (
    record("a", solver="highs"),
    record("b", solver="cbc", tiers=(tier(4, 5),), stop="feasible"),
    record("c", solver="scip", seed=2, digest="e", tiers=(tier(5, 5),)),
    record("d", solver="pyomo", status=SKIPPED, reason="not installed", tiers=(), verified=None),
    record("e", solver="cpsat", status=FAILED, reason="killed", tiers=(), verified=None),
)


def test_the_text_counts_runs_and_instances() -> None:
    said = facts(RUNS)
    assert (said["runs"], said["skipped"], said["failed"]) == ("3", "1", "1")
    assert (said["instances"], said["optimal"], said["verified"]) == ("2", "2", "3")
    assert said["backends"] == "highs/counts, cbc/counts, scip/counts"
    assert said["limits"] == "20 s"


def test_two_proofs_of_one_tier_are_compared() -> None:
    same = [record("a"), record("b", solver="cbc")]
    assert agreement(same) == (1, 0)
    assert agreement([*same, record("c", solver="scip", tiers=(tier(6, 6),))]) == (1, 1)


def test_what_is_not_proven_or_not_the_same_question_is_not_compared() -> None:
    open_one = record("b", solver="cbc", tiers=(tier(4, 5),))
    elsewhere = record("c", digest="e", tiers=(tier(6, 6),))
    otherwise = record("d", objective="gpus", tiers=(tier(7, 7),))
    nobody = record("e", preemption=False, tiers=(tier(3, 3),))
    hard = record("f", pdb="hard", tiers=(tier(4, 4),))
    others = [open_one, elsewhere, otherwise, nobody, hard]
    assert agreement([record("a"), *others]) == (0, 0)


def test_without_a_finished_run_there_are_no_results() -> None:
    unfinished: list[Sequence[Record]] = [(), RUNS[3:]]
    for records in unfinished:
        text = results(records)
        assert "#let present = false" in text
        assert all(f"#let {name}-table = []" in text for name in HIDDEN)


def test_tables_hold_a_row_for_each_backend() -> None:
    text = results(RUNS)
    assert "#let present = true" in text
    assert text.count('"highs/counts", ') == 2
    assert all(f"#let {name}-table = figures(" in text for name in HIDDEN)


def test_a_key_that_varies_is_shown() -> None:
    mixed = [record("a"), record("b", objective="gpus")]
    heads = by_backend(mixed).head
    assert ("objective" in heads) == ('"objective", ' in results(mixed))


def test_plots_are_shown_in_the_order_of_the_paper() -> None:
    drawn = ["solvers-profile.svg", "solvers-gap.svg", "solvers-time.svg"]
    (line,) = (s for s in results(RUNS, drawn).splitlines() if s.startswith("#let plots"))
    assert line.index("solvers-time.svg") < line.index("solvers-profile.svg")
    assert "gap" not in line
    assert "#let plots = ()" in results(RUNS)


def test_names_with_quotes_stay_names() -> None:
    assert '"a\\"b\\\\/counts"' in results([record("a", solver='a"b\\')])


def test_figures_of_the_code_come_from_the_code() -> None:
    assert f'scale-bits: "{SCALE_BITS}"' in constants()


def test_seeds_are_those_of_each_family() -> None:
    mixed = [record("a"), record("b", seed=2), record("c", family="racks", seed=7)]
    assert facts(mixed)["seeds"] == "1 to 2"
    assert facts(mixed[:2])["seeds"] == "2"


def test_a_plan_that_failed_its_check_agrees_with_nobody() -> None:
    broken = record("b", solver="cbc", tiers=(tier(6, 6),), verified=False)
    assert agreement([record("a"), broken]) == (0, 0)
    assert facts([record("a"), broken])["optimal"] == "1"


def test_plots_of_several_settings_say_which() -> None:
    text = results(RUNS, ["solvers-3s-time.svg", "solvers-20s-time.svg"])
    assert "as in the table (3s)" in text
    assert "as in the table (20s)" in text


def test_what_is_lost_is_a_table_of_its_own() -> None:
    lost = TierRecord("lost-pods(0)", False, 3, 3, "search", True)
    text = losses([record("a", tiers=(tier(5, 5), lost))])
    assert "#let present = true" in text
    assert '"training 16/8 seed 1", "exact", "highs/counts", "5", "0", "3", "0", ' in text
    assert "#let present = false" in losses([record("a")])
    assert "#let table = []" in losses(())
