"""One neighbourhood: some nodes and groups planned anew, the rest of the plan held.

The part is solved as an instance of its own: its tier i under its own relaxation, then a search of
its ``core``, from what the plan does there. What comes back is verified in the part and in the
whole, and is taken only where the whole's vector of tiers is better. Where units can fall, the
tiers after i follow in the same part: what is gained in one is worth anything in those after it,
and a neighbourhood that would only repair these later begins with the same part.
"""

import time
from collections.abc import Iterator
from dataclasses import replace

from gangplan.models.arrays import Ints
from gangplan.models.errors import PlanError
from gangplan.models.formulation import Kind, Writing
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.part import Part, joined, part_of
from gangplan.models.plan import Plan
from gangplan.models.tiers import Tier, better, values
from gangplan.models.verify.check import check
from gangplan.solvers.asking import LEAST_SECONDS
from gangplan.solvers.base import Centred, Limits, Solver, Stop, relaxes
from gangplan.solvers.claims import checked_plan, checked_point
from gangplan.solvers.held import priced
from gangplan.solvers.planners.anytime.core import (
    Relaxation,
    core,
    hopeless,
    relaxation_of,
    used_by,
)
from gangplan.solvers.planners.anytime.shake import shaken
from gangplan.solvers.reprieve import reprieved
from gangplan.solvers.search import Incumbent
from gangplan.solvers.staged import SHARE

GAP = 1e-3
"""Relative gap at which the search of a part ends: there are better uses of the time."""

REST = 0.05
"""Part of what the relaxation promises that is not worth searching for."""

SCALES = (1, 5)
"""Sizes of the core, one after the other until one gives a better point."""


def improve(
    instance: Instance,
    tiers: tuple[Tier, ...],
    i: int,
    best: Incumbent,
    nodes: Ints,
    groups: Ints,
    solver: Solver,
    limits: Limits,
    kind: Kind,
    *,
    deep: bool = False,
) -> Incumbent | None:
    """Search one neighbourhood of a plan for one that is better in tier i, or above.

    Parameters
    ----------
    best : a plan that keeps the rules, and its values.
    nodes, groups : the part, see ``part_of``.
    limits : seconds for all of it, but for a model that takes longer to write.
    kind : the formulation of the part.
    deep : search the tiers after i as well, each held to what came of those before it. The plan is
        then better in one of them.

    Returns
    -------
    A verified plan of the whole, better than ``best``; None where none was found.

    Raises
    ------
    FormulationError : no part can be cut out here, or the kind refuses it.
    PlanError : a point of the model is no plan, a bug in gangplan.
    """
    until = time.monotonic() + limits.seconds
    part = part_of(instance, best.plan, nodes, groups)
    if not len(part.pods) and not len(part.units):
        return None
    model = kind.write(part.instance)
    if deep:
        plan = _descended(model, tiers, i, part.start, solver, limits, until)
        return None if plan is part.start else _taken(instance, tiers, best, part, plan)
    for plan in _plans(model, tiers, i, part.start, solver, limits, until):
        found = _taken(instance, tiers, best, part, plan)
        if found is not None:
            return found
    return None


def _descended(
    model: Writing,
    tiers: tuple[Tier, ...],
    i: int,
    start: Plan,
    solver: Solver,
    limits: Limits,
    until: float,
) -> Plan:
    """Search one tier of a part after the other; return the last plan, a verified one."""
    plan = start
    carried = [j for j in range(i, len(tiers)) if tiers[j].kind not in model.kind.lacks]
    for j in carried:
        left = until - time.monotonic()
        if left < LEAST_SECONDS:
            break
        end = until if j == carried[-1] else until - left * (1 - SHARE)
        plan = next(_plans(model, tiers, j, plan, solver, limits, end), plan)
    return plan


def _plans(
    model: Writing,
    tiers: tuple[Tier, ...],
    i: int,
    start: Plan,
    solver: Solver,
    limits: Limits,
    until: float,
) -> Iterator[Plan]:
    """Yield plans of a part that are better than the start, in tier i or above."""
    here = values(model.instance, start, tiers)
    milp = priced(model, tiers, i, here[:i])
    if not milp.cost.any():
        return
    for point in _points(milp, _start(model, start), solver, limits, until):
        plan = checked_plan(model, point)
        if better(tiers, values(model.instance, plan, tiers), here):
            yield plan


def _points(
    milp: Milp, start: Ints | None, solver: Solver, limits: Limits, until: float
) -> Iterator[Ints]:
    """Yield points that are better than the start, from cores of one size after the other."""
    relaxed = _relaxed(milp, solver, limits, until)
    worth = None if start is None else milp.objective(start)
    if relaxed is not None and worth is not None and hopeless(milp, relaxed, worth):
        return
    keep = used_by(milp, [] if start is None else [start])
    paid = int((keep & (milp.cost != 0)).sum())
    done: Milp | None = None
    for scale in SCALES:
        model = milp if relaxed is None else core(milp, relaxed, keep, scale)
        if done is not None and (model.upper == done.upper).all():
            return
        asked = replace(limits, gap=max(limits.gap, GAP, _worthless(milp, relaxed, worth)))
        search = shaken(model, limits.seed + abs(worth or 0), paid)
        point = _searched(milp, search, start, solver, asked, until)
        if point is not None and (worth is None or milp.objective(point) < worth):
            yield point
        done = model


def _worthless(milp: Milp, relaxed: Relaxation | None, worth: int | None) -> float:
    """Return the relative gap that REST of the promise comes to."""
    if relaxed is None or worth is None:
        return 0.0
    cost = worth - milp.offset
    most = max(1.0, abs(cost), abs(relaxed.value))
    return max(0.0, REST * (cost - relaxed.value) / most)


def _relaxed(milp: Milp, solver: Solver, limits: Limits, until: float) -> Relaxation | None:
    """Solve the relaxation; None where there is no time, or no answer."""
    left = until - time.monotonic()
    if left < LEAST_SECONDS or not relaxes(solver):
        return None
    middle = solver.centred() if isinstance(solver, Centred) else None
    asked = solver if middle is None else middle
    outcome = asked.solve(milp.relaxed(), replace(limits, seconds=left))
    if outcome.row_dual is None or outcome.row_dual.shape != (milp.n_rows,):
        return None
    return relaxation_of(milp, outcome.row_dual)


def _searched(
    milp: Milp, model: Milp, start: Ints | None, solver: Solver, limits: Limits, until: float
) -> Ints | None:
    """Search a core; None where no point came back, or one that breaks a row of the model."""
    left = until - time.monotonic()
    if left < LEAST_SECONDS:
        return None
    outcome = solver.solve(model, replace(limits, seconds=left), start=start)
    if outcome.stop is Stop.ERROR and start is not None:
        # HiGHS 1.16.0 gives a start back as optimal where presolve maps it onto another point.
        return _searched(milp, model, None, solver, limits, until)
    if outcome.x is None:
        return None
    try:
        return checked_point(milp, outcome.x)
    except PlanError:
        return None  # a solver's word, and there is nothing to take from it


def _start(model: Writing, plan: Plan) -> Ints | None:
    """Write the plan as a point; None where the formulation has none for it."""
    try:
        return model.encode(plan)
    except PlanError:
        return None


def _taken(
    instance: Instance, tiers: tuple[Tier, ...], best: Incumbent, part: Part, plan: Plan
) -> Incumbent | None:
    """Put the part's plan into the whole; None where that is no better, or breaks a rule."""
    whole = reprieved(instance, joined(instance, best.plan, part, plan))
    worth = values(instance, whole, tiers)
    if not better(tiers, worth, best.values) or check(instance, whole):
        return None
    return Incumbent(whole, worth)
