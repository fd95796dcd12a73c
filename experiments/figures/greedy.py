"""Greedy alone: seconds, value and the bound by counting."""

from collections.abc import Iterator
from time import perf_counter

from gangplan.datasets.generate import generate
from gangplan.experiments.figures.line import SEED, Line
from gangplan.models.counting import ceilings
from gangplan.models.errors import PlanError
from gangplan.models.tiers import tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.planners.greedy import greedy_plan


def greedy_on(preset: str) -> Iterator[Line]:
    """Greedy alone on one preset, weighted-gpus; the plan is verified, the bound is counted."""
    instance = generate(preset, seed=SEED)
    tiers = tiers_of(instance, "weighted-gpus")
    size = f"{len(instance.nodes)} nodes, {len(instance.groups)} groups, {instance.n_pods} pods"
    for label, seconds in (("first run", 1e-9), ("runs of 1 s", 1.0)):
        start = perf_counter()
        plan = greedy_plan(instance, tiers, seconds)
        spent = perf_counter() - start
        if broken := check(instance, plan):
            raise PlanError(f"{preset}: greedy plan breaks a rule: {broken[0]}")
        value = values(instance, plan, tiers)[0]
        bound = ceilings(instance, tiers)[0]
        yield Line(f"greedy {preset}, {label}", spent, value, bound, size)


def greedy_training() -> Iterator[Line]:
    """Easy for a good greedy planner."""
    yield from greedy_on("training-5k")


def greedy_racks() -> Iterator[Line]:
    """Rack-bound gangs: bins that want exact filling."""
    yield from greedy_on("racks-5k")


def greedy_vectors() -> Iterator[Line]:
    """Vector packing: hard for everybody."""
    yield from greedy_on("vectors-512")
    yield from greedy_on("vectors-5k")
