"""What became of one claim, and of those that rest on it: a proven tier falls with any above it."""

from dataclasses import dataclass

from gangplan.models.result import COUNTING, LP_DUAL, TierReport
from gangplan.solvers.refute import CONFIRMED, NOT_SETTLED, REFUTED, Verdict


@dataclass(frozen=True, slots=True)
class Recheck:
    """What became of one claim.

    Attributes
    ----------
    tier : whose bound; empty where it is a group's reason.
    verdict : CONFIRMED, REFUTED or NOT_SETTLED.
    how : ``counting``, ``lp-dual``, or the backend that searched.
    seconds : what it took.
    sentence : what was found, in words.
    group : whose reason; empty where it is a tier's bound.
    """

    tier: str
    verdict: str
    how: str
    seconds: float
    sentence: str
    group: str = ""

    @property
    def rests_on_a_search(self) -> bool:
        """Tell whether a solver's word is all there is."""
        return self.how not in (COUNTING, LP_DUAL)


def worse(fallen: Recheck | None, one: Recheck) -> Recheck | None:
    """Return which verdict the tiers below fall by: the first refuted, else the first open one."""
    if one.verdict == CONFIRMED or (fallen is not None and fallen.verdict == REFUTED):
        return fallen
    return fallen if fallen is not None and one.verdict == NOT_SETTLED else one


def falls(report: TierReport, said: Verdict, fallen: Recheck) -> Verdict:
    """Take back a verdict that rests on a tier above that was not confirmed itself.

    A bound by counting holds whatever stands above it, and one that says so ("given the values
    above") holds for those values; that a tier is proven does not.
    """
    alone = said.how == COUNTING and not report.proven
    if said.verdict != CONFIRMED or report.given or alone:
        return said
    text = f"it rests on {fallen.tier}, which is {fallen.verdict}; given that: {said.sentence}"
    return Verdict(fallen.verdict, said.how, text)
