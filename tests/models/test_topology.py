from typing import Any

import numpy as np
import pytest

from gangplan.models.errors import InstanceError
from gangplan.models.topology import PREFERRED, REQUIRED, Rules, Topology, no_levels, no_rules
from tests.tiny import Row, make_instance


def rules(**columns: Any) -> Rules:
    table: dict[str, Any] = {
        "owner": [0, 0],
        "level": [0, 0],
        "mode": [REQUIRED, PREFERRED],
        "slice": [0, 0],
        "member_rule": [],
        "member_domain": [],
        "member_count": [],
    }
    return Rules(**(table | columns))


def test_a_level_cuts_the_nodes_that_carry_its_label() -> None:
    nodes: list[Row] = [{"rack": "a", "zone": "z"}, {"rack": "b"}, {"zone": "z"}]
    topology = make_instance(nodes, [{}]).topology
    assert topology.domain.tolist() == [[0, 1, -1], [2, -1, 2]]
    assert topology.level.tolist() == [0, 0, 1]
    assert topology.domains_of(0).tolist() == [0, 1]
    assert (topology.n_levels, topology.n_domains) == (2, 3)


def test_a_domain_of_another_level_is_refused() -> None:
    with pytest.raises(InstanceError, match="level 1 uses another level's domain"):
        Topology(np.array([[0, 1], [0, 2]]), np.array([0, 0, 1]))


def test_a_domain_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InstanceError, match=r"topology\.domain: 3 is out of range"):
        Topology(np.array([[0, 3]]), np.array([0]))


def test_running_members_fix_a_whole_required_rule_only() -> None:
    some = rules(member_rule=[0, 1, 1], member_domain=[4, 4, 5], member_count=[2, 2, 1])
    assert some.is_whole().tolist() == [True, False]
    assert some.fixed().tolist() == [4, -1]
    assert some.members(1) == {4: 2, 5: 1}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"slice": [0, 2]}, "a preferred rule has no slices"),
        ({"mode": [0, 2]}, r"rules\.mode"),
        ({"level": [0, -1]}, r"rules\.level"),
        (
            {"member_rule": [0, 0], "member_domain": [1, 2], "member_count": [1, 1]},
            "members in two domains",
        ),
        (
            {"member_rule": [2], "member_domain": [1], "member_count": [1]},
            r"rules\.member_rule: 2 is out of range",
        ),
    ],
)
def test_rules_that_mean_nothing_are_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InstanceError, match=message):
        rules(**columns)


def test_sliced_rules_may_have_members_in_many_domains() -> None:
    some = rules(slice=[2, 0], member_rule=[0, 0], member_domain=[1, 2], member_count=[2, 1])
    assert some.fixed().tolist() == [-1, -1]
    assert some.members(0) == {1: 2, 2: 1}


def test_no_levels_leaves_every_node_without_a_domain() -> None:
    topology = no_levels(3)
    assert (topology.n_levels, topology.n_domains, topology.domain.shape) == (0, 0, (0, 3))


def test_no_rules_is_empty() -> None:
    assert len(no_rules()) == 0
