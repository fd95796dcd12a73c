"""The exact planner on the counts formulation: gap after a minute, and gangs that count closes."""

from collections.abc import Iterator
from statistics import median
from time import perf_counter

import numpy as np

from gangplan.datasets.generate import generate
from gangplan.experiments.figures.line import THREADS, Line
from gangplan.models.columns import (
    GANG,
    Groups,
    Nodes,
    Roles,
    no_composites,
    no_leaving,
    no_shared,
)
from gangplan.models.instance import Instance
from gangplan.models.names import Names
from gangplan.models.topology import no_levels, no_rules
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact

SEEDS = (1, 2, 3, 4, 5)

SECONDS = 60.0


def counts_128() -> Iterator[Line]:
    """128 nodes and 60 groups: counts with the greedy start, five instances, 60 s each."""
    gaps = []
    for seed in SEEDS:
        instance = generate("training", nodes=128, groups=60, seed=seed)
        begin = perf_counter()
        limits = Limits(seconds=SECONDS, threads=THREADS, seed=seed)
        result = Exact(objective="weighted-gpus").plan(instance, limits)
        report = result.tiers[0]
        line = Line(
            f"counts 128/60, seed {seed}",
            perf_counter() - begin,
            report.value,
            report.bound,
            f"{result.stop}, {report.proof}",
        )
        gaps.append(line.gap or 0.0)
        yield line
    yield Line("counts 128/60, median gap", 0.0, note=f"{100 * median(gaps):.3f} %")


def thousand_pods() -> Iterator[Line]:
    """Plan one gang of 1,000 pods on 200 equal nodes, default objective, proof included."""
    instance = one_gang(pods=1000, nodes=200)
    begin = perf_counter()
    result = Exact().plan(instance, Limits(seconds=30.0, threads=THREADS))
    report = result.tiers[0]
    proofs = sorted({tier.proof for tier in result.tiers})
    yield Line(
        "1,000-pod gang, 200 equal nodes",
        perf_counter() - begin,
        report.value,
        report.bound,
        f"{result.stop}, {' and '.join(proofs)}",
    )


def one_gang(pods: int, nodes: int) -> Instance:
    """Make one rigid gang of one-GPU pods on equal nodes of 8 GPUs."""
    return Instance(
        nodes=Nodes(
            np.tile([128_000, 8, 110], (nodes, 1)),
            np.zeros(nodes, dtype=np.int64),
            np.ones(nodes, dtype=np.bool_),
        ),
        topology=no_levels(nodes),
        roles=Roles(
            group=np.array([0]),
            request=np.array([[12_000, 1, 1]]),
            wanted=np.array([pods]),
            minimum=np.array([0]),
            running=np.array([0]),
            eligible=np.ones((1, 1), dtype=np.bool_),
            devices=np.array([1]),
            share=np.array([0]),
            whole=np.array([0]),
        ),
        groups=Groups(
            priority=np.array([0]),
            kind=np.array([GANG]),
            minimum=np.array([pods]),
            running=np.array([0]),
            held=np.array([False]),
            age=np.array([0]),
            parent=np.array([-1]),
        ),
        composites=no_composites(),
        rules=no_rules(),
        shared=no_shared(),
        leaving=no_leaving(3),
        names=Names(
            nodes=tuple(f"n{i}" for i in range(nodes)),
            resources=("cpu", "nvidia.com/gpu", "pods"),
            groups=("bench/gang",),
            roles=("",),
            pods=tuple(f"bench/gang-{i}" for i in range(pods)),
            held=("",),
        ),
        device_columns=(1,),
    )
