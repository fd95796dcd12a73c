"""No reason claims what is not so."""

import numpy as np

from gangplan.models.plan import empty_plan, plan_from_counts
from gangplan.models.result import COUNTING, SEARCH, TierReport
from gangplan.solvers.explain.reasons import reasons
from tests.tiny import make_instance


def _proven(*names: str) -> tuple[TierReport, ...]:
    return tuple(TierReport(name, True, 0, 0, SEARCH, True) for name in names)


def test_a_gang_that_cannot_be_packed_is_not_said_to_fit_by_itself() -> None:
    # 5 + 3 + 3 + 3 on two nodes of 7: counting sees 14 of 14 and slots enough.
    inst = make_instance(
        nodes=[{"gpu": 7}, {"gpu": 7}],
        groups=[
            {
                "minimum": 4,
                "roles": [
                    {"wanted": 1, "request": {"gpu": 5}},
                    {"wanted": 3, "request": {"gpu": 3}},
                ],
            }
        ],
    )
    why = reasons(inst, empty_plan(inst), _proven("admitted(0)", "admitted-pods(0)"))[0]
    assert "fits by itself" not in why
    assert why == "no plan starts it (proven: search)"  # nor is anything said to be in its way


def test_a_child_of_an_admitted_tree_is_proven_by_the_elastic_tier_alone() -> None:
    child = {"parent": 0, "wanted": 1, "request": {"gpu": 1}}
    inst = make_instance([{"gpu": 2}], [child, child], [{"minimum": 1}])
    one, zero = np.array([1]), np.array([0])
    plan = plan_from_counts(inst, zero, zero, one)  # there is room for the second child
    admitted = _proven("admitted(0)", "admitted-pods(0)")
    open_tier = TierReport("elastic(0)", True, 0, 1, COUNTING, False)
    assert "not proven" in reasons(inst, plan, (*admitted, open_tier))[1]
    assert "proven: search" in reasons(inst, plan, (*admitted, *_proven("elastic(0)")))[1]


def test_weighted_gpus_proves_nothing_about_a_group_without_gpus() -> None:
    inst = make_instance(
        [{"gpu": 1, "cpu": 1}],
        [{"priority": 1, "wanted": 1, "request": {"cpu": 1}}],
    )
    why = reasons(inst, empty_plan(inst), _proven("weighted-gpus"))[0]
    assert "not proven" in why
