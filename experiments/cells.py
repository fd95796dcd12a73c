"""Cells: the product of an experiment, each with a key that says whether it is known already."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib import metadata
from itertools import product

from gangplan.experiments import peers
from gangplan.experiments.records import DONE, Record
from gangplan.experiments.sources import Source
from gangplan.experiments.spec import Experiment, PlannerSpec
from gangplan.solvers import registry
from gangplan.solvers.base import Limits


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """One planner on one instance within one set of limits.

    Attributes
    ----------
    experiment : its name.
    source : of the instance.
    planner : what plans.
    limits : their seed is also that of the source.
    """

    experiment: str
    source: Source
    planner: PlannerSpec
    limits: Limits

    @property
    def label(self) -> str:
        """One line for people."""
        plan = self.planner
        how = "/".join(part for part in (plan.planner, plan.solver, plan.formulation) if part)
        more = "".join(f" {name}={value}" for name, value in plan.options().items())
        return f"{self.source.label} seed {self.limits.seed}: {how}{more}"


def cells(experiment: Experiment) -> Iterator[Cell]:
    """Expand each block: instance by instance, its seeds, its limits, then the planners."""
    for block in experiment.blocks:
        for source, seed, limits, planner in product(
            block.sources, block.seeds, block.limits, block.planners
        ):
            yield Cell(experiment.name, source, planner, replace(limits, seed=seed))


def digest(cell: Cell) -> str:
    """Digest of a cell's instance.

    Empty where it cannot be made here, for whatever reason: the cell's own process will say why.
    """
    with suppress(Exception):
        return cell.source.instance(cell.limits.seed).digest()
    return ""


def key(cell: Cell, digest: str) -> str:
    """Hex sha256 of what decides the outcome: instance, planner, limits, seed and versions.

    Parameters
    ----------
    digest : of the instance; of an instance that cannot be read, its label.
    """
    parts = {
        "instance": digest,
        "planner": cell.planner.chosen(),
        "limits": asdict(cell.limits),
        "versions": versions(cell.planner.solver, cell.planner.planner),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@lru_cache
def versions(solver: str, planner: str = "") -> dict[str, str]:
    """Return the versions of gangplan, the library behind a solver (if any) and a peer."""
    found = {"gangplan": metadata.version("gangplan"), **peers.versions(planner)}
    for info in registry.available():
        if info.name == solver:
            found[solver] = info.version or "not installed"
    return found


def blank(cell: Cell, digest: str = "", status: str = DONE, reason: str = "") -> Record:
    """Make the record of a cell before anything has run."""
    return Record(
        key=key(cell, digest or cell.source.label),
        experiment=cell.experiment,
        status=status,
        reason=reason,
        instance=f"{cell.source.label} seed {cell.limits.seed}",
        family=cell.source.label,
        digest=digest,
        planner=cell.planner.planner,
        solver=cell.planner.solver,
        formulation=cell.planner.formulation,
        objective=cell.planner.objective,
        preemption=cell.planner.preemption,
        pdb=cell.planner.pdb,
        time_limit=cell.limits.seconds,
        gap_limit=cell.limits.gap,
        threads=cell.limits.threads,
        memory_limit=cell.limits.memory,
        seed=cell.limits.seed,
        versions=versions(cell.planner.solver, cell.planner.planner),
    )


def cannot_run(cell: Cell) -> str:
    """Say why a cell cannot run here; empty where it can."""
    solver = cell.planner.solver
    if not solver:
        return peers.missing(cell.planner.planner)
    infos = {info.name: info for info in registry.available()}
    if solver not in infos:
        return f"no solver {solver!r} here: one of {', '.join(infos)}"
    return "" if infos[solver].available else infos[solver].reason
