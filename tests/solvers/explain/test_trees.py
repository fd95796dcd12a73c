"""Why a part of a tree waits."""

import numpy as np

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan, plan_from_counts
from gangplan.models.result import SEARCH, TierReport
from gangplan.solvers.explain.reasons import reasons
from tests.tiny import make_instance

CHILD = {"parent": 0, "minimum": 1, "wanted": 1, "request": {"gpu": 4}}
LLM = {"minimum": 2, "name": "serve/llm"}


def _place(instance: Instance, *placed: tuple[int, int]) -> Plan:
    """Put one pod of each (role, node)."""
    role, node = (np.array(column, dtype=np.int64) for column in zip(*placed, strict=True))
    return plan_from_counts(instance, role, node, np.ones(len(placed), dtype=np.int64))


def _report(name: str, value: int, proven: bool = True) -> TierReport:
    return TierReport(name, True, value, value if proven else value + 1, SEARCH, proven)


def test_a_further_child_comes_after_all_admissions() -> None:
    inst = make_instance([{"gpu": 8}], [CHILD] * 3, [LLM])
    plan = _place(inst, (0, 0), (1, 0))
    admitted = (_report("admitted(0)", 1), _report("admitted-pods(0)", 2))
    start = (
        "serve/llm has the 2 children it asks for; further ones come after all admissions: no plan "
    )
    end = "that admits as much places more pods beyond the minima at priority 0 and above"
    proven = reasons(inst, plan, (*admitted, _report("elastic(0)", 0)))
    assert proven == {2: f"{start}{end} (proven: search)"}
    is_open = reasons(inst, plan, (*admitted, _report("elastic(0)", 0, False)))
    assert is_open[2].endswith("admissions: no room was found beside what is admitted (not proven)")


def test_a_child_waits_with_its_tree_and_says_how_many_are_missing() -> None:
    inst = make_instance(
        [{"gpu": 12}],
        [
            {"parent": 0, "minimum": 1, "running": [0], "roles": []},
            *[CHILD] * 2,
            {"kind": "bare", "wanted": 3, "priority": 5, "request": {"gpu": 4}},
        ],
        [{**LLM, "minimum": 3}],
    )
    plan = plan_from_counts(inst, np.array([2]), np.array([0]), np.array([3]))
    tiers = (_report("admitted(5)", 3), _report("admitted(0)", 0))
    why = reasons(inst, plan, tiers)
    assert why[1] == why[2]
    assert why[1] == (
        "waits with serve/llm, which needs 3 children, 1 of them running; no room beside what is "
        "admitted: no plan starts it unless another group or pod of priority 0 or above waits "
        "instead (proven: search)"
    )


def test_a_child_whose_tree_cannot_start_says_so_by_counting() -> None:
    too_big = {**CHILD, "request": {"gpu": 9}}
    inst = make_instance([{"gpu": 8}], [CHILD, too_big, too_big], [LLM])
    why = reasons(inst, empty_plan(inst))
    assert why[0] == (
        "waits with serve/llm, which needs 2 children and cannot start: 2 more must be placed, "
        "at most 1 can (proven: counting)"
    )
    assert why[1].startswith("cannot be placed: 1 pod needed, 0 can be placed")


def test_below_a_composite_that_waits_the_one_that_started_is_named() -> None:
    inst = make_instance(
        [{"gpu": 8}],
        [CHILD, {**CHILD, "parent": 1}, {**CHILD, "parent": 1}],
        [{"minimum": 1, "name": "a/root"}, {"parent": 0, "minimum": 2, "name": "a/inner"}],
    )
    why = reasons(inst, _place(inst, (0, 0)))
    assert why[1].startswith("a/root has the 1 child it asks for")
    assert why[1] == why[2]
