from dataclasses import replace

import pytest

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.result import COUNTING, SEARCH, TierReport
from gangplan.models.tiers import tiers_of, values
from gangplan.models.verify import check_tiers
from tests.placing import place
from tests.tiny import make_instance


@pytest.fixture
def instance() -> Instance:
    return make_instance(
        [{"gpu": 8}], [{"wanted": 2, "minimum": 1, "request": {"gpu": 2}, "priority": 1}]
    )


@pytest.fixture
def plan(instance: Instance) -> Plan:
    return place(instance, [0, 0])


@pytest.fixture
def reports(instance: Instance, plan: Plan) -> list[TierReport]:
    tiers = tiers_of(instance)
    return [
        TierReport(tier.name, tier.maximise, value, value, COUNTING, True)
        for tier, value in zip(tiers, values(instance, plan, tiers), strict=True)
    ]


def said(instance: Instance, plan: Plan, reports: list[TierReport]) -> list[str]:
    found = check_tiers(instance, plan, reports)
    assert {v.family for v in found} <= {"tiers"}
    return [v.sentence for v in found]


def test_honest_reports_are_accepted(
    instance: Instance, plan: Plan, reports: list[TierReport]
) -> None:
    assert said(instance, plan, reports) == []
    # A tier that cannot vary may be left out.
    assert said(instance, plan, reports[1:]) == []


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"value": 0}, "tier admitted(1): reported 0, the plan has 1"),
        ({"bound": 0}, "tier admitted(1): value 1 is better than its bound 0"),
        ({"bound": 2}, "tier admitted(1): proven, but value 1 and bound 2 differ"),
        ({"bound": None}, "tier admitted(1): bound None with proof 'counting'"),
        ({"proof": ""}, "tier admitted(1): bound 1 with proof ''"),
        ({"proof": "my word"}, "tier admitted(1): bound 1 with proof 'my word'"),
        ({"maximise": False}, "tier admitted(1): the tier is maximised, the report says otherwise"),
        (
            {"given": True},
            "tier admitted(1): bound given unproven values above, but all are proven",
        ),
        ({"name": "admitted(7)"}, "no such tier, in this place, for this instance"),
    ],
)
def test_a_report_that_says_otherwise_is_named(
    instance: Instance,
    plan: Plan,
    reports: list[TierReport],
    change: dict[str, object],
    sentence: str,
) -> None:
    reports[0] = replace(reports[0], **change)  # type: ignore[arg-type]  # one field at a time
    assert any(sentence in line for line in said(instance, plan, reports))


def test_nothing_is_proven_after_a_tier_that_is_not(
    instance: Instance, plan: Plan, reports: list[TierReport]
) -> None:
    reports[0] = replace(reports[0], bound=2, proof=SEARCH, proven=False)
    lines = said(instance, plan, reports)
    assert len(lines) == len(reports) - 1
    assert all("proven, but an earlier tier is not" in line for line in lines)
    honest = [reports[0], *(replace(r, proven=False, given=True) for r in reports[1:])]
    assert said(instance, plan, honest) == []


def test_a_minimised_tier_has_its_bound_below(
    instance: Instance, plan: Plan, reports: list[TierReport]
) -> None:
    assert reports[-1].name == "fragmentation"
    reports[-1] = replace(reports[-1], bound=0, proven=False)
    assert said(instance, plan, reports) == []
    reports[-1] = replace(reports[-1], bound=2)
    assert said(instance, plan, reports) == [
        "tier fragmentation: value 1 is better than its bound 2"
    ]


def test_tiers_out_of_order_are_refused(
    instance: Instance, plan: Plan, reports: list[TierReport]
) -> None:
    assert said(instance, plan, reports[::-1])


def test_weights_of_ones_own_are_passed_as_tiers(instance: Instance, plan: Plan) -> None:
    tiers = tiers_of(instance, "weighted-gpus", {1: 10})
    report = TierReport("weighted-gpus", True, 20, 20, COUNTING, True)
    assert check_tiers(instance, plan, [report], tiers) == ()
    assert said(instance, plan, [report]) == ["tier weighted-gpus: reported 20, the plan has 2"]
