"""Writing the model: numpy blocks against the same rows as PuLP expressions."""

from collections.abc import Iterator
from time import perf_counter

from gangplan.datasets.generate import generate
from gangplan.experiments.figures.line import SEED, Line
from gangplan.experiments.pulp_rows import pulp_rows
from gangplan.models.counts.formulation import build

REPEATS = 3


def build_128() -> Iterator[Line]:
    """Build the counts model of 128 nodes and 60 groups, best of three, and the ratio."""
    instance = generate("training", nodes=128, groups=60, seed=SEED)
    build(instance)  # imports and caches are not what is measured
    ours = []
    for _ in range(REPEATS):
        begin = perf_counter()
        milp = build(instance).milp
        ours.append(perf_counter() - begin)
    theirs = []
    for _ in range(REPEATS):
        begin = perf_counter()
        pulp_rows(milp)
        theirs.append(perf_counter() - begin)
    size = f"{milp.n_cols} columns, {milp.n_rows} rows, {milp.matrix.nnz} entries"
    yield Line("build counts 128/60, numpy blocks", min(ours), note=size)
    yield Line("build counts 128/60, PuLP expressions", min(theirs), note="the same rows")
    yield Line("build counts 128/60, ratio", 0.0, note=f"{min(theirs) / min(ours):.1f}x")
