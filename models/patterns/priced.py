r"""Patterns priced instead of listed as columns: a bound that holds for all of them.

The rows do not depend on which patterns are columns. So take the model without any (the *frame*)
and multipliers mu[v, s] >= 0 of patterns.supply, and let the multiplier of patterns.class be

    tau_c = max over the patterns p of class c at v of  sum_s p_s mu[v, s]

exactly. Every pattern then has the reduced cost tau_c - sum_s p_s mu[v, s] >= 0, none of them
lowers the bound of ``models.bound``, and the bound of the frame is one of the whole model
(Lagrange; Farley 1990). It holds for any multipliers; who re-checks one prices the patterns again.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.bound import SCALE_BITS, evaluate, lagrangian, rounded, step
from gangplan.models.errors import FormulationError
from gangplan.models.formulation import WHOLE, Formulation
from gangplan.models.gone import without_units
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.patterns.formulation import Chosen, Model, build
from gangplan.models.patterns.layout import layout_of
from gangplan.models.plan import Plan
from gangplan.models.shapes.classes import Classes

WHOLE_NUMBERS = 2**53
"""Sums of integers below this are exact in float64, and a product of matrices is fast there."""

LARGEST = 2**62
"""Largest multiplier of a class."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A model without pattern columns, and the patterns that would be columns.

    Attributes
    ----------
    model : no pattern has a column; its rows come first in every Milp that is priced here.
    classes : with all their patterns.
    kinds : distinct lists of patterns (P_k, S). kind : (C,) which of them a class has.
    row : (V, S) row of patterns.supply; -1 where nobody takes a slot.
    handed : (V, S) slots of the shape may go up from the vertex.
    """

    model: Model
    classes: Classes
    kinds: tuple[Ints, ...]
    kind: Ints
    row: Ints
    handed: Flags

    def proof(self, milp: Milp, row_dual: Floats) -> tuple[int, Ints]:
        """Make a valid lower bound on the cost of ``milp`` from any vector of row duals.

        Parameters
        ----------
        milp : the frame's rows, perhaps more after them, and a cost.

        Returns
        -------
        bound : see ``bound.evaluate``.
        multipliers : (m,) in units of 2**-20; 0 for patterns.class.
        """
        y = rounded(milp, row_dual)
        y[: len(self.classes)] = 0
        mu = self.prices(-y)
        # A slot is worth at least what it is worth above: it may be handed up.
        for v in range(1, len(mu)):
            up = np.maximum(mu[v], mu[self.model.tree.parent[v]])
            mu[v] = np.where(self.handed[v], up, mu[v])
        there, raised = self.row >= 0, y.copy()
        raised[self.row[there]] = -mu[there]
        found = [(self.evaluate(milp, y), y)]
        if (raised != y).any():  # where flows are at their upper bounds it may have been better
            found.append((self.evaluate(milp, raised), raised))
        return max(found, key=lambda one: one[0])

    def evaluate(self, milp: Milp, multipliers: Ints) -> int:
        """Return the bound that the multipliers prove, all patterns priced; needs no solver.

        Multipliers of patterns.class are not read: they follow from the others.

        Raises
        ------
        FormulationError : see ``bound.lagrangian``; or a multiplier above LARGEST.
        """
        return evaluate(milp, self.settled(multipliers))

    def prices(self, y: Ints) -> Ints:
        """(V, S) entries of ``y`` (m,) that belong to patterns.supply; 0 where there is no row."""
        prices = np.zeros(self.row.shape, dtype=y.dtype)
        there = self.row >= 0
        prices[there] = y[self.row[there]]
        return prices

    def settled(self, multipliers: Ints) -> Ints:
        """Return the multipliers with those of patterns.class that leave no pattern negative."""
        y = np.array(multipliers, dtype=np.int64)
        mu = self.prices(-y)
        best = [0] * len(self.classes)
        for k, patterns in enumerate(self.kinds):
            mine = np.flatnonzero(self.kind == k)
            worth = worths(patterns, mu[self.classes.vertex[mine]])
            for c, value in zip(mine.tolist(), worth.max(axis=1).tolist(), strict=True):
                best[c] = max(0, int(value))
        if max(best, default=0) > LARGEST:
            raise FormulationError("a pattern is worth more than 2^42 of the objective's units")
        y[: len(best)] = -np.array(best, dtype=np.int64)
        return y

    def within(self, milp: Milp, multipliers: Ints, cost: int) -> Chosen:
        """Patterns that a point of the whole model may use if it costs less than ``cost``.

        For a point x of the model with all columns, its cost is at least L + sum_j d_j x_j, where L
        is the bound of the multipliers before it is rounded, and d_j >= 0 the reduced cost of
        pattern column j (the columns' own ends of the others are in L). Costs come in steps: a
        better one is at most B, the largest multiple of the step below ``cost``. So no such point
        uses a column with d_j > B - L, and the model with the other columns has every better one.
        """
        y, unit = self.settled(multipliers), step(milp.cost)
        below = (cost - milp.offset - 1) // unit * unit
        room = min((below << SCALE_BITS) - lagrangian(milp, y), LARGEST)
        mu = self.prices(-y)
        chosen: list[Ints] = []
        for c, k in enumerate(self.kind.tolist()):
            worth = worths(self.kinds[k], mu[self.classes.vertex[[c]]])[0]
            chosen.append(np.flatnonzero(-y[c] - worth <= room))
        return chosen

    def everything(self) -> Chosen:
        """Return all patterns of each class."""
        return [np.arange(len(patterns)) for patterns in self.classes.patterns]

    def covering(self, plan: Plan) -> Chosen:
        """Patterns, the first that will do, that hold the pods of each node of a plan."""
        instance, shapes = self.model.instance, self.model.shapes
        used = np.zeros((len(instance.nodes), len(shapes)), dtype=np.int64)
        pod = np.flatnonzero(plan.node >= 0)
        np.add.at(used, (plan.node[pod], shapes.of_role[instance.pod_role[pod]]), 1)
        chosen = []
        for patterns, nodes in zip(self.classes.patterns, self.classes.nodes, strict=True):
            mine = np.unique(used[nodes], axis=0)
            fits = [(patterns >= pods).all(axis=1) for pods in mine[mine.any(axis=1)]]
            chosen.append(np.unique([int(flags.argmax()) for flags in fits if flags.any()]))
        return [numbers.astype(np.int64) for numbers in chosen]

    def listed(self, chosen: Chosen) -> Model:
        """Write the model with these patterns as columns."""
        return build(self.model.instance, self.model.formulation, chosen)


def frame_of(instance: Instance, formulation: Formulation = WHOLE) -> Frame:
    """Write the frame.

    Raises
    ------
    FormulationError : see ``build``; units that can be evicted, whose columns are no patterns.
    """
    seen = instance if formulation.preemption else without_units(instance)
    classes = layout_of(seen).classes
    nothing = [np.zeros(0, dtype=np.int64)] * len(classes)
    model = build(instance, formulation, nothing)
    if model.leaving is not None:
        raise FormulationError("patterns of nodes with units that can be evicted are not priced")
    assert model.milp.row_blocks["patterns.class"] == (0, len(classes))
    number: dict[int, int] = {}
    kind = [number.setdefault(id(patterns), len(number)) for patterns in classes.patterns]
    kinds = {k: patterns for k, patterns in zip(kind, classes.patterns, strict=True)}
    shape = len(model.tree), len(model.shapes)
    row = np.full(shape, -1, dtype=np.int64)
    first, last = model.milp.row_blocks["patterns.supply"]
    row[model.slot[:, 0], model.slot[:, 1]] = np.arange(first, last)
    handed = np.zeros(shape, dtype=np.bool_)
    handed[model.flow[:, 0], model.flow[:, 1]] = True
    return Frame(
        model, classes, tuple(kinds[k] for k in range(len(kinds))),
        np.array(kind, dtype=np.int64), row, handed,
    )  # fmt: skip


def union(left: Chosen, right: Chosen) -> Chosen:
    """Return what either has of each class."""
    return [np.union1d(a, b).astype(np.int64) for a, b in zip(left, right, strict=True)]


def worths(patterns: Ints, prices: Ints) -> np.ndarray:
    """(B, P) exact worth of each pattern (P, S) at each of B prices (B, S), integers.

    In float64 while every sum is an integer below 2^53, which is exact; else Python's integers.
    """
    pods = int(patterns.sum(axis=1).max(initial=0))
    if pods * int(np.abs(prices).max(initial=0)) < WHOLE_NUMBERS:
        exact: np.ndarray = prices.astype(np.float64) @ patterns.T.astype(np.float64)
        return exact.astype(np.int64)
    whole: np.ndarray = prices.astype(object) @ patterns.T.astype(object)
    return whole
