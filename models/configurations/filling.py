"""Fillings: what the nodes of one place can hold together, exactly.

A node holds one of its patterns, or a part of it. The sums of one pattern a node, the dominated
ones left out, are all that a place can hold, and the sums on the way say which node gives what.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.errors import FormulationError, PlanError

STEPS = 50_000
"""Sums of patterns looked at, over all kinds of places; about a second."""

LOOKED = 500
"""Rows that one step looks at."""


@dataclass(slots=True)
class Steps:
    """What is left of STEPS."""

    left: int = field(default_factory=lambda: STEPS)

    def spend(self, steps: int) -> None:
        """Count steps.

        Raises
        ------
        FormulationError : none is left.
        """
        self.left -= steps
        if self.left < 0:
            raise FormulationError(
                f"more ways to fill a domain than can be listed (limit {STEPS:,} sums)"
            )


@dataclass(frozen=True, slots=True, eq=False)
class Filling:
    """One place: its nodes in turn, and the sums of patterns after each turn.

    Attributes
    ----------
    turns : (patterns (P, S), nodes) of each turn; several nodes where there is one pattern only.
    sums : (W, S) undominated sums before the first turn (nothing), after it, ... after the last.
        Nodes after the last turn add nothing that is asked for.
    """

    turns: tuple[tuple[Ints, int], ...]
    sums: tuple[Ints, ...]

    @property
    def holds(self) -> Ints:
        """(W, S) pods of each shape: what is within one of the rows fits, and nothing else."""
        return self.sums[-1]

    def pack(self, pods: Ints) -> list[Ints]:
        """Return the pods (S,) that each node takes, in the order of the turns.

        Raises
        ------
        PlanError : they do not fit.
        """
        taken: list[Ints] = []
        left = pods
        for (patterns, nodes), before in zip(self.turns[::-1], self.sums[-2::-1], strict=True):
            rest = np.maximum(left - nodes * patterns, 0)
            fits = (before[None, :, :] >= rest[:, None, :]).all(axis=2).any(axis=1)
            if not fits.any():
                raise PlanError("a domain was given more than it holds")
            best = int(np.flatnonzero(fits)[0])
            mine, turn = left - rest[best], []
            for _ in range(nodes):
                turn.append(np.minimum(mine, patterns[best]))
                mine = mine - turn[-1]
            taken += turn[::-1]
            left = rest[best]
        if left.any():
            raise PlanError("a domain was given more than it holds")
        return taken[::-1]


def fill(kinds: Sequence[tuple[Ints, int]], most: Ints, steps: Steps) -> Filling:
    """Sum the patterns of a place.

    Parameters
    ----------
    kinds : maximal patterns (P, S) of equal nodes, and how many there are.
    most : (S,) no more pods of a shape are ever asked for; 0 for shapes without one here.

    Raises
    ------
    FormulationError : more sums than STEPS.
    """
    sums = [np.zeros((1, len(most)), dtype=np.int64)]
    turns: list[tuple[Ints, int]] = []
    for all_patterns, nodes in kinds:
        patterns = all_patterns
        if (patterns > most).any():
            patterns = undominated(np.minimum(patterns, most), steps)
        for _ in range(1 if len(patterns) == 1 else nodes):
            if (sums[-1][0] >= most).all():
                break
            times = nodes if len(patterns) == 1 else 1
            if len(sums[-1]) * len(patterns) > steps.left:
                steps.spend(steps.left + 1)
            added = (sums[-1][:, None, :] + times * patterns[None, :, :]).reshape(-1, len(most))
            sums.append(undominated(np.minimum(added, most), steps))
            turns.append((patterns, times))
    return Filling(tuple(turns), tuple(sums))


def undominated(rows: Ints, steps: Steps) -> Ints:
    """(W, S) the rows that no other row covers, in order, each once."""
    rows = np.unique(rows, axis=0)
    if len(rows) == 1:
        return rows
    # No row covers one with a larger sum.
    order = np.argsort(-rows.sum(axis=1), kind="stable")
    kept = np.zeros((0, rows.shape[1]), dtype=np.int64)
    keep: list[int] = []
    for i in order.tolist():
        steps.spend(1 + len(keep) // LOOKED)
        if not (kept >= rows[i]).all(axis=1).any():
            keep.append(i)
            kept = rows[keep]
    return rows[np.sort(np.array(keep, dtype=np.int64))]
