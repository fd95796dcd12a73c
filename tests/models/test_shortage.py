from gangplan.models.shortage import cannot_be_placed
from tests.tiny import make_instance


def test_a_gang_bigger_than_the_cluster_is_short_of_the_resource_by_name() -> None:
    inst = make_instance(
        nodes=[{"gpu": 4, "cpu": 64}, {"gpu": 4, "cpu": 64}],
        groups=[{"minimum": 3, "wanted": 3, "request": {"gpu": 4, "cpu": 1}}],
    )
    short = cannot_be_placed(inst, 0)
    assert short is not None
    assert (short.need, short.have, short.resource) == (3, 2, "gpu")


def test_a_gang_that_fits_has_no_shortage() -> None:
    inst = make_instance(
        nodes=[{"gpu": 8}], groups=[{"minimum": 2, "wanted": 2, "request": {"gpu": 4}}]
    )
    assert cannot_be_placed(inst, 0) is None


def test_the_best_domain_is_named_when_a_rack_is_required() -> None:
    racks = [{"gpu": 8, "rack": r} for r in ("a", "a", "a", "b", "b")]
    inst = make_instance(
        nodes=racks,
        groups=[
            {"minimum": 4, "wanted": 4, "request": {"gpu": 8}, "rules": [("rack", "required")]}
        ],
    )
    short = cannot_be_placed(inst, 0)
    assert short is not None
    assert (short.need, short.have, short.domain) == (4, 3, "rack=a")


def test_roles_together_are_counted_against_pod_slots() -> None:
    inst = make_instance(
        nodes=[{"gpu": 8, "pods": 1, "host": "n1"}, {"gpu": 8, "pods": 2, "host": "n2"}],
        groups=[
            {
                "minimum": 3,
                "rules": [("host", "required")],
                "roles": [
                    {"wanted": 1, "request": {"pods": 1}},
                    {"wanted": 2, "request": {"gpu": 1, "pods": 1}},
                ],
            }
        ],
    )
    short = cannot_be_placed(inst, 0)
    assert short is not None
    assert (short.have, short.resource, short.domain) == (2, "pods", "host=n2")


def test_whole_slices_are_counted_per_rack() -> None:
    nodes = [{"gpu": 8, "block": "b1", "rack": r} for r in ("r1", "r1", "r1", "r2")]
    gang = {"minimum": 4, "wanted": 4, "request": {"gpu": 8}}
    sliced = make_instance(nodes=nodes, groups=[{**gang, "rules": [("rack", "required", 2)]}])
    assert cannot_be_placed(make_instance(nodes=nodes, groups=[gang]), 0) is None
    short = cannot_be_placed(sliced, 0)
    assert short is not None
    assert (short.need, short.have) == (4, 2)


def test_a_role_minimum_without_room_names_the_role() -> None:
    inst = make_instance(
        nodes=[{"gpu": 1, "cpu": 4}, {"gpu": 1, "cpu": 4}],
        groups=[
            {
                "minimum": 2,
                "roles": [
                    {"name": "leader", "wanted": 1, "minimum": 1, "request": {"cpu": 6}},
                    {"name": "worker", "wanted": 2, "request": {"gpu": 1}},
                ],
            }
        ],
    )
    short = cannot_be_placed(inst, 0)
    assert short is not None
    assert (short.role, short.need, short.have, short.resource) == ("leader", 1, 0, "cpu")


def test_no_eligible_node_is_said_so() -> None:
    inst = make_instance(
        nodes=[{"gpu": 8}], groups=[{"wanted": 1, "request": {"gpu": 1}, "eligible": []}]
    )
    short = cannot_be_placed(inst, 0)
    assert short is not None
    assert (short.have, short.resource) == (0, "eligible nodes")


def test_shared_devices_are_counted_one_by_one() -> None:
    inst = make_instance(
        nodes=[{"shared": [1000, 1000]}],
        groups=[{"minimum": 3, "wanted": 3, "share": 600}],
        device_unit=1000,
    )
    short = cannot_be_placed(inst, 0)
    assert short is not None
    assert (short.need, short.have, short.resource) == (3, 2, "shared devices")


def test_a_standing_or_held_gang_asks_for_nothing() -> None:
    inst = make_instance(
        nodes=[{"gpu": 0}],
        groups=[
            {"minimum": 1, "running": [0], "wanted": 1, "request": {"gpu": 8}},
            {"minimum": 1, "wanted": 1, "request": {"gpu": 8}, "held": True},
        ],
    )
    assert cannot_be_placed(inst, 0) is None
    assert cannot_be_placed(inst, 1) is None
