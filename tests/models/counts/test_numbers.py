"""Scaling, tightening and refusal of numbers, and points that are no plans."""

import itertools

import numpy as np
import pytest

from gangplan.models.arrays import Ints
from gangplan.models.counts.decode import decode, encode
from gangplan.models.counts.formulation import Model, build
from gangplan.models.counts.knapsack import meetings, tightened
from gangplan.models.errors import FormulationError, PlanError
from gangplan.models.plan import Plan, empty_plan
from tests.tiny import make_instance

GIB = 2**30


def rows_of(model: Model, name: str) -> tuple[list[list[float]], list[float]]:
    start, end = model.milp.row_blocks[name]
    return model.milp.matrix.toarray()[start:end].tolist(), model.milp.row_upper[start:end].tolist()


def test_bytes_are_divided_by_the_common_divisor_of_the_requests() -> None:
    pods = {"kind": "bare", "wanted": 9}
    instance = make_instance(
        [{"memory": 20 * GIB + 5}],
        [pods | {"request": {"memory": 4 * GIB}}, pods | {"request": {"memory": 6 * GIB}}],
    )
    rows, side = rows_of(build(instance), "capacity.fits")
    assert [row[:2] for row in rows] == [[2, 3]]
    assert side == [10]


def test_a_side_that_no_sum_of_requests_reaches_is_lowered() -> None:
    pods = {"kind": "bare", "wanted": 9}
    instance = make_instance(
        [{"gpu": 7}], [pods | {"request": {"gpu": 3}}, pods | {"request": {"gpu": 5}}]
    )
    assert rows_of(build(instance), "capacity.fits")[1] == [6]


def test_rows_that_cannot_bind_or_that_another_implies_are_left_out() -> None:
    pods = {"kind": "bare", "wanted": 9, "request": {"gpu": 1, "cpu": 2, "pods": 1}}
    instance = make_instance(
        [{"gpu": 4, "cpu": 9, "pods": 4}, {"gpu": 99, "cpu": 99, "pods": 99}], [pods, pods]
    )
    rows, side = rows_of(build(instance), "capacity.fits")
    assert len(rows) == 1
    assert side == [4]


def test_a_quantity_above_2_to_the_40_is_refused_by_name() -> None:
    pods = {"kind": "bare", "wanted": 9}
    instance = make_instance(
        [{"memory": 2**52}],
        [pods | {"request": {"memory": 2**50 + 1}}, pods | {"request": {"memory": 2**50}}],
    )
    with pytest.raises(FormulationError, match=r"node n0: memory: a quantity above 2\^40"):
        build(instance)


def test_a_huge_side_that_never_binds_is_no_reason_to_refuse() -> None:
    instance = make_instance([{"memory": 2**60, "gpu": 1}], [{"request": {"memory": 3, "gpu": 1}}])
    assert build(instance).milp.n_rows >= 1


def test_tightened_sides_keep_every_integer_point() -> None:
    random = np.random.default_rng(5)
    for _ in range(200):
        weight: Ints = random.integers(0, 12, 3)
        side: Ints = random.integers(0, 40, 4)
        present = random.random((3, 4)) < 0.6
        divisor, tight = tightened(meetings(present), weight, side)
        for m in range(4):
            own = [int(w) for w, here in zip(weight, present[:, m], strict=True) if here and w]
            sums = (
                {
                    sum(a * w for a, w in zip(count, own, strict=True))
                    for count in itertools.product(range(41), repeat=len(own))
                }
                if len(own) < 3
                else None
            )
            if sums is not None:
                assert tight[m] * divisor[m] == max(s for s in sums if s <= side[m])


def test_points_that_are_no_plans_are_refused() -> None:
    model = build(make_instance([{"gpu": 2}], [{"wanted": 2, "request": {"gpu": 1}}]))
    n = model.milp.n_cols
    with pytest.raises(PlanError, match="not integral"):
        decode(model, np.full(n, 0.4))
    with pytest.raises(PlanError, match="bounds"):
        decode(model, np.full(n, 7.0))
    with pytest.raises(PlanError, match="finite columns"):
        decode(model, np.zeros(n + 1))
    with pytest.raises(PlanError, match="finite columns"):
        decode(model, np.full(n, np.nan))
    nearly = encode(model, empty_plan(model.instance)).astype(np.float64) + np.float64(1e-7)
    assert (decode(model, nearly).node == -1).all()


def test_a_plan_that_breaks_a_rule_is_not_encoded_silently() -> None:
    instance = make_instance(
        [{"gpu": 0}, {"gpu": 2}], [{"minimum": 2, "wanted": 2, "request": {"gpu": 1}}]
    )
    model = build(instance)
    none = np.zeros(0, dtype=np.int64)
    with pytest.raises(PlanError, match="test/g0: role 0 has no column on node n0"):
        encode(model, Plan(np.array([0, 1]), none, none))
    partial = encode(model, Plan(np.array([1, -1]), none, none))
    assert model.milp.row_name(int(model.milp.violated_rows(partial)[0])).startswith("gang.role")
