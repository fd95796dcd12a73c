from gangplan.models.verify import check
from tests.placing import place
from tests.tiny import Row, make_instance


def test_an_overfull_node_is_named_with_what_is_asked_and_what_is_free() -> None:
    instance = make_instance(
        [{"gpu": 8}, {"gpu": 8}], [{"wanted": 3, "minimum": 1, "request": {"gpu": 4}}]
    )
    (found,) = check(instance, place(instance, [1, 1, 1]))
    assert found.sentence == "node n1: gpu 12 asked, 8 free"
    assert (found.family, found.what, found.have, found.need) == ("capacity", "n1", 12, 8)
    assert check(instance, place(instance, [0, 1, 1])) == ()


def test_every_resource_counts_and_groups_add_up() -> None:
    groups: list[Row] = [{"request": {"cpu": 3, "gpu": 1}}, {"request": {"cpu": 2, "gpu": 1}}]
    instance = make_instance([{"gpu": 2, "cpu": 4}], groups)
    assert [v.sentence for v in check(instance, place(instance, [0, 0]))] == [
        "node n0: cpu 5 asked, 4 free"
    ]


def test_sums_beyond_int64_do_not_wrap_around() -> None:
    huge = 2**62
    instance = make_instance([{"mem": 2**62}], [{"wanted": 4, "request": {"mem": huge}}])
    (found,) = check(instance, place(instance, [0, 0, 0, 0]))
    assert found.have == 2**64
