"""Names and weights that callers give, refused before any work is done for them."""

from collections.abc import Mapping, Sequence

from gangplan.models.errors import Fault, InputError, PlanError
from gangplan.models.instance import Instance
from gangplan.models.restrict import PDB
from gangplan.models.tiers import OBJECTIVES, tiers_of


def check_choices(
    planner: str, solver: str, objective: str, formulation: str = "", pdb: str = "soft"
) -> None:
    """Refuse unknown names before any work is done for them.

    Raises
    ------
    InputError : an unknown planner, objective, formulation or ``pdb``, a formulation for a planner
        that writes no model, or a solver that is unknown or not available.
    """
    from gangplan.solvers import registry

    for kind, name, known in (
        ("planner", planner, registry.planners()),
        ("solver", solver, tuple(info.name for info in registry.available())),
        ("objective", objective, OBJECTIVES),
        ("formulation", formulation, ("", *registry.formulations())),
        ("pdb", pdb, PDB),
    ):
        if name not in known:
            raise InputError([unknown(kind, name, tuple(filter(None, known)))])
    if formulation and planner == "greedy":
        message = "not with planner greedy: it writes no model"
        raise InputError([Fault("", f"formulation {formulation}", "", message)])
    check_solver(solver)


def check_solver(name: str) -> None:
    """Refuse a solver that is unknown or not available, in one line."""
    from gangplan.solvers import registry

    solvers = {info.name: info for info in registry.available()}
    if name not in solvers:
        raise InputError([unknown("solver", name, tuple(solvers))])
    if not solvers[name].available:
        message = f"not available: {solvers[name].reason}"
        raise InputError([Fault("", f"solver {name}", "", message)])


def unknown(kind: str, name: str, known: Sequence[str]) -> Fault:
    """Return the fault of a name that is not among those known."""
    return Fault("", f"{kind} {name}", "", f"no {kind} of this name: one of {', '.join(known)}")


def check_weights(instance: Instance, objective: str, weights: Mapping[int, int] | None) -> None:
    """Refuse weights that do not fit the objective.

    Raises
    ------
    InputError : what is wrong with them.
    """
    try:
        tiers_of(instance, objective, weights)
    except PlanError as error:
        raise InputError([Fault("", "weights", "", str(error))]) from None
