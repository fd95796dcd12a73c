"""Patterns on instances small enough to see through, and what they refuse."""

from typing import Any

import numpy as np
import pytest

from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Formulation
from gangplan.models.instance import Instance
from gangplan.models.patterns.kind import PATTERNS
from gangplan.models.result import COUNTING
from gangplan.models.shapes import classes
from gangplan.models.tiers import tiers_of
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import recheck
from gangplan.solvers.refute import CONFIRMED
from tests.tiny import make_instance
from tests.tiny_running import with_running

LIMITS = Limits(seconds=20)


def values(instance: Instance) -> dict[str, int]:
    """Solve by patterns; what is admitted and elastic has to be proven."""
    result = Exact(solver=Highs(), kind="patterns").plan(instance, LIMITS)
    assert not any("no model" in warning for warning in result.warnings)
    carried = [t for t in result.tiers if t.name.startswith(("admitted", "elastic"))]
    assert all(tier.proven for tier in carried)
    return {tier.name: tier.value for tier in carried}


def pods(count: int, gpu: int, **more: Any) -> dict[str, Any]:
    return {"wanted": count, "minimum": count, "request": {"gpu": gpu}} | more


def test_nodes_are_not_merged() -> None:
    nodes = [{"gpu": 3}, {"gpu": 3}]
    assert values(make_instance(nodes, [pods(3, 2)]))["admitted(0)"] == 0
    assert values(make_instance(nodes, [pods(2, 2)]))["admitted(0)"] == 1


def test_equal_groups_are_one_type() -> None:
    instance = make_instance([{"gpu": 8}] * 4, [pods(2, 3), pods(2, 3), pods(1, 8)])
    model = PATTERNS.write(instance).model
    assert sorted(len(one.groups) for one in model.types) == [1, 2]
    assert len(model.classes) == 1
    assert values(instance)["admitted(0)"] == 3


def test_a_gang_has_its_rack_and_the_rest_goes_up_the_tree() -> None:
    nodes = [{"gpu": 4, "block": "b", "rack": f"r{n // 2}"} for n in range(4)]
    in_a_rack, in_a_block = ({"rules": [(level, "required")]} for level in ("rack", "block"))
    one = make_instance(nodes, [pods(2, 4, **in_a_rack), pods(2, 4, **in_a_block)])
    assert values(one)["admitted(0)"] == 2
    split = make_instance(nodes, [pods(3, 4, **in_a_rack), pods(3, 4, **in_a_block)])
    assert values(split)["admitted(0)"] == 1


def test_shares_of_elastic_groups_keep_their_bounds() -> None:
    roles = [
        {"request": {"gpu": 2}, "wanted": 3},
        {"request": {"gpu": 1}, "wanted": 3, "minimum": 1},
    ]
    group = {"minimum": 4, "roles": roles}
    instance = make_instance([{"gpu": 14}], [group, group])
    found = values(instance)
    assert (found["admitted(0)"], found["elastic(0)"]) == (2, 2)


def test_running_members_fix_the_vertex() -> None:
    nodes = [{"gpu": 0, "rack": "a"}, {"gpu": 2, "rack": "a"}, {"gpu": 8, "rack": "b"}]
    gang = pods(4, 1, running=[0], minimum=3, rules=[("rack", "required")])
    found = values(make_instance(nodes, [gang]))
    assert (found["admitted(0)"], found["elastic(0)"]) == (1, 0)


TWO = [{"gpu": 8, "rack": "a", "row": "x"}, {"gpu": 8, "rack": "a", "row": "y"}]
THREE = [*TWO, {"gpu": 8, "rack": "b", "row": "y"}]
GANG = pods(1, 1)


@pytest.mark.parametrize(
    ("instance", "words"),
    [
        (make_instance([{"gpu": 1}], [GANG | {"parent": 0}], [{}]), "composite"),
        (
            with_running(
                make_instance([{"gpu": 1}], [GANG]),
                [],
                reserved=[{"node": 0, "priority": 9, "request": {"gpu": 1}}],
            ),
            "kept",
        ),
        (
            make_instance(
                THREE,
                [GANG | {"rules": [("rack", "required")]}, GANG | {"rules": [("row", "required")]}],
            ),
            "cross",
        ),
    ],
)
def test_what_patterns_lack_is_refused_by_name(instance: Instance, words: str) -> None:
    with pytest.raises(FormulationError, match=words):
        PATTERNS.write(instance)
    result = Exact(solver=Highs(), kind="patterns").plan(instance, LIMITS)
    carried = [t for t in result.tiers if not t.name.startswith(PATTERNS.lacks)]
    if not all(tier.proven for tier in carried):
        assert any("no model could be written" in warning for warning in result.warnings)
    assert {tier.proof for tier in carried} <= {COUNTING}


@pytest.mark.parametrize("family", ["assign", "capacity", "gang", "topology"])
def test_a_restriction_cannot_be_left_out(family: str) -> None:
    instance = make_instance([{"gpu": 1}], [GANG])
    with pytest.raises(FormulationError, match=f"cannot leave out {family}"):
        PATTERNS.write(instance, Formulation(**{family: False}))


@pytest.mark.parametrize("limit", ["MOST", "STEPS"])
def test_more_patterns_than_can_be_listed_are_refused(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classes, limit, 3)
    instance = make_instance([{"gpu": 8}], [pods(8, 1), pods(4, 2), pods(2, 3)])
    with pytest.raises(FormulationError, match="more patterns than can be listed"):
        PATTERNS.write(instance)


def test_a_tier_that_is_not_carried_is_solved_by_counts() -> None:
    nodes = [{"gpu": 1, "rack": "a"}, {"gpu": 1, "rack": "b"}]
    instance = make_instance(nodes, [pods(2, 1, rules=[("rack", "preferred")])])
    result = Exact(solver=Highs(), kind="patterns").plan(instance, LIMITS)
    assert [(t.value, t.bound) for t in result.tiers if t.name == "preferred"] == [(1, 1)]
    about = {one.tier: one.formulation for one in result.certificates}
    assert about["preferred"] == "counts"


def test_what_patterns_prove_is_confirmed_again() -> None:
    groups = [pods(2, 3), pods(2, 5), pods(3, 2), pods(1, 7)]
    instance = make_instance([{"gpu": 8}, {"gpu": 8}, {"gpu": 7}], groups)
    result = Exact(solver=Highs(), kind="patterns", objective="gpus").plan(instance, LIMITS)
    assert {one.verdict for one in recheck(instance, result, Highs(), LIMITS)} == {CONFIRMED}


def test_amounts_near_the_end_of_int64_are_counted_right() -> None:
    instance = make_instance(
        [{"gpu": 2**62, "memory": 2**61}],
        [pods(3, 1) | {"request": {"gpu": 1, "memory": 2**59}}],
    )
    assert values(instance)["admitted(0)"] == 1
    assert PATTERNS.write(instance).milp.matrix.max() < 2**10
    assert len(tiers_of(instance)) > 1
    assert np.isfinite(PATTERNS.write(instance).milp.upper).all()
