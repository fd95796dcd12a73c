r"""The frame with the prices of like vertices tied: far fewer rows and columns, and a valid start.

Rows of one kind at vertices that are tied are added up, and columns that are then equal become one
(``A_tied = M A``, so its duals z are multipliers ``y = M'z`` of the frame, equal where rows are
tied). Any such y bounds the frame, so nothing here has to be exact; how far the prices of a cluster
differ from vertex to vertex decides how much is lost, and with every vertex for itself nothing is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from gangplan.models.arrays import Floats, Ints
from gangplan.models.milp import Milp
from gangplan.models.patterns.formulation import Chosen
from gangplan.models.patterns.priced import Frame
from gangplan.models.patterns.supply import slots_below
from gangplan.models.shapes.tree import Tree

TOLERANCE = 1e-7
"""A pattern with a reduced cost above -TOLERANCE is no news to the master."""

TYPES = 2
"""Weight of the number of types beside that of one shape, where vertices are compared."""

SEED = 20
"""Of the numbers that tell columns and rows apart; whatever they are, the bound holds."""


def clusters(frame: Frame, most: int) -> Ints:
    """(V,) a cluster for each vertex, at most ``most`` clusters at each depth of the tree.

    Vertices are like by the pods of each shape that they could hold, each beside the most of its
    depth, and by how many types may be there. The vertex that is least like any of the clusters so
    far begins a new one (Gonzalez 1985).
    """
    tree = frame.model.tree
    below = slots_below(frame.model.shapes, tree, frame.classes).astype(np.float64)
    types = np.bincount(frame.model.option[:, 1], minlength=len(tree)).astype(np.float64)
    depth = _depths(tree)
    cluster = np.zeros(len(tree), dtype=np.int64)
    first = 0
    for level in range(int(depth.max()) + 1):
        mine = np.flatnonzero(depth == level)
        like = np.column_stack([below[mine], TYPES * types[mine]])
        like[:, :-1] /= np.maximum(below[mine].max(axis=0), 1)
        like[:, -1] /= max(types[mine].max(), 1)
        of = np.arange(len(mine)) if most >= len(mine) else _nearest(like, most)
        cluster[mine] = first + of
        first += int(of.max()) + 1
    return cluster


def _nearest(points: Floats, most: int) -> Ints:
    """(n,) number of the centre that each point (n, d) is nearest to; at most ``most`` centres."""
    of = np.zeros(len(points), dtype=np.int64)
    nearest = np.full(len(points), np.inf)
    for k in range(most):
        centre = int(nearest.argmax())
        if nearest[centre] <= 0:
            break
        away = ((points - points[centre]) ** 2).sum(axis=1)
        closer = away < nearest
        nearest[closer], of[closer] = away[closer], k
    return of


def _depths(tree: Tree) -> Ints:
    depth = np.zeros(len(tree), dtype=np.int64)
    for v in range(1, len(tree)):
        depth[v] = depth[tree.parent[v]] + 1
    return depth


@dataclass(slots=True, eq=False)
class Tied:
    """A master problem over tied rows, with the pattern columns found so far.

    Attributes
    ----------
    milp : the tied frame, no pattern in it; without integer columns.
    of_row : (m,) tied row of each row of the frame.
    of_class : (C,) tied class of each class.
    kind, size : (T,) of each tied class. row : (T, S) its rows of patterns.supply, or -1.
    known : numbers of the patterns that have a column, of each tied class.
    """

    frame: Frame
    milp: Milp
    of_row: Ints
    of_class: Ints
    kind: Ints
    size: Ints
    row: Ints
    known: list[set[int]]

    def add(self, chosen: Chosen) -> None:
        """Add patterns of each class of the frame."""
        for t, numbers in zip(self.of_class.tolist(), chosen, strict=True):
            self.known[t].update(numbers.tolist())

    def chosen(self) -> Chosen:
        """Patterns that have a column, of each class of the frame."""
        known = [np.array(sorted(numbers), dtype=np.int64) for numbers in self.known]
        return [known[t] for t in self.of_class.tolist()]

    def duals(self, tied: Floats) -> Floats:
        """(m,) duals of the frame's rows from those of the tied rows."""
        spread: Floats = tied[self.of_row]
        return spread

    def begin(self) -> None:
        """Add the best patterns at prices to begin with."""
        for prices in first_prices(self.frame):
            mu = np.tile(prices, (len(self.kind), 1))
            self._price(mu, np.full(len(mu), -np.inf))

    def price(self, duals: Floats) -> int:
        """Add the best pattern of each tied class where its reduced cost is negative.

        Parameters
        ----------
        duals : of the tied rows.

        Returns
        -------
        How many were added.
        """
        mu = np.where(self.row >= 0, -duals[self.row], 0.0)
        return self._price(mu, -duals[: len(mu)])

    def _price(self, mu: Floats, above: Floats) -> int:
        """Add each tied class's best pattern at prices (T, S) where it is worth more than that."""
        added = 0
        for k, patterns in enumerate(self.frame.kinds):
            mine = np.flatnonzero(self.kind == k)
            worth = mu[mine] @ patterns.T.astype(np.float64)
            best = worth.argmax(axis=1)
            news = worth[np.arange(len(mine)), best] > above[mine] + TOLERANCE
            for t, p in zip(mine[news].tolist(), best[news].tolist(), strict=True):
                added += p not in self.known[t]
                self.known[t].add(p)
        return added

    def master(self) -> Milp:
        """Write the tied linear program with all patterns that are known."""
        none = np.zeros(0, dtype=np.int64)
        row, col, coef, upper = [none], [none], [none], [none]
        n = 0
        for t, numbers in enumerate(self.known):
            p = self.frame.kinds[int(self.kind[t])][sorted(numbers)]
            at, s = np.nonzero(p * (self.row[t] >= 0))
            row += [self.row[t, s], np.full(len(p), t)]
            col += [n + at, n + np.arange(len(p))]
            coef += [-p[at, s], np.ones(len(p), dtype=np.int64)]
            upper.append(np.full(len(p), self.size[t]))
            n += len(p)
        entries = np.concatenate(coef), (np.concatenate(row), np.concatenate(col))
        columns = sparse.coo_array(entries, shape=(self.milp.n_rows, n)).astype(np.float64)
        base = self.milp
        return replace(
            base,
            cost=np.concatenate([base.cost, np.zeros(n)]),
            lower=np.concatenate([base.lower, np.zeros(n)]),
            upper=np.concatenate([base.upper, *upper]).astype(np.float64),
            integer=np.zeros(base.n_cols + n, dtype=np.bool_),
            matrix=sparse.csr_array(sparse.hstack([base.matrix, columns], format="csr")),
            col_blocks={},
        )


def tied(frame: Frame, milp: Milp, cluster: Ints) -> Tied:
    """Tie the rows of the vertices of each cluster.

    Parameters
    ----------
    milp : the frame's rows, perhaps more after them, and a cost.
    """
    n_shapes = frame.row.shape[1]
    vertex = cluster[frame.classes.vertex]
    _, of_class = np.unique(np.column_stack([frame.kind, vertex]), axis=0, return_inverse=True)
    of_class = of_class.reshape(-1)
    n_classes = int(of_class.max(initial=-1)) + 1
    slot = frame.model.slot
    cell, of_slot = np.unique(cluster[slot[:, 0]] * n_shapes + slot[:, 1], return_inverse=True)
    last = len(of_class) + len(slot)
    others = _alike_rows(frame, milp, cluster)[last:]
    _, of_other = np.unique(others, return_inverse=True)
    of_slot, of_other = of_slot.reshape(-1) + n_classes, of_other.reshape(-1)
    of_row = np.concatenate([of_class, of_slot, of_other + n_classes + len(cell)])
    head = np.zeros(n_classes, dtype=np.int64)
    head[of_class] = np.arange(len(of_class))
    row = np.full((int(cluster.max()) + 1, n_shapes), -1, dtype=np.int64)
    row[cell // n_shapes, cell % n_shapes] = n_classes + np.arange(len(cell))
    size = np.bincount(of_class, weights=frame.classes.size, minlength=n_classes)
    return Tied(
        frame, _added(milp, of_row), of_row, of_class, frame.kind[head], size.astype(np.int64),
        row[vertex[head]], [set() for _ in range(n_classes)],
    )  # fmt: skip


def _alike_rows(frame: Frame, milp: Milp, cluster: Ints) -> Ints:
    """(m,) equal numbers for rows that are equal once columns at tied vertices are one.

    Sums of random numbers stand for the contents; they wrap around on purpose.
    """
    model = frame.model
    vertex = cluster[model.option[:, 1]] if len(model.option) else np.zeros(0, dtype=np.int64)
    option = np.column_stack([model.option[:, 0], vertex])
    part = np.column_stack([option[model.part[:, 0]], model.part[:, 1]])
    key = np.arange(milp.n_cols, dtype=np.int64)
    for block, table in ((model.t.cols, option), (model.x.cols, part)):
        if len(table):
            _, first, of = np.unique(table, axis=0, return_index=True, return_inverse=True)
            key[block] = block[first[of.reshape(-1)]]
    random = np.random.default_rng(SEED).integers(1, 2**31, milp.n_cols)
    total = milp.matrix.astype(np.int64) @ random[key]
    block = np.zeros(milp.n_rows, dtype=np.int64)
    for b, (start, _) in enumerate(sorted(milp.row_blocks.values())):
        block[start:] = b
    _, alike = np.unique(np.column_stack([block, total]), axis=0, return_inverse=True)
    return alike.reshape(-1).astype(np.int64)


def _added(milp: Milp, of_row: Ints) -> Milp:
    """Add rows up, and make one column of those that are then equal."""
    m, n_rows = len(of_row), int(of_row.max(initial=-1)) + 1
    ones = np.ones(m), (of_row, np.arange(m))
    added = sparse.csr_array(ones, shape=(n_rows, m)) @ milp.matrix
    random = np.random.default_rng(SEED).integers(1, 2**31, n_rows)
    contents = sparse.csr_array(added.T).astype(np.int64) @ random
    table = np.column_stack([contents, milp.cost.astype(np.int64)])
    _, first, of = np.unique(table, axis=0, return_index=True, return_inverse=True)
    of = of.reshape(-1)
    return replace(
        milp,
        cost=milp.cost[first],
        lower=_sums(milp.lower, of, len(first)),
        upper=_sums(milp.upper, of, len(first)),
        integer=np.zeros(len(first), dtype=np.bool_),
        matrix=sparse.csr_array(added.tocsc()[:, first]),
        row_lower=_sums(milp.row_lower, of_row, n_rows),
        row_upper=_sums(milp.row_upper, of_row, n_rows),
        offset=0,
        col_blocks={},
        row_blocks={},
    )


def _sums(values: Floats, of: Ints, n: int) -> Floats:
    """(n,) sums of the values that belong to each number."""
    total = np.zeros(n)
    np.add.at(total, of, values)
    return total


def first_prices(frame: Frame) -> Sequence[Floats]:
    """Prices (S,) to begin with: by the scarcest part of what a pod asks, and each shape alone."""
    request = frame.model.shapes.request.astype(np.float64)
    size = (request / np.maximum(request.max(axis=0), 1)).max(axis=1, initial=0.0) + 1e-3
    alone = np.eye(len(size)) + 1e-3 * size[None, :]
    return [size, size**2, np.sqrt(size), *alone]
