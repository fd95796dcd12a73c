import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import empty_plan
from gangplan.models.tiers import OBJECTIVES, better, tiers_of, values
from gangplan.models.verify.objective import recount_all
from tests.placing import place
from tests.strategies import instances, plans, weights_for
from tests.tiny import Row, make_instance

NODES: list[Row] = [{"gpu": 8, "rack": "r0"}, {"gpu": 8, "rack": "r1"}]


@pytest.fixture
def instance() -> Instance:
    groups: list[Row] = [
        {"wanted": 3, "minimum": 2, "request": {"gpu": 2}, "priority": 5, "age": 130,
         "rules": [("rack", "preferred")]},
        {"kind": "bare", "wanted": 2, "request": {"gpu": 1}},
        {"wanted": 1, "minimum": 1, "running": [0], "request": {"gpu": 1}},
    ]  # fmt: skip
    return make_instance(NODES, groups)


def named(instance: Instance, objective: str, nodes: list[int]) -> dict[str, int]:
    tiers = tiers_of(instance, objective)
    return dict(
        zip([t.name for t in tiers], values(instance, place(instance, nodes), tiers), strict=True)
    )


def test_tiers_are_listed_by_priority_and_soft_ones_last(instance: Instance) -> None:
    assert [t.name for t in tiers_of(instance)] == [
        "admitted(5)", "admitted-pods(5)", "admitted(0)", "admitted-pods(0)",
        "elastic(5)", "elastic(0)", "preferred", "fragmentation",
    ]  # fmt: skip
    assert [t.name for t in tiers_of(instance, "gpus")][:2] == ["admitted-gpus(5)", "admitted(5)"]
    assert [t.name for t in tiers_of(instance, "age")][:2] == ["admitted-age(5)", "admitted-age(0)"]
    assert [t.maximise for t in tiers_of(instance)] == [True] * 6 + [False] * 2


def test_values_of_a_plan(instance: Instance) -> None:
    assert named(instance, "groups", [0, 0, 1, 1, 1, 0]) == {
        "admitted(5)": 1,  # the gang
        "admitted-pods(5)": 2,  # its minimum; the third pod is elastic
        "admitted(0)": 2,  # each bare pod; the standing gang is not counted again
        "admitted-pods(0)": 2,
        "elastic(5)": 1,
        "elastic(0)": 1,  # the pod of the standing gang
        "preferred": 1,  # two racks
        "fragmentation": 2,
    }


def test_devices_and_age_weigh_admission(instance: Instance) -> None:
    nodes = [0, 0, 1, 1, 1, 0]
    assert named(instance, "gpus", nodes)["admitted-gpus(5)"] == 4
    assert named(instance, "gpus", nodes)["admitted-gpus(0)"] == 2
    assert named(instance, "age", nodes)["admitted-age(5)"] == 1 + 130 // 60
    assert named(instance, "age", nodes)["admitted-age(0)"] == 2


def test_weighted_gpus_is_one_tier_over_all_priorities(instance: Instance) -> None:
    plan = place(instance, [0, 0, 1, 1, 1, 0])
    tiers = tiers_of(instance, "weighted-gpus", {5: 3, 0: 1})
    assert len(tiers) == 1
    assert values(instance, plan, tiers) == (3 * 4 + 2,)


@pytest.mark.parametrize(
    ("objective", "weights", "message"),
    [
        ("happiness", None, "unknown objective 'happiness'"),
        ("weighted-gpus", {5: 1}, "priority 0 needs a positive integer weight"),
        ("weighted-gpus", None, "priority 0 needs a positive integer weight"),
    ],
)
def test_objectives_that_say_nothing_are_refused(
    instance: Instance, objective: str, weights: dict[int, int] | None, message: str
) -> None:
    with pytest.raises(PlanError, match=message):
        tiers_of(instance, objective, weights)


def test_better_is_lexicographic_in_the_sense_of_each_tier(instance: Instance) -> None:
    tiers = [t for t in tiers_of(instance) if t.name in ("admitted(5)", "preferred")]
    assert better(tuple(tiers), (2, 9), (1, 0))
    assert better(tuple(tiers), (1, 0), (1, 9))
    assert not better(tuple(tiers), (1, 0), (1, 0))


def test_a_tree_counts_once_at_its_root() -> None:
    groups: list[Row] = [
        {"parent": 1, "wanted": 2, "minimum": 1},
        {"parent": 0, "wanted": 3, "minimum": 3},
    ]
    instance = make_instance(NODES, groups, [{"minimum": 1}, {"parent": 0}])
    found = named(instance, "groups", [0, 0, 0, 0, 0])
    assert (found["admitted(0)"], found["admitted-pods(0)"], found["elastic(0)"]) == (1, 1, 4)


@settings(max_examples=40)
@given(st.data())
def test_values_are_recounted_the_same_for_the_empty_plan(data: st.DataObject) -> None:
    instance = data.draw(instances())
    for objective in OBJECTIVES:
        tiers = tiers_of(instance, objective, data.draw(weights_for(instance)))
        plan = empty_plan(instance)
        assert values(instance, plan, tiers) == recount_all(instance, plan, tiers)
        assert not any(values(instance, plan, tiers))


@settings(max_examples=40)
@given(st.data())
def test_values_are_recounted_the_same_for_any_plan(data: st.DataObject) -> None:
    instance = data.draw(instances())
    plan = data.draw(plans(instance))
    for objective in OBJECTIVES:
        tiers = tiers_of(instance, objective, data.draw(weights_for(instance)))
        assert values(instance, plan, tiers) == recount_all(instance, plan, tiers)
