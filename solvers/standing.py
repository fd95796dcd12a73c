"""Which bounds stand for a plan, and what the reports of its tiers say.

A bound of a tier was found with the tiers above held to the values of a plan. It holds for any plan
that is no worse in each of them; it says nothing of one that is better in one, and worse in another
after it (as where victims that fell for nothing have come back).
"""

from collections.abc import Sequence

from gangplan.models.certificate import Certificate
from gangplan.models.counting import ceilings
from gangplan.models.instance import Instance
from gangplan.models.result import COUNTING, TierReport
from gangplan.models.tiers import Tier
from gangplan.solvers.held import no_worse, signed
from gangplan.solvers.search import Bound


def by_counting(instance: Instance, tiers: tuple[Tier, ...]) -> list[Bound | None]:
    """Bound maximised tiers by counting, minimised ones by zero; valid whatever is held."""
    found: list[Bound | None] = []
    for tier, top in zip(tiers, ceilings(instance, tiers), strict=True):
        value = 0 if top is None and not tier.maximise else top
        found.append(
            None
            if value is None
            else Bound(signed(tier, value), Certificate(tier.name, COUNTING, value))
        )
    return found


def speaking(
    tiers: Sequence[Tier],
    values: Sequence[int],
    bounds: Sequence[Bound | None],
    counted: Sequence[Bound | None],
) -> list[Bound | None]:
    """Let the ``counted`` bound stand in for one that does not speak of such a plan."""
    return [
        bound if bound is None or no_worse(tiers, values, bound.certificate.held) else other
        for bound, other in zip(bounds, counted, strict=True)
    ]


def standing(
    tiers: Sequence[Tier],
    values: Sequence[int],
    bounds: Sequence[Bound | None],
    counted: Sequence[Bound | None],
    warnings: list[str],
) -> list[Bound | None]:
    """Set aside, and say, what a plan of a later tier went past; ``counted`` bounds stand in."""
    kept: list[Bound | None] = []
    about = speaking(tiers, values, bounds, counted)
    for tier, value, bound, other in zip(tiers, values, about, counted, strict=True):
        if bound is not None and bound.value > signed(tier, value):
            warnings.append(
                f"{tier.name}: a bound by {bound.proof} was contradicted by a verified "
                "plan, and was set aside"
            )
            kept.append(other)
        else:
            kept.append(bound)
    return kept


def reports(
    tiers: Sequence[Tier], values: Sequence[int], bounds: Sequence[Bound | None]
) -> tuple[TierReport, ...]:
    """Compare every tier's bound with the final plan; proven needs every earlier tier proven."""
    found: list[TierReport] = []
    earlier = True
    for tier, value, bound in zip(tiers, values, bounds, strict=True):
        proven = earlier and bound is not None and bound.value == signed(tier, value)
        found.append(
            TierReport(
                tier.name,
                tier.maximise,
                value,
                None if bound is None else signed(tier, bound.value),
                "" if bound is None else bound.proof,
                proven,
                given=not earlier and bound is not None,
            )
        )
        earlier = proven
    return tuple(found)
