"""Own claims inside patterns: what the devices of one node serve together."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.counts.kind import COUNTS
from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Formulation
from gangplan.models.instance import Instance
from gangplan.models.patterns.kind import PATTERNS
from gangplan.models.shapes import giving, takings
from gangplan.models.shapes.claims import giving_at, stocks_of
from gangplan.models.tiers import values
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import recheck
from gangplan.solvers.refute import CONFIRMED
from tests.models.carried import carried, optimum, there_and_back
from tests.models.patterns.test_random import written
from tests.strategies import Features, instances
from tests.tiny import make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running

LIMITS = Limits(seconds=20)
OWN = Features(
    composites=False, zones=False, common=False, shares=False, required=False, slices=False,
    preferred=False, running=False,
)  # fmt: skip
ALL_OF_THEM = Features(composites=False, zones=False, common=False, counters=False)


def cluster(nodes: int, *gangs: int) -> Instance:
    """Nodes with room, and gangs of so many pods."""
    rows = [{"wanted": n, "minimum": n, "request": {"cpu": 1}} for n in gangs]
    return make_instance([{"cpu": 99}] * nodes, rows)


def pair(node: int, root: str) -> list[dict[str, Any]]:
    return [{"node": node, word: True, "root": root} for word in ("gpu", "nic")]


ALIGNED = {"requests": [("g", "gpu"), ("n", "nic")], "match": ["root"]}
ONE = {"requests": [("g", "gpu")]}


def admitted(instance: Instance) -> int:
    return optimum(written(instance), "groups")[0]


def test_devices_that_a_pod_needs_together_are_on_one_root() -> None:
    here = [*pair(0, "a"), {"node": 0, "gpu": True, "root": "b"}, {"node": 0, "nic": True}]
    both = cluster(1, 2)
    assert admitted(with_devices(both, here, [ALIGNED], {0: [0]})) == 0
    assert admitted(with_devices(both, [*here, *pair(0, "c")], [ALIGNED], {0: [0]})) == 1


def test_pods_without_a_rule_leave_pairs_to_those_with_one() -> None:
    here = [*pair(0, "a"), *pair(0, "b"), {"node": 0, "gpu": True, "root": "x"}]
    instance = cluster(1, 2, 1)
    assert admitted(with_devices(instance, here, [ALIGNED, ONE], {0: [0], 1: [1]})) == 2
    assert admitted(with_devices(instance, here[:-1], [ALIGNED, ONE], {0: [0], 1: [1]})) == 1


def test_partitions_share_the_counter_of_their_device() -> None:
    parts: list[dict[str, Any]] = [
        {"node": 0, word: True, "draws": {"slices": n}}
        for word, n in (("large", 4), ("small", 3), ("small", 3))
    ]
    specs = [{"requests": [("p", "large")]}, {"requests": [("p", "small")]}]
    for left, fits in ((7, 2), (6, 1)):
        instance = with_devices(
            cluster(1, 1, 1), parts, specs, {0: [0], 1: [1]}, counters={"slices": left}
        )
        assert admitted(instance) == fits


def test_pots_of_a_shared_device_run_out() -> None:
    nic = {"node": 0, "nic": True, "multi": True, "pots": {"bandwidth": 5}}
    spec = {"requests": [("n", {"word": "nic", "uses": {"bandwidth": 2}})]}
    for pods, fits in ((2, 1), (3, 0)):
        assert admitted(with_devices(cluster(1, pods), [nic], [spec], {0: [0]})) == fits


def test_nodes_whose_devices_differ_in_names_only_are_one_class() -> None:
    roots = [*pair(0, "a"), *pair(0, "b"), *pair(1, "d"), *pair(1, "c"), *pair(2, "e")]
    instance = with_devices(cluster(3, 4), roots, [ALIGNED], {0: [0]})
    assert [len(nodes) for nodes in PATTERNS.write(instance).model.classes.nodes] == [2, 1]
    apart = with_devices(cluster(2, 2), [*pair(0, "a"), *pair(1, "c")[::-1]], [ALIGNED], {})
    assert len(set(stocks_of(apart).key.tolist())) == 1


def test_a_node_that_a_choice_is_barred_from_is_another_class() -> None:
    spec = {"requests": [("g", {"word": "gpu", "barred": [1]})]}
    devices = [{"node": n, "gpu": True} for n in range(3)]
    instance = with_devices(cluster(3, 3), devices, [spec], {0: [0]})
    assert admitted(instance) == 0
    assert len(PATTERNS.write(instance).model.classes) == 1  # node 1 holds nothing


def test_the_tier_of_ranks_is_solved_by_counts() -> None:
    first = {"word": "gpu", "name": "good"}, {"word": "nic", "name": "poor"}
    instance = with_devices(
        cluster(1, 2), [*pair(0, "a")], [{"requests": [("q", *first)]}], {0: [0]}
    )
    result = Exact(solver=Highs(), kind="patterns").plan(instance, LIMITS)
    assert all(tier.proven for tier in result.tiers)
    found = {tier.name: tier for tier in result.tiers}
    assert found["admitted(0)"].value == 1
    assert (found["rank"].value, found["rank"].bound) == (1, 1)
    assert {one.verdict for one in recheck(instance, result, Highs(), LIMITS)} == {CONFIRMED}


GPU = {"node": 0, "gpu": True}


@pytest.mark.parametrize(
    ("instance", "words"),
    [
        (
            with_devices(cluster(1, 1), [GPU], [ONE], {}, [{"spec": 0, "roles": [0]}]),
            "pods share",
        ),
        (with_devices(cluster(1, 1), [{"zone": [0], "gpu": True}], [ONE], {0: [0]}), "reach"),
        (
            with_devices(
                cluster(2, 1),
                [{"node": n, "gpu": True, "draws": {"c": 1}} for n in range(2)],
                [ONE],
                {0: [0]},
                counters={"c": 1},
            ),
            "several nodes draw",
        ),
        (
            with_devices(
                cluster(1, 1),
                [GPU | {"multi": True, "draws": {"c": 1}}],
                [ONE],
                {0: [0]},
                counters={"c": 1},
            ),
            "shared devices that draw",
        ),
        (
            with_devices(
                with_running(cluster(1, 1), [{"node": 0, "request": {"cpu": 1}}]),
                [GPU],
                [ONE],
                {0: [0]},
            ),
            "beside units",
        ),
    ],
)
def test_claims_that_are_not_of_one_pod_and_one_node_are_refused(
    instance: Instance, words: str
) -> None:
    with pytest.raises(FormulationError, match=words):
        PATTERNS.write(instance)


def test_claims_cannot_be_left_out() -> None:
    instance = with_devices(cluster(1, 1), [GPU], [ONE], {0: [0]})
    with pytest.raises(FormulationError, match="cannot leave out claims"):
        PATTERNS.write(instance, Formulation(claims=False))


@pytest.mark.parametrize(
    ("where", "limit", "words"),
    [
        (takings, "MOST_TAKINGS", "ways on one node"),
        (giving, "MOST_STATES", "more ways to give"),
        (giving, "MOST_STEPS", "more ways to give"),
    ],
)
def test_too_many_ways_are_refused_by_name(
    where: Any, limit: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(where, limit, 1)
    here = [GPU | {"root": f"r{i}", "numa": f"n{i // 3}"} for i in range(6)]
    spec = {"requests": [("g", "gpu"), ("h", "gpu")], "match": ["numa"], "distinct": ["root"]}
    with pytest.raises(FormulationError, match=words):
        PATTERNS.write(with_devices(cluster(1, 2), here, [spec, ONE], {0: [0, 1]}))


def test_equal_pieces_are_not_told_apart() -> None:
    here = [device for i in range(8) for device in pair(0, f"r{i}")]
    instance = with_devices(cluster(1, 8), here, [ALIGNED], {0: [0]})
    node = giving_at(instance, 0)
    assert node.serves([8])
    assert not node.serves([9])
    assert all(len(states) == 1 for states in node.known.values() if states)


@settings(max_examples=100)
@given(
    st.one_of(instances(OWN), instances(ALL_OF_THEM)),
    st.sampled_from(["groups", "gpus", "age"]),
)
def test_patterns_with_claims_have_the_optimum_of_counts(
    instance: Instance, objective: str
) -> None:
    model = written(instance)
    assert optimum(model, objective) == optimum(COUNTS.write(instance), objective)


@settings(max_examples=80)
@given(st.one_of(instances(OWN), instances(ALL_OF_THEM)), st.data())
def test_any_point_with_claims_decodes_and_any_plan_is_a_point(
    instance: Instance, data: st.DataObject
) -> None:
    model, tiers = written(instance), carried(instance)
    for by in (model, COUNTS.write(instance)):
        plan, again = there_and_back(model, by, data)
        assert values(instance, again, tiers) == values(instance, plan, tiers)


@settings(max_examples=60)
@given(instances(OWN), st.data())
def test_what_devices_serve_is_closed_under_taking_claims_away(
    instance: Instance, data: st.DataObject
) -> None:
    written(instance)
    node = giving_at(instance, data.draw(st.integers(0, len(instance.nodes) - 1)))
    number = st.integers(0, 3)
    counts = data.draw(st.lists(number, min_size=len(node.takings), max_size=len(node.takings)))
    if node.serves(counts):
        parts = [p for p, n in enumerate(counts) for _ in range(n)]
        assert node.given(parts) is not None
        for p in range(len(counts)):
            assert node.serves([n - (n > 0 and p == q) for q, n in enumerate(counts)])
