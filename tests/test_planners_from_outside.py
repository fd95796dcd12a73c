"""A planner from outside may not call its plan what it is not."""

from dataclasses import dataclass

import pytest

import gangplan
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import empty_plan
from gangplan.models.result import SEARCH, Result, TierReport
from gangplan.solvers.base import Limits, Progress, silent
from tests.tiny import make_instance

INSTANCE = make_instance(
    nodes=[{"gpu": 8}], groups=[{"priority": 3, "wanted": 1, "request": {"gpu": 8}}]
)


@dataclass(frozen=True)
class Boasts:
    """Places nothing and reports what it was told."""

    report: TierReport
    stop: str = "feasible"
    name: str = "boasts"

    def plan(self, instance: Instance, limits: Limits, progress: Progress = silent) -> Result:
        about: dict[str, object] = {"name": self.name, "objective": "weighted-gpus"}
        if self.report.name == "weighted-gpus":
            about["weights"] = {"3": 7}
        return Result(empty_plan(instance), (self.report,), self.stop, about)


@pytest.mark.parametrize(
    ("report", "stop", "wrong"),
    [
        (TierReport("admitted(3)", True, 1, 1, SEARCH, True), "optimal", "the plan has 0"),
        (TierReport("admitted(3)", True, 0, 1, SEARCH, True), "feasible", "differ"),
        (TierReport("admitted(3)", True, 0, 1, SEARCH, False), "optimal", "not proven"),
        (TierReport("weighted-gpus", True, 56, 56, SEARCH, True), "optimal", "the plan has 0"),
        (TierReport("admitted(9)", True, 0, 0, SEARCH, True), "optimal", "no such tier"),
    ],
)
def test_a_report_that_its_plan_belies_is_refused(
    report: TierReport, stop: str, wrong: str
) -> None:
    with pytest.raises(PlanError, match=f"planner boasts: .*{wrong}"):
        gangplan.plan(INSTANCE, planner=Boasts(report, stop))


@pytest.mark.parametrize("name", ["admitted(3)", "weighted-gpus"])
def test_an_honest_report_is_let_through(name: str) -> None:
    report = TierReport(name, True, 0, None, "", False)
    assert gangplan.plan(INSTANCE, planner=Boasts(report)).tiers == (report,)
