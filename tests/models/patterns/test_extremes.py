"""Bad inputs: each works or is refused in one line that names a limit; never wrong, never for long.

Formulations that list what nodes or domains hold are asked; times are processor time, 5 s each.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from gangplan.models.configurations.kind import CONFIGURATIONS
from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Kind, Writing
from gangplan.models.instance import Instance
from gangplan.models.patterns.kind import PATTERNS
from gangplan.models.tiers import better, tiers_of, value, values
from gangplan.models.verify.check import check
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.held import priced
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.planners.greedy import greedy_plan
from tests.tiny import make_instance

SECONDS = 5.0
LEVELS = ("a", "b", "c", "d", "e", "f")
RACK = [("rack", "required")]
NODES = 5_000
CROWD = 100_000

Row = dict[str, Any]

BOTH = pytest.mark.parametrize("kind", [PATTERNS, CONFIGURATIONS], ids=lambda kind: kind.name)


def gang(pods: int, gpu: int = 4, **more: Any) -> Row:
    return {"wanted": pods, "minimum": pods, "request": {"gpu": gpu}, "priority": 1} | more


def rack(nodes: int, each: int, **more: Any) -> list[Row]:
    """Make nodes, so many of them in each rack."""
    return [{"gpu": 8, "rack": f"r{n // each}"} | more for n in range(nodes)]


def six_levels(nodes: int) -> list[Row]:
    """Make nodes in a binary tree of six levels."""
    labels = [
        {name: f"{name}{n >> (5 - i)}" for i, name in enumerate(LEVELS)} for n in range(nodes)
    ]
    return [{"gpu": 8} | mine for mine in labels]


def distinct(count: int, **more: Any) -> list[Row]:
    """Make gangs no two of which ask the same."""
    return [gang(2, request={"gpu": 1 + g % 8, "cpu": 10 + g}, **more) for g in range(count)]


def crowd(**more: Any) -> list[Row]:
    """Make one group of very many pods."""
    return [{"wanted": CROWD, "request": {"gpu": 1}, "priority": 1} | more]


NESTED = [gang(2 + g % 3, rules=[(LEVELS[g % 6], "required")]) for g in range(60)]
DEEP = [gang(2 + g % 3, rules=[(name, "required") for name in LEVELS[:3]]) for g in range(60)]
MIXED = [gang(1 + g % 40, 1 + g % 8, rules=RACK) for g in range(200)]
SMALL = [gang(1 + g % 3, 1 + g % 4, rules=RACK) for g in range(300)]
EXTREMES: dict[str, tuple[Callable[[], Sequence[Row]], Sequence[Row], tuple[str, ...]]] = {
    # Nodes, groups, and which formulations refuse.
    "all shapes distinct": (
        lambda: rack(64, 8, cpu=1_000), distinct(300, rules=RACK), ("patterns", "configurations"),
    ),
    "more shapes than calls within calls": (
        lambda: rack(8, 8, cpu=10_000), distinct(1_500), ("patterns", "configurations"),
    ),
    "one rack, many sizes": (lambda: rack(NODES, NODES), MIXED, ("configurations",)),
    "one rack for everybody": (lambda: rack(NODES, NODES), [gang(9, 8, rules=RACK)] * 300, ()),
    "racks of one node": (lambda: rack(NODES, 1), SMALL, ()),
    "six levels": (lambda: six_levels(128), NESTED, ("configurations",)),
    "three of six levels": (lambda: six_levels(128), DEEP, ()),
    "nothing asked": (
        lambda: rack(8, 2),
        [*[gang(5, request={}, rules=RACK)] * 6, {"kind": "bare", "wanted": 50, "priority": 1}],
        (),
    ),
    "nothing asked by very many": (
        lambda: rack(8, 2), crowd(minimum=1, request={}, rules=RACK), ("configurations",),
    ),
    "very many bare pods": (lambda: rack(NODES, 16), crowd(kind="bare"), ()),
    "a gang of very many": (lambda: rack(NODES, 16), crowd(minimum=20_000), ("configurations",)),
    "very many in a rack": (
        lambda: rack(NODES, 2_500), crowd(kind="basic", rules=RACK), ("configurations",),
    ),
}  # fmt: skip


def written(kind: Kind, instance: Instance) -> Writing | str:
    """Write the model, or return why it is refused."""
    try:
        return kind.write(instance)
    except FormulationError as error:
        return str(error)


@BOTH
@pytest.mark.parametrize("name", EXTREMES)
def test_it_works_or_says_which_limit(kind: Kind, name: str) -> None:
    nodes, groups, refused = EXTREMES[name]
    instance = make_instance(nodes(), groups)
    begin = time.process_time()
    assert kind.cells(instance) >= 0
    model = written(kind, instance)
    assert time.process_time() - begin < SECONDS
    assert isinstance(model, str) == (kind.name in refused)
    if isinstance(model, str):
        assert "\n" not in model
        assert any(word in model for word in ("limit", "can be listed", "overlap"))
        return
    tiers = tuple(t for t in tiers_of(instance) if t.kind in ("admitted", "elastic"))
    plan = greedy_plan(instance, tiers, 0.5)
    begin = time.process_time()
    point = model.encode(plan)
    assert not len(model.milp.violated_rows(point))
    decoded = model.decode(point)
    assert time.process_time() - begin < SECONDS
    assert not check(instance, decoded)
    assert not better(tiers, values(instance, plan, tiers), values(instance, decoded, tiers))


@BOTH
@pytest.mark.parametrize("name", ["all shapes distinct", "one rack, many sizes"])
def test_a_planner_goes_on_with_counting_and_says_why(kind: Kind, name: str) -> None:
    nodes, groups, refused = EXTREMES[name]
    instance = make_instance(nodes(), groups)
    begin = time.process_time()
    result = Exact(solver=Highs(), kind=kind).plan(instance, Limits(seconds=2))
    assert time.process_time() - begin < 4 * SECONDS
    said = any("no model could be written" in warning for warning in result.warnings)
    carried = [tier for tier in result.tiers if not tier.name.startswith(kind.lacks)]
    assert said == (kind.name in refused and not all(tier.proven for tier in carried))
    assert not check(instance, result.plan)


@BOTH
@pytest.mark.parametrize(
    ("pods", "racks", "admitted"), [(2, 4, 4), (3, 4, 0), (1, 4, 6), (2, 1, 1)]
)
def test_amounts_near_2_to_the_62_are_exact(
    kind: Kind, pods: int, racks: int, admitted: int
) -> None:
    """Two pods of 2^61 - 1 bytes are within 2^62 - 1 bytes and three are not; no sum wraps."""
    nodes = [{"gpu": 2**62 - 1, "memory": 2**62 - 1, "rack": f"r{n}"} for n in range(racks)]
    asked = {"gpu": 2**40, "memory": 2**61 - 1}
    instance = make_instance(nodes, [gang(pods, request=asked, rules=RACK)] * 6)
    model = kind.write(instance)
    tier = tiers_of(instance)[0]
    outcome = Highs().solve(priced(model, (tier,), 0, ()), Limits(seconds=20))
    assert outcome.x is not None
    plan = model.decode(outcome.x)
    assert not check(instance, plan)
    assert value(instance, plan, tier) == admitted
