"""The table of what plans give up of running work."""

from dataclasses import replace

from gangplan.experiments.lost import HEAD, lost
from gangplan.experiments.records import DONE, FAILED, Record, TierRecord


def tier(name: str, value: int, *, proven: bool = True) -> TierRecord:
    return TierRecord(name, name.startswith("admitted"), value, value, "counting", proven)


RUN = Record(
    key="k",
    experiment="x",
    status=DONE,
    instance="victims 16 seed 2",
    family="victims 16",
    planner="exact",
    solver="highs",
    formulation="counts",
    objective="groups",
    time_limit=1.0,
    seed=2,
    tiers=(
        tier("admitted(9)", 4),
        tier("lost-budgets(5)", 1),
        tier("lost-gpus(5)", 8),
        tier("lost-pods(5)", 2),
        tier("lost-budgets(1)", 3),
        tier("lost-gpus(1)", 16, proven=False),
        tier("lost-pods(1)", 5, proven=False),
    ),
    seconds={"plan": 0.5},
)


def test_losses_are_summed_over_priorities_and_budgets_are_cumulative_already() -> None:
    table = lost([RUN])
    assert table is not None
    assert dict(zip(HEAD, table.rows[0], strict=True)) == {
        "instance": "victims 16 seed 2",
        "planner": "exact",
        "backend": "highs/counts",
        "admitted, first tier": 4,
        "GPUs lost": 24,
        "pods lost": 7,
        "beyond budgets": 3,
        "time [s]": 0.5,
        "tiers proven": "5 of 7",
    }


def test_runs_of_one_seed_stand_together() -> None:
    greedy = replace(RUN, planner="greedy", solver="", formulation="")
    other = replace(RUN, instance="victims 16 seed 1", seed=1)
    table = lost([RUN, other, greedy])
    assert table is not None
    assert [(row[0], row[1]) for row in table.rows] == [
        ("victims 16 seed 1", "exact"),
        ("victims 16 seed 2", "exact"),
        ("victims 16 seed 2", "greedy"),
    ]


def test_without_running_work_there_is_no_table() -> None:
    assert lost([replace(RUN, tiers=RUN.tiers[:1]), replace(RUN, status=FAILED)]) is None


def test_a_run_that_evicts_nobody_stands_beside_those_that_do() -> None:
    without = replace(RUN, preemption=False, tiers=RUN.tiers[:1])
    table = lost([RUN, without])
    assert table is not None
    assert [row[1] for row in table.rows] == ["exact", "exact, no evictions"]
    assert table.rows[1][4:7] == (0, 0, 0)
