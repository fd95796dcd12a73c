import numpy as np

from gangplan.cli.where import where
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan
from tests.tiny import make_instance


def cluster(**group: object) -> Instance:
    nodes = [
        {"gpu": 8, "example.com/rack": f"rack-{n // 2}", "zone": "z0" if n < 5 else "z1"}
        for n in range(7)
    ]
    del nodes[6]["example.com/rack"]
    return make_instance(nodes=nodes, groups=[{"wanted": 6, "request": {"gpu": 1}, **group}])


def put(instance: Instance, *nodes: int) -> str:
    none = np.zeros(0, dtype=np.int64)
    node = np.full(instance.n_pods, -1, dtype=np.int64)
    node[: len(nodes)] = nodes
    return where(instance, Plan(node, none, none), 0)


def test_nothing_placed_is_nowhere() -> None:
    assert where(cluster(), empty_plan(cluster()), 0) == ""


def test_nodes_come_with_their_counts_most_first() -> None:
    assert put(cluster(), 0, 3, 3, 2, 2) == "n[2-3] x2; n0"


def test_a_rule_names_its_domain_and_a_speaking_name_stands_alone() -> None:
    rules = [("example.com/rack", "required"), ("zone", "required")]
    assert put(cluster(rules=rules), 0, 1) == "rack-0, zone z0: n[0-1]"


def test_many_domains_are_counted() -> None:
    preferred = cluster(rules=[("example.com/rack", "preferred")])
    assert put(preferred, 0, 2) == "rack-0 + rack-1: n[0,2]"
    assert put(preferred, 0, 2, 4) == "3 racks: n[0,2,4]"


def test_a_node_outside_the_level_is_said() -> None:
    preferred = cluster(rules=[("example.com/rack", "preferred")])
    assert put(preferred, 0, 6) == "rack (no label) + rack-0: n[0,6]"


def test_rules_of_the_composites_above_are_named_too() -> None:
    instance = make_instance(
        nodes=[{"gpu": 8, "zone": "z0"}],
        groups=[{"wanted": 1, "request": {"gpu": 1}, "parent": 1}],
        composites=[{"rules": [("zone", "required")]}, {"parent": 0}],
    )
    assert put(instance, 0) == "zone z0: n0"
