"""Which planner and formulation are chosen, and that the choice is told."""

import time

import pytest

from gangplan.api import plan
from gangplan.datasets.generate import generate
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance
from gangplan.models.result import Result
from gangplan.models.tiers import tiers_of
from gangplan.solvers.base import Limits, Progress
from gangplan.solvers.planners import auto as auto_module
from gangplan.solvers.planners.anytime.planner import Anytime
from gangplan.solvers.planners.auto import Choice, choose


def test_a_small_instance_is_searched_as_a_whole_by_counts() -> None:
    choice = choose(generate("training", nodes=16, groups=4))
    assert (choice.planner, choice.formulation) == ("exact", "counts")
    assert "pairs of role and node" in choice.why


def test_gangs_that_meet_in_racks_are_configurations_of_racks() -> None:
    choice = choose(generate("racks", nodes=1152))
    assert (choice.planner, choice.formulation) == ("exact", "configurations")


def test_a_large_instance_is_planned_against_the_clock() -> None:
    assert choose(generate("vectors", nodes=512)).planner == "anytime"


@pytest.mark.parametrize(
    ("nodes", "planner", "kind"),
    [(128, "exact", "counts"), (256, "exact", "patterns"), (1024, "anytime", "patterns")],
)
def test_where_units_can_fall_patterns_come_sooner(nodes: int, planner: str, kind: str) -> None:
    choice = choose(generate("victims", nodes=nodes, seed=1))
    assert (choice.planner, choice.formulation) == (planner, kind)


def test_what_no_pattern_carries_still_has_a_planner() -> None:
    choice = choose(generate("fabric", nodes=128))
    assert choice.planner in ("exact", "anytime")


def test_a_named_formulation_is_kept() -> None:
    instance = generate("training", nodes=16, groups=4)
    assert choose(instance, "patterns").formulation == "patterns"
    result = plan(instance, formulation="assignment", limits=Limits(10))
    auto = result.planner["auto"]
    assert isinstance(auto, dict)
    assert auto["formulation"] == result.planner["kind"] == "assignment"


def test_the_result_says_what_was_chosen_and_the_choice_is_no_other() -> None:
    instance = generate("training", nodes=16, groups=4)
    result = plan(instance, limits=Limits(10))
    assert result.planner["name"] == "exact"
    assert result.planner["auto"] == {
        "planner": "exact",
        "formulation": "counts",
        "why": choose(instance).why,
    }
    assert result.tiers == plan(instance, "exact", limits=Limits(10)).tiers


def test_where_there_is_a_previous_plan_the_choice_is_who_goes_on_from_it() -> None:
    instance = generate("training", nodes=16, groups=4)
    first = plan(instance, limits=Limits(10)).plan
    result = plan(instance, limits=Limits(10), previous=first)
    assert result.planner["name"] == "anytime"
    assert result.planner["auto"] == {
        "planner": "anytime",
        "formulation": "counts",
        "why": "only anytime goes on from a plan",
    }


def test_greedy_takes_no_formulation() -> None:
    with pytest.raises(InputError, match="greedy: it writes no model"):
        plan(generate("training", nodes=16, groups=4), "greedy", formulation="counts")


def test_who_asks_for_one_tier_gets_what_carries_it_and_proves_more() -> None:
    instance = generate("training", nodes=128, groups=60)
    one, all_tiers = tiers_of(instance, "weighted-gpus"), tiers_of(instance, "groups")
    choice = choose(instance, tiers=one)
    assert (choice.planner, choice.formulation) == ("exact", "patterns")
    assert choose(generate("vectors", nodes=512), tiers=one).planner == "anytime"
    assert choose(instance, tiers=all_tiers).formulation == "counts"
    assert choose(generate("training", nodes=8, groups=4), tiers=one).formulation == "counts"


def test_units_that_can_fall_and_a_formulation_that_refuses_leave_it_to_counts() -> None:
    for name in ("victims", "fabric"):
        instance = generate(name, nodes=32)
        choice = choose(instance, tiers=tiers_of(instance, "weighted-gpus"))
        assert choice.formulation == "counts"


def test_choosing_takes_its_time_of_the_same_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*arguments: object, **named: object) -> Choice:
        time.sleep(0.5)
        return Choice("anytime", "patterns", "to be slow")

    monkeypatch.setattr(auto_module, "choose", slow)
    asked: list[float] = []

    def spy(planner: Anytime, instance: Instance, limits: Limits, progress: Progress) -> Result:
        asked.append(limits.seconds)
        return plain(planner, instance, limits, progress)

    plain = Anytime.plan
    monkeypatch.setattr(Anytime, "plan", spy)
    result = plan(generate("training", nodes=8, groups=2), limits=Limits(2))
    assert 1 <= asked[0] <= 1.5
    assert result.planner["seconds"] == 2
