"""Search for what a bound rules out: a plan that is at least one better.

Finding nothing better is a second opinion on the bound; a verified plan that is better ends it.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from gangplan.models.errors import PlanError
from gangplan.models.formulation import Writing
from gangplan.models.milp import Milp
from gangplan.models.result import COUNTING
from gangplan.models.tiers import Tier, better, values
from gangplan.solvers.asking import LEAST_SECONDS, Fold, asked, said
from gangplan.solvers.base import Limits, Outcome, Stop
from gangplan.solvers.claims import checked_plan, checked_point
from gangplan.solvers.held import better_than, no_worse, priced, signed
from gangplan.solvers.second import Way, doubted, own_way

CONFIRMED = "confirmed"
REFUTED = "refuted"
NOT_SETTLED = "not settled"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a claim, by what means, in words."""

    verdict: str
    how: str
    sentence: str


def refute(
    model: Writing,
    tiers: Sequence[Tier],
    i: int,
    held: Sequence[int],
    bound: int,
    way: Way,
    limits: Limits,
    *,
    given: bool = False,
) -> Verdict:
    """Look for a plan that is as good as ``held`` above tier i, and better than ``bound`` in it.

    One that is better above tier i refutes as well, unless the bound is only ``given`` the values
    there: then they are not claimed to be the best.
    """
    tier = tiers[i]
    milp = priced(model, tiers, i, held)
    if not milp.cost.any():
        same = signed(tier, milp.offset)
        holds = milp.offset >= signed(tier, bound)
        text = f"{tier.name} is {same} in every plan"
        return Verdict(CONFIRMED if holds else REFUTED, COUNTING, text)
    harder = better_than(milp, signed(tier, bound))
    try:
        way, outcome = _asked(way, harder, limits, model.fold)
    except Exception as error:  # whatever a solver from outside raises: it has settled nothing
        return Verdict(NOT_SETTLED, way.how, f"the search failed: {said(error)}")
    if outcome.x is not None:
        return _found(model, tiers, i, (*held, bound), way, harder, outcome, given)
    if outcome.stop is Stop.INFEASIBLE:
        return Verdict(
            CONFIRMED,
            way.how,
            f"searched again for better than {bound}: {way.how} says there is none "
            f"({'another backend' if way.other else 'the same backend'}'s word, no certificate)",
        )
    if outcome.stop is Stop.ERROR:
        return Verdict(NOT_SETTLED, way.how, f"the search failed: {outcome.message}")
    reached = f"its {outcome.limit or 'own'} limit"
    return Verdict(NOT_SETTLED, way.how, f"{way.how} reached {reached} and found nothing better")


def _asked(way: Way, milp: Milp, limits: Limits, fold: Fold) -> tuple[Way, Outcome]:
    """Ask; after a broken point or an error ask the solver's own second way in the time left."""
    until = time.monotonic() + limits.seconds
    outcome = asked(way.solver, milp, limits, fold=fold)
    second = own_way(way.solver) if _is_broken(milp, outcome) else None
    left = until - time.monotonic()
    if second is None or left < LEAST_SECONDS:
        return way, outcome
    again = Way(second.solver, way.other)
    return again, asked(again.solver, milp, doubted(limits, left), fold=fold)


def _is_broken(milp: Milp, outcome: Outcome) -> bool:
    if outcome.x is None:
        return outcome.stop is Stop.ERROR
    try:
        checked_point(milp, outcome.x)
    except PlanError:
        return True
    return False


def _found(
    model: Writing,
    tiers: Sequence[Tier],
    i: int,
    claimed: Sequence[int],
    way: Way,
    milp: Milp,
    outcome: Outcome,
    given: bool,
) -> Verdict:
    """Verify a point that should not be there; only a plan that keeps every rule refutes.

    Parameters
    ----------
    claimed : values of the tiers down to i, of which none can be better.
    """
    assert outcome.x is not None  # the caller looked
    try:
        plan = checked_plan(model, checked_point(milp, outcome.x))
    except PlanError as error:
        return Verdict(NOT_SETTLED, way.how, f"the point of {way.how} failed its check: {error}")
    worth = values(model.instance, plan, tuple(tiers))[: i + 1]
    known = tuple(tiers[: i + 1])
    if no_worse(known, worth, claimed) and worth[i] != claimed[i]:
        text = f"{way.how} found a verified plan with {worth[i]}, the bound is {claimed[i]}"
        return Verdict(REFUTED, way.how, text)
    if better(known, worth, tuple(claimed)):
        j = next(
            j for j, (mine, said) in enumerate(zip(worth, claimed, strict=True)) if mine != said
        )
        text = (
            f"{way.how} found a verified plan with {worth[j]} in {tiers[j].name}, "
            f"this one has {claimed[j]}"
        )
        return Verdict(NOT_SETTLED if given else REFUTED, way.how, text)
    text = "a point that should be better is no better plan (a fault of the formulation)"
    return Verdict(NOT_SETTLED, way.how, text)
