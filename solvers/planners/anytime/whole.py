"""Jobs on the whole instance: bounds by counting, by duals, by a search."""

from dataclasses import dataclass
from typing import Any

from gangplan.models.certificate import Certificate
from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Kind, Writing
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.result import COUNTING
from gangplan.models.tiers import Tier, values
from gangplan.solvers.asking import Asking
from gangplan.solvers.base import Limits, Solver
from gangplan.solvers.crew.desk import Desk
from gangplan.solvers.held import families_off, freedom_off, priced, signed
from gangplan.solvers.planners.clearing import start_of
from gangplan.solvers.planners.greedy import SECONDS, clean_plan
from gangplan.solvers.search import Bound, Incumbent, Search
from gangplan.solvers.staged import RELAX_CELLS
from gangplan.solvers.standing import by_counting


@dataclass(frozen=True, slots=True, eq=False)
class Errand:
    """What a job on one tier needs to know.

    Attributes
    ----------
    i : number of the tier.
    best : the plan that the tiers above are held to.
    kinds : formulations, the first that takes the instance is used.
    until : of ``time.monotonic()``, which all processes of a machine share.
    most : cells up to which a model is written.
    """

    i: int
    best: Incumbent
    kinds: tuple[Kind, ...]
    solver: str | Solver
    limits: Limits
    until: float
    most: int = RELAX_CELLS
    second: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """What came of it.

    Attributes
    ----------
    bound : of tier i; None where there is none.
    best : a verified plan, if a better one was found.
    warnings : sentences for the user.
    cells : size of the model; 0 where no formulation takes the instance.
    """

    bound: Bound | None = None
    best: Incumbent | None = None
    warnings: tuple[str, ...] = ()
    cells: int = 0


def count(desk: Desk) -> list[Bound | None]:
    """Bound every tier by counting."""
    return by_counting(desk.kept["instance"], desk.kept["tiers"])


def clear(desk: Desk) -> Incumbent:
    """Return the better of the greedy plan and the one that begins with everybody gone."""
    instance, tiers = desk.kept["instance"], desk.kept["tiers"]
    plan, _ = clean_plan(instance, start_of(instance, tiers, SECONDS), tiers, SECONDS)
    return Incumbent(plan, values(instance, plan, tiers))


def relax(desk: Desk, errand: Errand) -> Finding:
    """Bound a tier by the duals of the relaxation."""
    writing, cells = written(desk, errand)
    if writing is None:
        return Finding(cells=cells)
    search, milp = _search(desk, errand, writing)
    if not milp.cost.any():
        tier = search.tiers[errand.i]
        value = signed(tier, milp.offset)
        families = families_off(writing.formulation)
        certificate = Certificate(tier.name, COUNTING, value, writing.kind.name, families)
        free = not freedom_off(writing.instance, writing.formulation)
        return Finding(Bound(milp.offset, certificate) if free else None, cells=cells)
    bound = search.relaxation(milp, errand.best, errand.i, errand.until)
    if freedom_off(writing.instance, writing.formulation):
        bound = None  # such a model bounds no plan but its own
    return Finding(bound, None, tuple(search.asking.warnings), cells)


def finish(desk: Desk, errand: Errand) -> Finding:
    """Search a tier of the whole from the best plan."""
    writing, cells = written(desk, errand)
    if writing is None:
        return Finding(cells=cells)
    search, milp = _search(desk, errand, writing)
    bound, best = search.improve(milp, errand.best, errand.i, errand.until)
    found = best if best is not errand.best else None
    if freedom_off(writing.instance, writing.formulation):
        bound = None
    return Finding(bound, found, tuple(search.asking.warnings), cells)


def written(desk: Desk, errand: Errand) -> tuple[Writing | None, int]:
    """Write the model once a process, in the first formulation that takes instance and tier.

    Returns
    -------
    It, or None where none does or it would have more than ``errand.most`` cells; and its cells.
    """
    instance: Instance = desk.kept["instance"]
    tier: Tier = desk.kept["tiers"][errand.i]
    refused: dict[str, Any] = desk.made.setdefault("refused", {})
    models: dict[str, Writing] = desk.made.setdefault("models", {})
    for kind in errand.kinds:
        if tier.kind in kind.lacks or kind.name in refused:
            continue
        cells = kind.cells(instance)
        if cells > errand.most:
            return None, cells
        try:
            if kind.name not in models:
                models[kind.name] = kind.write(instance, desk.kept["formulation"])
            return models[kind.name], cells
        except FormulationError as error:
            refused[kind.name] = str(error)
    return None, 0


def _search(desk: Desk, errand: Errand, writing: Writing) -> tuple[Search, Milp]:
    """Price the tier, with those above it held to the best plan."""
    tiers = desk.kept["tiers"]
    asking = Asking(desk.solver(errand.solver), errand.limits, fold=writing.fold)
    search = Search(writing, tiers, asking, errand.second)
    return search, priced(writing, tiers, errand.i, errand.best.values[: errand.i])
