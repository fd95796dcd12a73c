"""Which of two plans is behind, tier by tier."""

from dataclasses import replace
from pathlib import Path

import pytest

from gangplan.experiments import records
from gangplan.experiments.kubescheduler.__main__ import main
from gangplan.experiments.kubescheduler.behind import broken, pairs, weighted
from gangplan.experiments.records import Record, TierRecord
from tests.experiments.record_cases import record

TIERS = ("admitted-gpus(4)", "admitted-gpus(2)", "fragmentation")


def made(planner: str, *values: int, verified: bool = True) -> Record:
    tiers = tuple(
        TierRecord(name, name != "fragmentation", value, None, "", False)
        for name, value in zip(TIERS, values, strict=True)
    )
    return replace(
        record(), planner=planner, objective="gpus", tiers=tiers, verified=verified, digest="d"
    )


@pytest.mark.parametrize(
    ("ours", "peer", "tier", "ahead"),
    [
        ((8, 4, 1), (8, 4, 1), "", True),
        ((8, 0, 9), (7, 9, 0), "admitted-gpus(4)", True),
        ((8, 4, 1), (8, 5, 1), "admitted-gpus(2)", False),
        ((8, 4, 1), (8, 4, 2), "fragmentation", True),
    ],
)
def test_the_first_tier_that_differs_decides(
    ours: tuple[int, ...], peer: tuple[int, ...], tier: str, ahead: bool
) -> None:
    (pair,) = pairs([made("auto", *ours), made("kube-scheduler[default]", *peer)])
    assert (pair.tier, pair.ahead) == (tier, ahead)


def test_a_plan_that_breaks_a_rule_is_in_no_pair_and_is_listed() -> None:
    found = [made("auto", 1, 1, 1), made("kube-scheduler[packed]", 9, 9, 9, verified=False)]
    assert not list(pairs(found))
    assert [one.planner for one in broken(found)] == ["kube-scheduler[packed]"]


def test_gpus_are_weighed_by_priority() -> None:
    assert weighted(made("auto", 8, 4, 1)) == 40


def test_the_table_says_who_is_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.jsonl"
    records.append(path, made("auto", 8, 4, 1))
    records.append(path, replace(made("kube-scheduler[default]", 8, 5, 1), key="2"))
    assert main(path) == 1
    assert "WE ARE BEHIND" in capsys.readouterr().out
