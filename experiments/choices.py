"""Planners and their options, combined: what an experiment or a comparison runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from gangplan.checks import unknown
from gangplan.experiments import peers
from gangplan.models.errors import Fault, InputError
from gangplan.models.restrict import PDB, said
from gangplan.models.tiers import OBJECTIVES
from gangplan.solvers import registry


@dataclass(frozen=True, slots=True)
class PlannerSpec:
    """A planner and its options.

    Attributes
    ----------
    planner : a name of ``peers.planners()``.
    solver, formulation : empty where the planner has no such choice.
    objective : a name of ``gangplan.models.tiers.OBJECTIVES``.
    preemption, pdb : see ``gangplan.models.restrict``.
    """

    planner: str
    solver: str = ""
    formulation: str = ""
    objective: str = "groups"
    preemption: bool = True
    pdb: str = "soft"

    def options(self) -> dict[str, object]:
        """Options on evictions that are not the usual ones."""
        return said(preemption=self.preemption, pdb=self.pdb)

    def chosen(self) -> dict[str, object]:
        """Everything that tells this planner from others; what is usual says nothing."""
        fields = ("planner", "solver", "formulation", "objective")
        return {field: getattr(self, field) for field in fields} | self.options()


def choices(
    planners: Sequence[str],
    solvers: Sequence[str],
    formulations: Sequence[str],
    objectives: Sequence[str] = ("groups",),
    preemption: Sequence[bool] = (True,),
    pdb: Sequence[str] = ("soft",),
) -> tuple[PlannerSpec, ...]:
    """Combine names; a planner without a choice of solver or formulation comes once.

    An empty formulation is the planner's own (none for one that chooses).

    Raises
    ------
    InputError : an unknown planner, solver, formulation, objective or word for ``pdb``, or an empty
        list. A solver that is known but not installed is none: its cells are skipped.
    """
    known = {
        "planner": (planners, peers.planners()),
        "solver": (solvers, registry.solvers()),
        "formulation": (formulations, ("", *registry.formulations())),
        "objective": (objectives, OBJECTIVES),
        "pdb": (pdb, PDB),
    }
    faults = [
        unknown(kind, name, tuple(filter(None, good)))
        for kind, (names, good) in known.items()
        for name in names
        if name not in good
    ]
    for kind, (names, _) in known.items():
        if not names:
            faults.append(Fault("", f"{kind}s", "", "at least one expected"))
    if faults:
        raise InputError(faults)
    specs = [
        PlannerSpec(
            planner,
            solver if _chooses(planner, "solver") else "",
            _formulation(planner, formulation),
            objective,
            evicts,
            budgets,
        )
        for planner, formulation, solver, objective, evicts, budgets in product(
            planners, formulations, solvers, objectives, preemption, pdb
        )
    ]
    return tuple(dict.fromkeys(specs))


def _formulation(planner: str, name: str) -> str:
    """Return what a planner takes: the name, its own where that is empty, or none at all."""
    own: object = getattr(peers.get_planner(planner), "kind", None)
    return "" if own is None else name or str(own)


def _chooses(planner: str, option: str) -> bool:
    """Tell whether a planner has this option, by the attribute it keeps it in."""
    return hasattr(peers.get_planner(planner), option)
