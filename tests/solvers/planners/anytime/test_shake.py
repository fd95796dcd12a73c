"""Noise on an objective: below its step, on what is paid for, and never in the way of a plan."""

from dataclasses import replace

import numpy as np

from gangplan.datasets.generate import generate
from gangplan.models.bound import step
from gangplan.models.tiers import tiers_of
from gangplan.solvers.held import priced
from gangplan.solvers.planners.anytime.shake import LEAST, SCALE, shaken
from gangplan.solvers.registry import formulation

INSTANCE = generate("training", nodes=32, groups=20, seed=1)
MILP = priced(
    formulation("patterns").write(INSTANCE), tiers_of(INSTANCE, "weighted-gpus"), 0, ()
)  # fmt: skip


def test_noise_is_below_the_step_and_only_where_something_is_paid() -> None:
    noise = MILP.cost * SCALE - shaken(MILP, 3, 0).cost
    assert (noise[MILP.cost == 0] == 0).all()
    assert noise.min() >= 0
    assert 0 < noise.max() <= SCALE * step(MILP.cost) / LEAST


def test_the_more_is_paid_the_less_noise() -> None:
    few, many = (MILP.cost * SCALE - shaken(MILP, 3, paid).cost for paid in (1, 10_000))
    assert many.max() < few.max() / 10


def test_the_seed_decides() -> None:
    assert (shaken(MILP, 3, 0).cost == shaken(MILP, 3, 0).cost).all()
    assert (shaken(MILP, 3, 0).cost != shaken(MILP, 4, 0).cost).any()


def test_rows_and_ends_stay() -> None:
    model = shaken(MILP, 3, 0)
    assert model.matrix is MILP.matrix
    assert (model.upper == MILP.upper).all()
    assert (model.row_upper == MILP.row_upper).all()


def test_an_objective_of_huge_numbers_is_left_alone() -> None:
    huge = replace(MILP, cost=np.where(MILP.cost != 0, 2.0**45, 0.0))
    assert shaken(huge, 3, 0) is huge
