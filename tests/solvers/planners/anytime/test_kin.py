"""Kin: neighbourhoods around units have all nodes that these stand on, where the size allows."""

import numpy as np
import pytest

from gangplan.datasets.generate import generate
from gangplan.models.tiers import tiers_of, values
from gangplan.models.victims import victims_of
from gangplan.solvers.planners.anytime import choose
from gangplan.solvers.planners.anytime.choose import Chooser
from gangplan.solvers.planners.anytime.kin import kin_of
from gangplan.solvers.planners.greedy import greedy_plan
from gangplan.solvers.search import Incumbent

FULL = generate("victims", nodes=256, seed=1)
EMPTY = generate("racks", nodes=64, seed=1)


def test_kin_are_the_units_that_can_fall_and_stand_on_several_atoms() -> None:
    atoms = np.arange(len(FULL.nodes)) // 16
    kin = kin_of(FULL, atoms, 16)
    assert kin is not None
    running = FULL.running
    for v in range(len(running)):
        mine = running.pod_node[(running.pod_unit == v) & (running.pod_node >= 0)]
        several = len(set(atoms[mine].tolist())) > 1 and bool(victims_of(FULL).can[v])
        assert several == (v in kin.unit)
        if several:
            row = kin.on.toarray()[int(np.searchsorted(kin.unit, v))]
            assert set(np.flatnonzero(row)) == set(atoms[mine].tolist())


def test_nobody_is_kin_where_nobody_runs() -> None:
    assert kin_of(EMPTY, np.zeros(len(EMPTY.nodes), dtype=np.int64), 1) is None
    assert Chooser(EMPTY, tiers_of(EMPTY)).kin is None


def test_an_atom_that_makes_a_unit_whole_pulls_most_and_more_if_it_has_fallen() -> None:
    atoms = np.arange(len(FULL.nodes)) // 16
    kin = kin_of(FULL, atoms, 16)
    assert kin is not None
    on = kin.on.toarray()
    two = int(np.flatnonzero(on.sum(axis=1) == 2)[0])
    one, other = np.flatnonzero(on[two])
    chosen = np.zeros(16, dtype=np.bool_)
    chosen[one] = True
    none = np.zeros(0, dtype=np.int64)
    before = kin.pull(chosen, none)
    after = kin.pull(chosen, kin.unit[[two]])
    assert before[other] >= 1.0
    assert after[other] == before[other] + 2.0


def test_neighbourhoods_around_units_have_more_of_them_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tiers = tiers_of(FULL)
    plan = greedy_plan(FULL, tiers)
    best = Incumbent(plan, values(FULL, plan, tiers))

    def whole(kinship: float) -> int:
        monkeypatch.setattr(choose, "KINSHIP", kinship)
        chooser = Chooser(FULL, tiers, seed=3)
        assert chooser.kin is not None
        total = 0
        for _ in range(40):
            pick = chooser.pick(best, 0, [], 60.0)
            if pick is None:
                continue
            here = np.zeros(len(chooser.atoms), dtype=np.bool_)
            here[chooser.atoms.of_node[pick.nodes]] = True
            outside = chooser.kin.on @ (~here).astype(np.float64)
            total += int((outside == 0).sum()) - int(here.all()) * len(outside)
        return total

    assert whole(1.0) > whole(0.0)
