"""The library's verbs: load an instance, plan it, verify it and its proofs, compare planners.

Readers and solvers are imported on first use.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from gangplan.checks import check_choices, check_solver, check_weights
from gangplan.models.errors import Fault, InputError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.restrict import as_planned, restricted, said
from gangplan.models.result import Result
from gangplan.models.status import PENDING, statuses
from gangplan.models.verify.violation import Violation
from gangplan.solvers.base import Limits, Progress, silent

if TYPE_CHECKING:
    from gangplan.datasets.kubernetes.text.documents import Document
    from gangplan.experiments.records import Record
    from gangplan.solvers.base import Planner, Solver
    from gangplan.solvers.planners.anytime.yesterday import Yesterday
    from gangplan.solvers.recheck import Recheck


def load(
    paths: str | Path | Sequence[str | Path],
    *,
    kubernetes: str = "1.37",
    levels: Sequence[str] = (),
    ignore_unsupported: bool = False,
    seen: "Callable[[Document], None] | None" = None,
) -> Instance:
    """Read an instance file, or Kubernetes manifests and ``kubectl get -o json`` lists.

    Parameters
    ----------
    paths : files, folders or ``-`` (standard input); one of them or several. An instance file
        (``gangplan/instance/v1``) stands alone.
    kubernetes : version whose rules a Job without pods follows: ``1.36`` or ``1.37``.
    levels : node-label keys that form one hierarchy, widest first.
    ignore_unsupported : plan groups although a hard rule of theirs is not honoured yet.
    seen : called with each API object before it is read; not with an instance file.

    Raises
    ------
    InputError : what cannot be read, one line a fault.
    """
    from gangplan.datasets import json_file
    from gangplan.datasets.io import INSTANCE_SCHEMA, PLAN_SCHEMA, read_instance

    sources = [str(paths)] if isinstance(paths, str | Path) else [str(path) for path in paths]
    if not all(sources) or not sources:
        raise InputError([Fault("", "", "", "no source given: a file, a folder or -")])
    for source in sources:
        schema = json_file.schema_of(source)
        if schema.startswith(PLAN_SCHEMA.rpartition("/")[0]):
            raise json_file.refuse(source, "", "a plan file, not a cluster")
        if schema.startswith(INSTANCE_SCHEMA.rpartition("/")[0]):
            if len(sources) > 1:
                raise json_file.refuse(source, "", "an instance file stands alone")
            return read_instance(source)
    from gangplan.datasets.kubernetes.read import read

    return read(
        sources,
        kubernetes=kubernetes,
        levels=levels,
        ignore_unsupported=ignore_unsupported,
        seen=seen,
    )


def plan(
    instance: Instance,
    planner: "str | Planner" = "auto",
    solver: str = "highs",
    objective: str = "groups",
    limits: Limits | None = None,
    *,
    formulation: str = "",
    weights: Mapping[int, int] | None = None,
    second_opinion: bool = False,
    preemption: bool = True,
    pdb: str = "soft",
    previous: Plan | str | Path | None = None,
    progress: Progress = silent,
) -> Result:
    """Plan an instance; the plan is verified before it is returned.

    Parameters
    ----------
    planner : a name of ``gangplan.solvers.registry.planners()``, or a planner of your own (it then
        brings its own solver and objective).
    solver : a name of ``gangplan.solvers.registry.available()``; ``greedy`` has no use for it.
    objective : ``groups``, ``gpus``, ``age`` or ``weighted-gpus``.
    limits : wall clock, gap, threads, seed. Default: ``Limits()``.
    formulation : not ``greedy``: a name of
        ``gangplan.solvers.registry.formulations()``. Default: their own.
    weights : ``weighted-gpus`` only: priority -> positive weight; default the priority itself.
    second_opinion : not ``greedy``: solve once more, another way, what only a search proves.
    preemption : False: nobody is evicted.
    pdb : ``soft``: victims beyond a PodDisruptionBudget count; ``hard``: there are none.
    previous : ``auto`` and ``anytime``: a plan to begin with, or the name of the plan file of
        another day; what of it still keeps the rules is where the search starts.
    progress : called with a word for the phase and the seconds used.

    Raises
    ------
    InputError : unknown planner, solver, objective, formulation or ``pdb``, or weights that do not
        fit.
    SolverError : the backend is not available or crashed.
    PlanError : the plan failed its own check, a bug in gangplan.
    """
    if isinstance(planner, str):
        check_choices(planner, solver, objective, formulation, pdb)
        check_weights(instance, objective, weights)
        # What is usual is no option: planners from outside need not know of it.
        options = said(preemption=preemption, pdb=pdb)
        if second_opinion:
            options["second_opinion"] = True
        if formulation:
            options["kind"] = formulation
        if previous is not None:
            options["previous"] = previous if isinstance(previous, Plan) else _by_names(previous)
        planner = _planner(planner, solver, objective, weights, options)
    result = planner.plan(instance, limits or Limits(), progress)
    instance = as_planned(instance, result.planner)
    if not type(planner).__module__.startswith("gangplan."):
        from gangplan.solvers.planners.refuse import refuse_broken, refuse_false_reports

        # Our own planners have checked theirs.
        refuse_broken(instance, result.plan, planner.name)
        refuse_false_reports(instance, result, planner.name)
    waiting = {g for g, s in enumerate(statuses(instance, result.plan)) if s == PENDING}
    if waiting <= result.reasons.keys():
        return result
    from gangplan.solvers.explain.reasons import reasons

    # A planner may know better why one group waits and have nothing to say about another.
    told = reasons(instance, result.plan, result.tiers)
    return replace(result, reasons={**told, **result.reasons})


def write_model(
    instance: Instance,
    path: str | Path,
    objective: str = "groups",
    *,
    formulation: str = "counts",
    weights: Mapping[int, int] | None = None,
    preemption: bool = True,
    pdb: str = "soft",
) -> None:
    """Write the model of the first tier as ``.mps`` or ``.lp``, for any other solver.

    It is to be minimised; a tier that counts what is wanted most stands in it negated.

    Raises
    ------
    InputError : unknown objective, formulation or ``pdb``, or weights that do not fit.
    GangplanError : another ending, a path that cannot be written, a full disk.
    """
    from gangplan.models.tiers import tiers_of
    from gangplan.solvers.export.first_tier import write_first_tier
    from gangplan.solvers.registry import formulation as kind

    check_choices("exact", "highs", objective, formulation, pdb)
    check_weights(instance, objective, weights)
    instance = restricted(instance, objective, preemption=preemption, pdb=pdb)
    tier = tiers_of(instance, objective, weights)[0]
    write_first_tier(instance, kind(formulation), tier, path)


def verify(instance: Instance, plan: Plan) -> tuple[Violation, ...]:
    """Check a plan against every rule, from (instance, plan) alone; empty when it keeps them."""
    from gangplan.models.verify.check import check

    return check(instance, plan)


def recheck(
    instance: Instance,
    result: Result | str | Path,
    solver: "str | Solver | None" = None,
    limits: Limits | None = None,
) -> "tuple[Recheck, ...]":
    """Re-check what is claimed to be proven: see ``gangplan.solvers.recheck``.

    Parameters
    ----------
    result : what a planner returned, or the name of its plan file.
    solver : who searches again, a name or your own; default: another one than made the claim.
    limits : seconds over all searches; counting and multipliers need none.

    Returns
    -------
    One verdict (``confirmed``, ``refuted`` or ``not settled``) a claim.

    Raises
    ------
    InputError : a plan file that cannot be read, or a solver that is unknown or not available.
    PlanError : the planner's objective is none, or the plan is of another shape.
    """
    from gangplan.datasets.io import read_result
    from gangplan.solvers import recheck as again
    from gangplan.solvers import registry

    if isinstance(solver, str):
        check_solver(solver)
        solver = registry.get(solver)
    if not isinstance(result, Result):
        result = read_result(str(result), instance)
    return again.recheck(instance, result, solver, limits)


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
) -> "tuple[Record, ...]":
    """Run every combination on one instance, each in a process of its own, one after the other.

    Parameters
    ----------
    planners, formulations : names of ``gangplan.solvers.registry``; a planner without a choice of
        solver or formulation comes once.
    solvers : names; one that is not available here is a skipped record with the reason.
    preemption : (True, False) runs each with and without evictions.
    pdb : as in ``plan``.
    limits : of each run. Default: ``Limits()``.

    Returns
    -------
    One record a combination, in the order given.

    Raises
    ------
    InputError : an unknown planner, formulation or objective, or an empty list.
    """
    # By name: experiments stand above this module, and use its neighbours.
    module = import_module("gangplan.experiments.compare")
    found: tuple[Record, ...] = module.compare(
        instance,
        planners=planners,
        solvers=solvers,
        formulations=formulations,
        objective=objective,
        preemption=preemption,
        pdb=pdb,
        limits=limits,
    )
    return found


def _by_names(path: str | Path) -> "Yesterday":
    """Read the plan file of another day."""
    from gangplan.datasets import json_file
    from gangplan.datasets.io import PLAN_SCHEMA
    from gangplan.solvers.planners.anytime.yesterday import from_document

    document = json_file.read_object(str(path))
    json_file.check_schema(str(path), document, PLAN_SCHEMA)
    if not isinstance(document.get("groups"), list):
        raise json_file.refuse(str(path), "groups", "a list expected")
    return from_document(document)


def _planner(
    name: str,
    solver: str,
    objective: str,
    weights: Mapping[int, int] | None,
    options: dict[str, object],
) -> "Planner":
    from gangplan.solvers import registry

    # Planners without a solver have no such option; asking one for another solver is an error.
    if name == "exact" or solver != "highs":
        options = {**options, "solver": solver}
    return registry.get_planner(name, objective=objective, weights=weights, **options)
