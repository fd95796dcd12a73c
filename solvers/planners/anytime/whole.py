"""Jobs on the whole instance: bounds by counting, by duals, by a search."""

from contextlib import suppress
from dataclasses import dataclass, replace

from gangplan.models.certificate import Certificate
from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Formulation, Kind, Writing
from gangplan.models.gone import without_units
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.result import COUNTING
from gangplan.models.tiers import Tier, values
from gangplan.solvers.asking import Asking
from gangplan.solvers.base import Centred, Limits, Solver
from gangplan.solvers.crew.desk import Desk
from gangplan.solvers.held import families_off, freedom_off, priced, signed
from gangplan.solvers.planners.clearing import start_of
from gangplan.solvers.planners.greedy import clean_plan
from gangplan.solvers.search import Bound, Incumbent, Search
from gangplan.solvers.standing import by_counting
from gangplan.solvers.writer import PRICE_CELLS, RELAX_CELLS

COLUMNS = 20_000
"""Columns that can be priced up to which they are listed, to be searched."""

MANY = "too many to search"
"""Said of a model that is not searched: no matter where parts of it are."""


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
    held : what a bound holds the tiers above to; None: what the plan has.
    """

    i: int
    best: Incumbent
    kinds: tuple[Kind, ...]
    solver: str | Solver
    limits: Limits
    until: float
    most: int = RELAX_CELLS
    second: bool = False
    held: tuple[int, ...] | None = None


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


def again(desk: Desk, seconds: float) -> Incumbent:
    """Plan greedily for longer: the better of that plan and one that begins with everybody gone."""
    instance, tiers = desk.kept["instance"], desk.kept["tiers"]
    first = instance if desk.kept["formulation"].preemption else without_units(instance)
    plan, _ = clean_plan(instance, start_of(first, tiers, seconds), tiers, seconds)
    return Incumbent(plan, values(instance, plan, tiers))


def relax(desk: Desk, errand: Errand) -> Finding:
    """Bound a tier by the duals of the relaxation."""
    writing, cells = written(desk, errand)
    if writing is None:
        return Finding(cells=cells)
    if errand.held is not None:
        worth = (*errand.held, *errand.best.values[len(errand.held) :])
        errand = replace(errand, best=Incumbent(errand.best.plan, worth))
    solver = desk.solver(errand.solver)
    if len(writing.instance.running) and writing.frame is None and isinstance(solver, Centred):
        # Half the time of a vertex where units can fall, and the bound has been the same.
        errand = replace(errand, solver=solver.centred() or solver)
    search, milp = _search(desk, errand, writing)
    return _bounded(search, milp, errand, cells)


def finish(desk: Desk, errand: Errand) -> Finding:
    """Search a tier of the whole from the best plan."""
    writing, cells = written(desk, errand)
    if writing is None:
        return Finding(cells=cells)
    search, milp = _search(desk, errand, writing)
    if writing.frame is not None:
        # Which columns can be of use follows from the duals, and they from the columns.
        first = _bounded(search, milp, errand, cells)
        desk.say(first)
        if first.bound is None:
            return Finding(cells=cells)
    bound, best = search.improve(milp, errand.best, errand.i, errand.until)
    if freedom_off(writing.instance, writing.formulation):
        bound = None  # such a model bounds no plan but its own
    found = best if best is not errand.best else None
    told = tuple(text for text in search.asking.warnings if MANY not in text)
    return Finding(bound, found, told, cells)


def _bounded(search: Search, milp: Milp, errand: Errand, cells: int) -> Finding:
    """Bound a tier that is priced."""
    writing, tier = search.model, search.tiers[errand.i]
    if freedom_off(writing.instance, writing.formulation):
        return Finding(cells=cells)  # such a model bounds no plan but its own
    if not milp.cost.any() and writing.frame is None:
        value, off = signed(tier, milp.offset), families_off(writing.formulation)
        certificate = Certificate(tier.name, COUNTING, value, writing.kind.name, off)
        return Finding(Bound(milp.offset, certificate), cells=cells)
    bound = search.relaxation(milp, errand.best, errand.i, errand.until)
    return Finding(bound, None, tuple(search.asking.warnings), cells)


def written(desk: Desk, errand: Errand) -> tuple[Writing | None, int]:
    """Write the model once a process, in the first formulation that takes instance and tier.

    One that can price its columns leaves them out where they are many.

    Returns
    -------
    It, or None where none does or it would have more than ``errand.most`` cells; and its cells.
    """
    instance: Instance = desk.kept["instance"]
    tier: Tier = desk.kept["tiers"][errand.i]
    refused: set[str] = desk.made.setdefault("refused", set())
    models: dict[str, Writing] = desk.made.setdefault("models", {})
    for kind in errand.kinds:
        if tier.kind in kind.lacks or kind.name in refused:
            continue
        cells = kind.cells(instance)
        if kind.name not in models:
            try:
                found = _write(kind, instance, desk.kept["formulation"], cells, errand.most)
            except FormulationError:
                refused.add(kind.name)
                continue
            if found is None:
                return None, cells
            models[kind.name] = found
        return models[kind.name], cells
    return None, 0


def _write(
    kind: Kind, instance: Instance, formulation: Formulation, cells: int, most: int
) -> Writing | None:
    """Write a model; None where it would be too large.

    Raises
    ------
    FormulationError : the kind refuses the instance.
    """
    if kind.frame is not None and (cells > PRICE_CELLS or not cells):
        with suppress(FormulationError):  # the model with all columns says why, if it is refused
            return kind.unlisted(instance, formulation)
    return None if cells > most else kind.write(instance, formulation)


def _search(desk: Desk, errand: Errand, writing: Writing) -> tuple[Search, Milp]:
    """Price the tier, with those above it held to the best plan."""
    tiers = desk.kept["tiers"]
    asking = Asking(desk.solver(errand.solver), errand.limits, fold=writing.fold)
    search = Search(writing, tiers, asking, errand.second, COLUMNS)
    return search, priced(writing, tiers, errand.i, errand.best.values[: errand.i])
