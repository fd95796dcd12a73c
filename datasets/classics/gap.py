"""Generalised assignment (OR-Library; Cattrysse 1994, Chu and Beasley 1997).

Every job goes to one agent; an agent's jobs fit its capacity. This variant minimises, as the
repository fontanf/generalizedassignmentsolver has it; the literature states gap1 to gap12 as
maximisation.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gangplan.datasets.classics.numbers import Numbers, numbers_of
from gangplan.datasets.traces.folder import Public
from gangplan.models.arrays import Ints
from gangplan.models.milp import Columns, Milp, build, row_block


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """Agents i in 0..I-1, jobs j in 0..J-1.

    Attributes
    ----------
    cost, weight : (I, J) of job j on agent i.
    capacity : (I,).
    """

    cost: Ints
    weight: Ints
    capacity: Ints


def public(name: str) -> Public:
    """Return the public file of an instance, ``gap1-0``, ``a05100``, ..."""
    folder = "cattrysse1994" if name.startswith("gap") else "chu1997"
    return Public(
        f"gap-orlib/{name}", "fontanf/generalizedassignmentsolver", f"data/{folder}/{name}"
    )


def read(path: Path) -> Gap:
    """Read ``I J``, costs and weights agent by agent, capacities.

    Raises
    ------
    InputError : the file and line of what is wrong.
    """
    numbers = numbers_of(path)
    agents = numbers.whole("the number of agents", 1, 10_000)
    jobs = numbers.whole("the number of jobs", 1, 100_000)
    cost = _table(numbers, agents, jobs, "a cost")
    weight = _table(numbers, agents, jobs, "a weight")
    capacity = np.array(numbers.wholes(agents, "a capacity"), dtype=np.int64)
    numbers.end()
    return Gap(cost, weight, capacity)


def _table(numbers: Numbers, rows: int, columns: int, what: str) -> Ints:
    flat = numbers.wholes(rows * columns, what)
    return np.array(flat, dtype=np.int64).reshape(rows, columns)


def to_milp(gap: Gap) -> Milp:
    """Write the textbook model.

    ::

        min sum_ij c_ij x_ij,   sum_i x_ij = 1,   sum_j w_ij x_ij <= b_i,   x binary
    """
    agents, jobs = gap.cost.shape
    columns = Columns()
    # A job too heavy for an agent never goes there.
    x = columns.add("x", 0, gap.weight <= gap.capacity[:, None]).cols
    each = np.broadcast_to(np.arange(jobs), x.shape)
    agent = np.broadcast_to(np.arange(agents)[:, None], x.shape)
    rows = [
        row_block("assign.once", each, x, 1, 1, 1, jobs),
        row_block("capacity.agent", agent, x, gap.weight.ravel(), -np.inf, gap.capacity, agents),
    ]
    return build(columns, rows).with_cost(gap.cost.ravel())
