"""check_tiers: the reports of a result against its plan, and against one another."""

from collections.abc import Iterable, Sequence

from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.result import COUNTING, LP_DUAL, SEARCH, SEARCH_TWICE, TierReport
from gangplan.models.tiers import OBJECTIVES, Tier, tiers_of
from gangplan.models.verify.assign import misfit
from gangplan.models.verify.objective import recount
from gangplan.models.verify.violation import Violation

NAME = "tiers"
PROOFS = (COUNTING, LP_DUAL, SEARCH, SEARCH_TWICE)


def check_tiers(
    instance: Instance,
    plan: Plan,
    reports: Sequence[TierReport],
    tiers: Sequence[Tier] | None = None,
) -> tuple[Violation, ...]:
    """Compare the reports with the plan and with one another.

    Values equal the recomputed ones; no bound is beaten by its value; a tier is proven only with a
    bound that equals its value, a kind of proof, and every earlier tier proven; ``given`` only
    after a tier that is not. A bound itself is not proven again here.

    Parameters
    ----------
    tiers : the objective the reports belong to. Default: the named objective whose tiers, in
        order, have the reports' names (``weighted-gpus``: with its default weights).
    """
    unfit = misfit(instance, plan)
    if unfit:
        return tuple(unfit)
    table = {tier.name: tier for tier in _objective(instance, reports, tiers)}
    found: list[Violation] = []
    earlier_proven = True
    for report in reports:
        tier = table.get(report.name)
        if tier is None:
            found.append(_say(report, 0, "no such tier, in this place, for this instance"))
        else:
            wrong = _value(instance, plan, report, tier)
            # What is said of a value that is not the plan's is not worth a sentence of its own.
            found += wrong or _claims(report, earlier_proven)
        earlier_proven = earlier_proven and report.proven
    return tuple(found)


def _objective(
    instance: Instance, reports: Sequence[TierReport], tiers: Sequence[Tier] | None
) -> Sequence[Tier]:
    """Tiers that have the reports' names in order (a tier may be left out); else nothing."""
    candidates: list[Sequence[Tier]] = [] if tiers is None else [tiers]
    for objective in OBJECTIVES if tiers is None else ():
        try:
            candidates.append(tiers_of(instance, objective))
        except PlanError:  # weighted-gpus without usable default weights
            continue
    for candidate in candidates:
        if _in_order([report.name for report in reports], (tier.name for tier in candidate)):
            return candidate
    return ()


def _in_order(names: Sequence[str], all_names: Iterable[str]) -> bool:
    rest = iter(all_names)
    return all(name in rest for name in names)


def _value(instance: Instance, plan: Plan, report: TierReport, tier: Tier) -> list[Violation]:
    """Check sense and value against the plan."""
    found = []
    value = recount(instance, plan, tier)
    if value != report.value:
        found.append(_say(report, value, f"reported {report.value}, the plan has {value}"))
    if tier.maximise != report.maximise:
        sense = "maximised" if tier.maximise else "minimised"
        found.append(_say(report, value, f"the tier is {sense}, the report says otherwise"))
    return found


def _claims(report: TierReport, earlier_proven: bool) -> list[Violation]:
    """Check what a report says about its bound."""
    found = []
    bound, value = report.bound, report.value
    if bound is not None and (value > bound if report.maximise else value < bound):
        found.append(_say(report, bound, f"value {value} is better than its bound {bound}"))
    elif report.proven and bound != value:
        said = f"proven, but value {value} and bound {bound} differ"
        found.append(_say(report, bound or 0, said))
    if (bound is None) != (report.proof == "") or (report.proof and report.proof not in PROOFS):
        found.append(_say(report, 0, f"bound {bound} with proof {report.proof!r}"))
    if report.proven and not earlier_proven:
        found.append(_say(report, 0, "proven, but an earlier tier is not"))
    if report.given and earlier_proven:
        found.append(_say(report, 0, "bound given unproven values above, but all are proven"))
    return found


def _say(report: TierReport, need: int, sentence: str) -> Violation:
    return Violation(NAME, report.name, report.value, need, f"tier {report.name}: {sentence}")
