"""The process of a solver: how soon it answers, takes a big model, and ends at its limit."""

from collections.abc import Iterator
from statistics import median
from time import perf_counter

import numpy as np

from gangplan.datasets.generate import generate
from gangplan.experiments.figures.line import SEED, THREADS, Line
from gangplan.models.arrays import Ints
from gangplan.models.counts.decode import encode
from gangplan.models.counts.formulation import build, tier_cost
from gangplan.models.milp import Columns, Milp, row_block
from gangplan.models.milp import build as assemble
from gangplan.models.tiers import tiers_of
from gangplan.solvers.base import Limits, Outcome, Solver, relaxes
from gangplan.solvers.planners.greedy import greedy_plan
from gangplan.solvers.registry import BACKENDS, available, get

ANSWERS = 50

HANDOVERS = 5

LIMIT = 10.0

ROLES = 200


def warm_worker() -> Iterator[Line]:
    """Ask a worker that is warm for a small model, fifty times; the median."""
    solver = get("highs")
    milp = pods_on_nodes(roles=1, nodes=3)
    limits = Limits(seconds=10.0, threads=THREADS)
    solver.solve(milp, limits)
    seconds = [_clocked(solver, milp, limits)[0] for _ in range(ANSWERS)]
    yield Line(
        f"warm worker, {milp.n_rows} rows",
        median(seconds),
        note=f"median of {ANSWERS}, slowest {max(seconds):.4f} s",
    )


def handover_400k() -> Iterator[Line]:
    """Hand 400,000 columns over to HiGHS."""
    yield handover(roles=ROLES, nodes=2_000)


def handover(roles: int, nodes: int) -> Line:
    """From the model in our process to HiGHS that has it in its own; the median.

    Without a cost, so that it is solved at once: who is killed tells no clock.
    """
    solver = get("highs")
    milp = pods_on_nodes(roles, nodes).with_cost(np.zeros(roles * nodes))
    limits = Limits(seconds=60.0, threads=THREADS)
    taken = [solver.solve(milp, limits).handover_seconds for _ in range(HANDOVERS)]
    return Line(
        f"hand-over, {milp.n_cols:,} columns",
        median(taken),
        note=f"{milp.n_rows:,} rows, {milp.matrix.nnz:,} entries; median of {HANDOVERS}, "
        f"slowest {max(taken):.3f} s",
    )


def overshoot_1024() -> Iterator[Line]:
    """Stop at 10 s on 1,024 nodes and 300 groups with greedy's start: every backend there is."""
    milp, start = searched_1024()
    size = f"{milp.n_cols:,} columns"
    for info in available():
        if info.name in BACKENDS and info.available:
            solver = get(info.name)
            yield _stopped(f"{info.name}, {size}", solver, milp, start)
            if relaxes(solver):
                yield _stopped(f"{info.name}, its relaxation", solver, milp.relaxed(), None)


def searched_1024() -> tuple[Milp, Ints]:
    """Write the weighted GPUs of the 1,024-node cluster, and greedy's plan as a start."""
    instance = generate("training", nodes=1024, groups=300, seed=SEED)
    tiers = tiers_of(instance, "weighted-gpus")
    model = build(instance)
    plan = greedy_plan(instance, tiers, 1.0)
    return model.milp.with_cost(*tier_cost(model, tiers[0])), encode(model, plan)


def _stopped(what: str, solver: Solver, milp: Milp, start: Ints | None) -> Line:
    """Solve up to the limit; the seconds are those from the hand-over on."""
    limits = Limits(seconds=LIMIT, threads=THREADS)
    spent, outcome = _clocked(solver, milp, limits, start)
    kept = "" if start is None else f", start worth {-milp.objective(start):,}"
    peak = "" if outcome.peak_memory is None else f", peak {outcome.peak_memory / 2**20:.0f} MiB"
    return Line(
        f"10 s limit: {what}",
        min(spent, LIMIT + outcome.overshoot),
        None if outcome.x is None else -round(float(milp.cost @ outcome.x) + milp.offset),
        note=f"{outcome.overshoot:.2f} s too long; {outcome.stop.value}{kept}{peak}",
    )


def _clocked(
    solver: Solver, milp: Milp, limits: Limits, start: Ints | None = None
) -> tuple[float, Outcome]:
    begin = perf_counter()
    outcome = solver.solve(milp, limits, start=start)
    return perf_counter() - begin, outcome


def pods_on_nodes(roles: int, nodes: int) -> Milp:
    """Write a model of the shape that counts gives: three resources a node, a total a role."""
    rng = np.random.default_rng(SEED)
    columns = Columns()
    x = columns.add("x", 0, np.full((roles, nodes), 8)).cols.ravel()
    role, node = np.divmod(np.arange(x.size), nodes)
    rows = [
        row_block(f"capacity.{name}", node, x, need[role], -np.inf, room, nodes)
        for name, need, room in (
            ("cpu", rng.integers(1, 64, roles), 128),
            ("gpu", rng.integers(1, 8, roles), 8),
            ("pods", np.ones(roles, dtype=np.int64), 110),
        )
    ]
    rows.append(row_block("gang.wanted", role, x, 1, -np.inf, 100, roles))
    return assemble(columns, rows).with_cost(-np.ones(x.size))
