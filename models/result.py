"""Result: a verified plan, and what is proven about it, tier by tier."""

from dataclasses import dataclass, field

from gangplan.models.certificate import Certificate
from gangplan.models.plan import Plan

COUNTING = "counting"
"""Proof by exact integer counting; needs no second opinion."""

LP_DUAL = "lp-dual"
"""Proof by a dual vector, re-evaluated in exact integers."""

SEARCH = "search"
"""One solver's branch and bound."""

SEARCH_TWICE = "search x2"
"""Two backends, or one backend twice with presolve off and another seed."""


@dataclass(frozen=True, slots=True)
class TierReport:
    """One tier of a result.

    Attributes
    ----------
    name : of the tier.
    maximise : its sense.
    value : exact value of the plan.
    bound : no plan that keeps the values above can be better than this; None where none is known.
    proof : COUNTING, LP_DUAL, SEARCH or SEARCH_TWICE; empty where there is no bound.
    proven : value equals bound, and every earlier tier is proven too.
    given : the bound holds given the values above, of which one at least is not proven.
    """

    name: str
    maximise: bool
    value: int
    bound: int | None
    proof: str
    proven: bool
    given: bool = False

    @property
    def gap(self) -> float | None:
        """|bound - value| / max(1, |value|); None without a bound."""
        if self.bound is None:
            return None
        return abs(self.bound - self.value) / max(1, abs(self.value))


@dataclass(frozen=True, slots=True)
class Moment:
    """What was known at one time of a run.

    Attributes
    ----------
    seconds : since the planner was called.
    values : of the best verified plan by then, tier by tier.
    bounds : of each tier as they stood by then; None where there was none.
    """

    seconds: float
    values: tuple[int, ...]
    bounds: tuple[int | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What a planner returns.

    Attributes
    ----------
    plan : verified by ``gangplan.models.verify.check``.
    tiers : one report a tier, in order.
    stop : ``optimal`` (every tier proven), ``feasible`` (a plan, something unproven).
    planner : name and options of the planner, JSON-able.
    reasons : group number -> why it waits, and how that is known.
    warnings : sentences for the user.
    seconds : phase -> seconds (``build``, ``solve``, ``verify``, ...).
    versions : package or backend that took part -> version; empty where it is unknown.
    certificates : what the bounds rest on, at most one a tier (counting needs none), by its name.
    trace : how plan and bounds came to be, in order of time; empty where the planner keeps none.
    """

    plan: Plan
    tiers: tuple[TierReport, ...]
    stop: str
    planner: dict[str, object]
    reasons: dict[int, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    certificates: tuple[Certificate, ...] = ()
    trace: tuple[Moment, ...] = ()
