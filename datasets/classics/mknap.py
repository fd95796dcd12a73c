"""Multi-dimensional knapsack (OR-Library mknap1; Petersen 1967)."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import lcm
from pathlib import Path

import numpy as np

from gangplan.datasets.classics.numbers import Numbers, numbers_of
from gangplan.datasets.traces.folder import Public
from gangplan.models.arrays import Ints
from gangplan.models.milp import BIGGEST, Columns, Milp, build, row_block

PUBLIC = Public("mknap-orlib/mknap1.txt", "it23750760/Knapsack-GA", "mknap1.txt")
"""As carried by a public repository; the file is OR-Library's mknap1."""


@dataclass(frozen=True, slots=True, eq=False)
class Knapsack:
    """Items j in 0..J-1, dimensions i in 0..I-1; all in whole numbers.

    Attributes
    ----------
    profit : (J,) in units of 1 / ``scale``.
    weight : (I, J), and capacity : (I,); a dimension with decimals is scaled by itself.
    scale : what profits were multiplied by.
    optimum : as the file says, in units of 1 / ``scale``; None where it says 0 (unknown).
    """

    profit: Ints
    weight: Ints
    capacity: Ints
    scale: int
    optimum: int | None


def read(path: Path) -> tuple[Knapsack, ...]:
    """Read the number of problems, and each: ``J I optimum``, profits, weights, capacities.

    Raises
    ------
    InputError : the file and line of what is wrong.
    """
    numbers = numbers_of(path)
    count = numbers.whole("the number of problems", 1, 10_000)
    problems = tuple(_problem(numbers) for _ in range(count))
    numbers.end()
    return problems


def _problem(numbers: Numbers) -> Knapsack:
    items = numbers.whole("the number of items", 1, 100_000)
    dimensions = numbers.whole("the number of dimensions", 1, 10_000)
    optimum = numbers.exact("the optimum")
    profit = [numbers.exact("a profit") for _ in range(items)]
    weights = [[numbers.exact("a weight") for _ in range(items)] for _ in range(dimensions)]
    capacity = [numbers.exact("a capacity") for _ in range(dimensions)]
    if min([*profit, *capacity, *(w for row in weights for w in row)]) < 0:
        raise numbers.fault("a number below 0 in the problem that ends here")
    scale, values = _whole([optimum, *profit])
    rows = [_whole([*row, room])[1] for row, room in zip(weights, capacity, strict=True)]
    if max(map(abs, chain(values, *rows))) > BIGGEST:
        raise numbers.fault("too many decimals in the problem that ends here")
    table = np.array(rows, dtype=np.int64)
    return Knapsack(
        np.array(values[1:], dtype=np.int64),
        table[:, :-1],
        table[:, -1],
        scale,
        values[0] or None,
    )


def _whole(values: list[Fraction]) -> tuple[int, list[int]]:
    """Return the least scale that makes all values whole, and the values times it."""
    scale = lcm(*(value.denominator for value in values))
    return scale, [int(value * scale) for value in values]


def to_milp(knapsack: Knapsack) -> Milp:
    """Write the textbook model; its minimum is minus the best profit.

    ::

        max sum_j p_j x_j,   sum_j w_ij x_j <= b_i,   x binary
    """
    dimensions, items = knapsack.weight.shape
    columns = Columns()
    x = columns.add("x", np.zeros(items), 1).cols
    i, j = np.nonzero(knapsack.weight)
    weight = knapsack.weight[i, j]
    rows = [row_block("capacity.k", i, x[j], weight, -np.inf, knapsack.capacity, dimensions)]
    return build(columns, rows).with_cost(-knapsack.profit)
