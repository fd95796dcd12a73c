"""Compare planners, solvers and formulations on one instance, within the same limits."""

from collections.abc import Callable, Sequence

from gangplan.experiments.cells import Cell, blank, cannot_run
from gangplan.experiments.executors import Executor, Processes
from gangplan.experiments.records import SKIPPED, Record
from gangplan.experiments.sources import Given
from gangplan.experiments.spec import choices
from gangplan.models.instance import Instance
from gangplan.solvers.base import Limits

Progress = Callable[[int, int, str], None]
"""Called with runs done, runs in all, and the run that is about to begin."""


def compare(
    instance: Instance,
    *,
    planners: Sequence[str] = ("greedy", "exact"),
    solvers: Sequence[str] = ("highs",),
    formulations: Sequence[str] = ("",),
    objective: str = "groups",
    preemption: Sequence[bool] = (True,),
    pdb: str = "soft",
    limits: Limits | None = None,
    label: str = "instance",
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> tuple[Record, ...]:
    """Run every combination, one after the other, each in a process of its own.

    Parameters
    ----------
    solvers : those that are known but not installed become skipped records.
    preemption : (True, False) runs each with and without evictions, side by side.
    pdb : see ``gangplan.models.restrict.PDB``.
    label : of the instance, for tables.

    Returns
    -------
    One record a combination, in the order given: planners, formulations, solvers, preemption;
    a planner without a choice of solver or formulation comes once.

    Raises
    ------
    InputError : an unknown planner, solver, formulation or objective, or an empty list.
    """
    specs = choices(planners, solvers, formulations, (objective,), preemption, (pdb,))
    within = limits or Limits()
    cells = [Cell("compare", Given(instance, label), spec, within) for spec in specs]
    ready = [cell for cell in cells if not cannot_run(cell)]
    if progress is not None and ready:
        progress(0, len(ready), ready[0].label)
    found: dict[int, Record] = {}
    for done, (cell, record) in enumerate((executor or Processes()).run(ready), 1):
        found[id(cell)] = record
        if progress is not None and done < len(ready):
            progress(done, len(ready), ready[done].label)
    digest = instance.digest()
    return tuple(
        found.get(id(cell)) or blank(cell, digest, SKIPPED, cannot_run(cell)) for cell in cells
    )
