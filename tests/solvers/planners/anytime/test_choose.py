"""Which neighbourhood next: every node has its turn, two at a time never meet."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gangplan.datasets.generate import generate
from gangplan.models.instance import Instance
from gangplan.models.part import inside
from gangplan.models.tiers import tiers_of, values
from gangplan.solvers.planners.anytime.atoms import CUT, MOST, atoms_of, left_of
from gangplan.solvers.planners.anytime.choose import LAPS, SECONDS, TURN, Chooser, Pick
from gangplan.solvers.planners.anytime.choose import MOST as MOST_NODES
from gangplan.solvers.planners.greedy import greedy_plan
from gangplan.solvers.search import Incumbent
from tests.strategies import anything

RACKS = generate("vectors", nodes=512, seed=3)
TIERS = tiers_of(RACKS, "weighted-gpus")


def greedy(instance: Instance) -> Incumbent:
    tiers = tiers_of(instance)
    plan = greedy_plan(instance, tiers)
    return Incumbent(plan, values(instance, plan, tiers))


def best_of_racks() -> Incumbent:
    plan = greedy_plan(RACKS, TIERS)
    return Incumbent(plan, values(RACKS, plan, TIERS))


BEST = best_of_racks()


def picks(chooser: Chooser, count: int) -> list[Pick]:
    found = []
    for _ in range(count):
        pick = chooser.pick(BEST, 0, [], 60.0)
        assert pick is not None
        chooser.learn(pick, better=False, seconds=1.0)
        found.append(pick)
    return found


def test_atoms_are_racks_and_blocks_are_around_them() -> None:
    atoms = atoms_of(RACKS, np.random.default_rng(0))
    racks = RACKS.topology.domain[RACKS.names.levels.index("rack")]
    assert len(atoms) == len(np.unique(racks))
    assert len(np.unique(np.column_stack([atoms.of_node, racks]), axis=0)) == len(atoms)
    assert len(np.unique(atoms.around)) == len(atoms) / 4


def test_a_cluster_without_levels_is_cut_into_small_atoms() -> None:
    plain = generate("victims", nodes=16, seed=1)
    assert atoms_of(plain, np.random.default_rng(0)).size.max() <= MOST
    assert CUT <= MOST


def test_what_is_left_is_what_the_plan_does_not_take() -> None:
    taken = RACKS.nodes.free - left_of(RACKS, BEST.plan)
    pod = BEST.plan.node >= 0
    assert (taken.sum(axis=0) == RACKS.roles.request[RACKS.pod_role[pod]].sum(axis=0)).all()


def test_every_node_has_its_turn() -> None:
    chooser = Chooser(RACKS, TIERS, seed=5)
    seen = np.zeros(len(RACKS.nodes), dtype=np.bool_)
    for pick in picks(chooser, TURN * len(chooser.atoms)):
        seen[pick.nodes] = True
    assert seen.all()


def test_two_at_a_time_share_no_node_and_no_candidate() -> None:
    chooser = Chooser(RACKS, TIERS, seed=2)
    both = 0
    for _ in range(30):
        first = chooser.pick(BEST, 0, [], 60.0)
        assert first is not None
        second = chooser.pick(BEST, 0, [first], 60.0)
        if second is not None:
            both += 1
            assert not np.isin(first.nodes, second.nodes).any()
            assert not np.isin(first.groups, second.groups).any()
    assert both > 10


def test_the_seed_decides() -> None:
    one, two, other = (picks(Chooser(RACKS, TIERS, seed=s), 8) for s in (4, 4, 5))
    assert [p.nodes.tolist() for p in one] == [p.nodes.tolist() for p in two]
    assert [p.groups.tolist() for p in one] == [p.groups.tolist() for p in two]
    assert [p.nodes.tolist() for p in one] != [p.nodes.tolist() for p in other]


def test_what_paid_is_chosen_more_often() -> None:
    chooser, plan = Chooser(RACKS, TIERS, seed=1), BEST.plan
    worth, often = BEST.values[0], np.zeros(20, dtype=np.int64)
    for turn in range(80):
        pick = chooser.pick(Incumbent(plan, (worth,)), 0, [], 60.0)
        assert pick is not None
        pays = pick.style == 1
        worth += 10 * pays
        chooser.learn(pick, better=pays, seconds=1.0)
        often[pick.style] += turn >= 40
    assert often[1] > often.sum() / 3


def test_nothing_is_left_to_try_after_many_that_gave_nothing() -> None:
    chooser = Chooser(RACKS, TIERS)
    while (pick := chooser.pick(BEST, 0, [], 60.0)) is not None:
        chooser.learn(pick, better=False, seconds=1.0)
    assert chooser.turn > len(chooser.atoms)
    assert chooser.turn <= (chooser.laps + 1) * (chooser.patience + 1)


@settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
@given(anything(), st.integers(0, 9))
def test_candidates_are_those_that_a_part_takes(instance: Instance, seed: int) -> None:
    best, tiers = greedy(instance), tiers_of(instance)
    chooser = Chooser(instance, tiers, seed)
    for _ in range(4):
        pick = chooser.pick(best, 0, [], 60.0)
        if pick is not None:
            assert inside(instance, best.plan, pick.nodes)[pick.groups].all()
            chooser.learn(pick, better=False, seconds=1.0)


def test_who_waits_is_shared_once_little_comes_of_any() -> None:
    chooser = Chooser(RACKS, TIERS, seed=2)
    waits = BEST.plan.placed_per_group(RACKS) == 0
    met = 0
    for _ in range(30):
        first = chooser.pick(BEST, 0, [], 60.0)
        assert first is not None
        chooser.learn(first, better=False, seconds=1.0)
        second = chooser.pick(BEST, 0, [first], 60.0)
        if second is not None:
            both = np.intersect1d(first.groups, second.groups)
            assert waits[both].all()
            met += len(both) > 0
            assert not np.isin(first.nodes, second.nodes).any()
    assert met > 10


def test_one_of_two_leaves_nodes_for_the_other() -> None:
    chooser, alone = (Chooser(RACKS, TIERS, seed=2, crew=size) for size in (2, 1))
    most = max(int(chooser.atoms.size.max()), 1) + MOST_NODES * len(RACKS.nodes)
    assert max(len(pick.nodes) for pick in picks(chooser, 30)) <= most
    assert max(len(pick.nodes) for pick in picks(alone, 30)) > most


def test_a_large_cluster_is_tried_again_for_longer_before_it_is_given_up() -> None:
    instance = generate("vectors", nodes=96)
    tiers = tiers_of(instance, "weighted-gpus")
    best = Incumbent(plan := greedy_plan(instance, tiers), values(instance, plan, tiers))
    chooser = Chooser(instance, tiers)
    seconds = []
    while (pick := chooser.pick(best, 0, (), 1e9)) is not None:
        chooser.learn(pick, better=False, seconds=1.0)
        seconds.append(pick.seconds)
    assert chooser.laps == LAPS
    assert len(seconds) > LAPS * chooser.patience / 2
    assert max(seconds) == 8 * 2**LAPS * SECONDS
