"""Generalised assignment, knapsack and bin packing: samples of ours, and published optima."""

import csv
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from gangplan.datasets.classics import gap, mknap, vbp
from gangplan.datasets.traces.folder import data_folder, require
from tests.datasets.classics.known import OTHERS, brackets, here, needs, proves

DATA = Path(__file__).parents[2] / "data" / "classics"

GAPS = [f"gap{n}-{i}" for n in range(1, 13) for i in range(3)]
CHU = ["a05100", "a10100", "b10100"]
CHU_SLOW = ["b05100", "c05100", "c10100", "d05100"]


def test_sample_of_generalised_assignment() -> None:
    sample = gap.read(DATA / "gap_small")
    assert sample.cost.tolist() == [[1, 4, 3], [2, 1, 5]]
    assert sample.capacity.tolist() == [4, 2]
    proves("highs", gap.to_milp(sample), 5)


def test_sample_of_knapsack_has_decimals() -> None:
    (sample,) = mknap.read(DATA / "mknap_small.txt")
    assert sample.scale == 2
    assert sample.profit.tolist() == [5, 10, 8]
    assert sample.weight.tolist() == [[1, 2, 2], [1, 2, 2]]
    assert sample.capacity.tolist() == [3, 3]
    assert sample.optimum == 15
    proves("highs", mknap.to_milp(sample), -15)


def test_sample_of_bin_packing() -> None:
    sample = vbp.read(DATA / "small.vbp")
    assert vbp.first_fit(sample) == 2
    proves("highs", vbp.to_milp(sample), 2)


@pytest.mark.parametrize("seed", range(12))
def test_bin_packing_equals_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 7, (5, 2))
    demand = np.ones(5, dtype=np.int64) if seed % 2 else rng.integers(1, 3, 5)
    packing = vbp.Packing(np.array([10, 9]), size, demand)
    items = np.repeat(size, demand, axis=0)[:7]
    if demand.sum() > len(items):
        demand = np.minimum(demand, 1)
        packing, items = vbp.Packing(packing.capacity, size, demand), size
    fewest = min(
        len(set(bins))
        for bins in product(range(vbp.first_fit(packing)), repeat=len(items))
        if all((items[np.array(bins) == b].sum(axis=0) <= packing.capacity).all() for b in bins)
    )
    proves("highs", vbp.to_milp(packing), fewest)


@cache
def best_gap() -> dict[str, int]:
    """Optimum of each public instance of generalised assignment; the test is left out elsewhere."""
    needs(gap.public("gap1-0"))
    folder = data_folder()
    assert folder is not None
    with (folder / "gap-orlib" / "best_known.csv").open(encoding="utf-8") as file:
        return {row["Path"].rpartition("/")[2]: int(row["Optimum"]) for row in csv.DictReader(file)}


@pytest.mark.public_data
def test_every_instance_of_the_list_is_tried() -> None:
    assert set(best_gap()) == {*GAPS, *CHU, *CHU_SLOW}


@pytest.mark.public_data
@pytest.mark.parametrize("name", [*GAPS, *CHU])
def test_optima_of_generalised_assignment(name: str) -> None:
    optimum = best_gap()[name]
    proves("highs", gap.to_milp(gap.read(require(gap.public(name)))), optimum)


@pytest.mark.public_data
@pytest.mark.parametrize("backend", OTHERS)
@pytest.mark.parametrize("name", ["gap1-0", "gap2-1", "gap5-2", "a05100"])
def test_optima_of_generalised_assignment_by_others(name: str, backend: str) -> None:
    optimum = best_gap()[name]
    proves(here(backend), gap.to_milp(gap.read(require(gap.public(name)))), optimum)


@pytest.mark.slow
@pytest.mark.public_data
@pytest.mark.parametrize("backend", ["highs", *OTHERS])
@pytest.mark.parametrize("name", [*GAPS, *CHU, *CHU_SLOW])
def test_no_backend_contradicts_an_optimum_of_generalised_assignment(
    name: str, backend: str
) -> None:
    optimum = best_gap()[name]
    seconds = 60.0 if backend == "highs" else 10.0
    brackets(here(backend), gap.to_milp(gap.read(require(gap.public(name)))), optimum, seconds)


@pytest.mark.public_data
@pytest.mark.parametrize("backend", ["highs", *OTHERS])
def test_optima_of_knapsacks(backend: str) -> None:
    needs(mknap.PUBLIC)
    problems = mknap.read(require(mknap.PUBLIC))
    optima = [(problem.optimum or 0) / problem.scale for problem in problems]
    assert optima == [3800, 8706.1, 4015, 6120, 12400, 10618, 16537]
    for problem in problems if backend == "highs" else problems[:5]:
        assert problem.optimum is not None
        proves(here(backend), mknap.to_milp(problem), -problem.optimum)


@cache
def best_packing() -> dict[str, int]:
    """Proved optimum of each public packing, by its name in the archive."""
    needs(vbp.PUBLIC)
    table = require(vbp.PUBLIC).parent / "reference_values.csv"
    with table.open(encoding="utf-8") as file:
        return {
            f"{row['benchmark']}/{row['instance']}.vbp": int(row["proved_optimum"])
            for row in csv.DictReader(file)
            if row["proved_optimum"]
        }


QUICK = [
    f"{family}_20_3_{i}.vbp"
    for family in ("New/class1", "New/class2", "Panigrahy/class1", "Panigrahy/class4")
    for i in range(5)
]


@pytest.mark.public_data
@pytest.mark.parametrize("name", QUICK)
def test_optima_of_bin_packing(name: str) -> None:
    optimum = best_packing()[name]
    packing = vbp.read_member(require(vbp.PUBLIC), name)
    assert vbp.first_fit(packing) >= optimum
    proves("highs", vbp.to_milp(packing), optimum)


@pytest.mark.public_data
@pytest.mark.parametrize("backend", OTHERS)
def test_optima_of_bin_packing_by_others(backend: str) -> None:
    for name in ("New/class2_20_3_0.vbp", "Panigrahy/class4_20_3_1.vbp"):
        optimum = best_packing()[name]
        packing = vbp.read_member(require(vbp.PUBLIC), name)
        proves(here(backend), vbp.to_milp(packing), optimum)


@pytest.mark.slow
@pytest.mark.public_data
def test_highs_contradicts_no_optimum_of_bin_packing() -> None:
    for name, optimum in best_packing().items():
        packing = vbp.read_member(require(vbp.PUBLIC), name)
        brackets("highs", vbp.to_milp(packing), optimum, 10.0)
