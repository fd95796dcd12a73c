from gangplan.models.counting import bounds, ceiling, ceilings
from gangplan.models.tiers import tiers_of
from tests.tiny import make_instance


def test_the_ceiling_is_what_can_be_placed_at_all() -> None:
    inst = make_instance(
        nodes=[{"gpu": 8}, {"gpu": 8}],
        groups=[
            {"priority": 5, "wanted": 1, "request": {"gpu": 8}},
            {"priority": 5, "minimum": 3, "wanted": 3, "request": {"gpu": 8}},
            {"priority": 5, "wanted": 1, "request": {"gpu": 1}, "held": True},
        ],
    )
    tiers = {t.name: t for t in tiers_of(inst)}
    assert ceiling(inst, tiers["admitted(5)"]) == 1


def test_the_knapsack_of_one_resource_cuts_the_ceiling() -> None:
    inst = make_instance(
        nodes=[{"gpu": 8}, {"gpu": 8}],
        groups=[{"priority": 1, "wanted": 1, "request": {"gpu": 5}} for _ in range(9)],
    )
    # 16 / 5 = 3.2: by GPUs alone three fit (nodes, which allow two, are not looked at).
    assert ceilings(inst, tiers_of(inst))[0] == 3


def test_weighted_gpus_takes_the_dear_ones_first_and_cuts_the_last() -> None:
    inst = make_instance(
        nodes=[{"gpu": 8}],
        groups=[
            {"priority": 4, "wanted": 1, "request": {"gpu": 6}},
            {"priority": 1, "wanted": 1, "request": {"gpu": 6}},
        ],
    )
    assert ceiling(inst, tiers_of(inst, "weighted-gpus")[0]) == 4 * 6 + 2


def test_elastic_room_is_what_lies_beyond_the_minimum() -> None:
    inst = make_instance(
        nodes=[{"gpu": 3}], groups=[{"minimum": 2, "wanted": 9, "request": {"gpu": 1}}]
    )
    tiers = {t.name: t for t in tiers_of(inst)}
    assert ceiling(inst, tiers["elastic(0)"]) == 1
    assert ceiling(inst, tiers["preferred"]) is None


def test_every_tier_has_a_bound_and_a_minimised_one_has_zero() -> None:
    inst = make_instance(nodes=[{"gpu": 3}], groups=[{"wanted": 2, "request": {"gpu": 1}}])
    tiers = tiers_of(inst)
    assert dict(zip([t.name for t in tiers], bounds(inst, tiers), strict=True)) == {
        "admitted(0)": 1,
        "admitted-pods(0)": 1,
        "elastic(0)": 1,
        "preferred": 0,
        "fragmentation": 0,
    }


def test_a_tree_is_out_when_too_few_children_fit() -> None:
    inst = make_instance(
        nodes=[{"gpu": 8}],
        groups=[
            {"wanted": 1, "request": {"gpu": 1}, "parent": 0},
            {"minimum": 2, "wanted": 2, "request": {"gpu": 8}, "parent": 0},
        ],
        composites=[{"minimum": 2}],
    )
    assert ceiling(inst, tiers_of(inst)[0]) == 0
