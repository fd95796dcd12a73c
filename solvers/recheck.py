"""Re-check what a result claims to be proven, long after whoever proved it is gone.

Counting is counted again, and multipliers are evaluated again in exact integers against a model
that is written anew from the instance: no solver. A search is searched once more, for a plan that
is at least one better than the bound: "infeasible" from another backend confirms the claim (by a
second opinion: it is no certificate by itself), a plan that is found and verified refutes it, a
limit leaves it open. Values of tiers are taken from the plan, never from the reports.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gangplan.models.certificate import Certificate, dense
from gangplan.models.counting import bounds
from gangplan.models.errors import FormulationError, GangplanError, PlanError
from gangplan.models.formulation import Writing
from gangplan.models.instance import Instance
from gangplan.models.restrict import as_planned
from gangplan.models.result import COUNTING, LP_DUAL, SEARCH, SEARCH_TWICE, Result, TierReport
from gangplan.models.tiers import Tier, values
from gangplan.models.verify.reports import NAME
from gangplan.models.verify.results import check_result, objective_of
from gangplan.solvers.base import Limits, Solver
from gangplan.solvers.explain.claimed import claimed_reasons
from gangplan.solvers.held import formulation_without, freedom_off, priced, signed
from gangplan.solvers.rechecked import Recheck as Recheck
from gangplan.solvers.rechecked import falls, worse
from gangplan.solvers.refute import CONFIRMED as CONFIRMED
from gangplan.solvers.refute import NOT_SETTLED as NOT_SETTLED
from gangplan.solvers.refute import REFUTED as REFUTED
from gangplan.solvers.refute import Verdict, refute
from gangplan.solvers.registry import formulation
from gangplan.solvers.second import Way, doubted, way_to_check
from gangplan.solvers.writer import SEARCH_CELLS

LEAST_SECONDS = 0.005
"""No search is started for less."""


def recheck(
    instance: Instance, result: Result, solver: Solver | None = None, limits: Limits | None = None
) -> tuple[Recheck, ...]:
    """Re-check every bound of a result, and every "cannot be placed" that counting gave.

    Whether the plan keeps the rules is for ``gangplan.models.verify.check``. What was asked of the
    planner (no evictions, budgets that bind) is asked here too.

    Parameters
    ----------
    solver : who searches again. Default: an available backend other than those who made the claim,
        else the same one without presolve and with another seed.
    limits : seconds over all searches; what is counted or multiplied takes none of them.

    Returns
    -------
    One verdict for each tier with a bound, in order, then one for each group that is said not to
    be placeable at all, or whose reason to wait claims a proof that there is none for. A tier
    without a bound claims nothing.

    Raises
    ------
    PlanError : the planner's objective is none, or the plan is of another shape.
    """
    instance = as_planned(instance, result.planner)
    desk = _desk(instance, result, solver, limits or Limits())
    found: list[Recheck] = []
    fallen: Recheck | None = None
    for report in result.tiers:
        if report.bound is not None:
            begin = time.perf_counter()
            said = desk.verdict(report, report.bound)
            if fallen is not None:
                said = falls(report, said, fallen)
            seconds = time.perf_counter() - begin
            one = Recheck(report.name, said.verdict, said.how, seconds, said.sentence)
            found.append(one)
            fallen = worse(fallen, one)
    bounded = {report.name for report in result.tiers if report.bound is not None}
    for stray in result.certificates:
        if stray.tier not in bounded:
            said_of = "a certificate, and no bound that rests on it"
            found.append(Recheck(stray.tier, REFUTED, stray.kind, 0.0, said_of))
    return (*found, *_reasons(instance, result))


@dataclass(slots=True)
class _Desk:
    """One re-check under way.

    Attributes
    ----------
    worth : values of the plan, recomputed.
    broken : tier -> what its report says and the plan belies.
    searches : how many are still to come; they share the time that is left.
    """

    instance: Instance
    tiers: tuple[Tier, ...]
    worth: tuple[int, ...]
    result: Result
    broken: dict[str, str]
    certificates: dict[str, Certificate]
    solver: Solver | None
    limits: Limits
    searches: int
    deadline: float | None = None
    counted: list[int] | None = None
    models: dict[tuple[str, tuple[str, ...], bool], Writing] = field(default_factory=dict)

    def verdict(self, report: TierReport, bound: int) -> Verdict:
        """Re-check the bound of one tier."""
        if report.name in self.broken:
            return Verdict(REFUTED, "the plan", self.broken[report.name])
        i = [tier.name for tier in self.tiers].index(report.name)
        certificate = self.certificates.get(report.name)
        wrong = self._open_above(i, report)
        if certificate is not None:
            wrong = wrong or self._misfit(i, report, certificate)
        if wrong:
            return Verdict(REFUTED, report.proof, wrong)
        try:
            if certificate is None:
                return self._without(i, report, bound)
            if certificate.kind == COUNTING:
                return self._count(i, certificate)
            if certificate.kind == LP_DUAL:
                return self._multiply(i, certificate)
            names = [who.name for who in certificate.solvers if who.name]
            said = self._search(i, certificate, names)
            return said if names else self._unsigned(said)
        except FormulationError as error:
            return Verdict(REFUTED, report.proof, f"the certificate does not fit: {error}")
        except GangplanError as error:
            return Verdict(NOT_SETTLED, report.proof, str(error))

    def _without(self, i: int, report: TierReport, bound: int) -> Verdict:
        """Re-check a bound that has no certificate: by counting, else by a search of our own."""
        said = self._count(i, Certificate(report.name, COUNTING, bound))
        if report.proof == COUNTING or said.verdict == CONFIRMED:
            return said
        asked = self.result.planner.get("solver")
        own = Certificate(report.name, SEARCH, bound, "counts")
        return self._unsigned(self._search(i, own, [asked] if isinstance(asked, str) else []))

    @staticmethod
    def _unsigned(said: Verdict) -> Verdict:
        """Take down the verdict on a claim that nobody stands for: it can only fall."""
        if said.verdict != CONFIRMED or said.how == COUNTING:
            return replace(said, sentence=f"no certificate stored; {said.sentence}")
        return Verdict(NOT_SETTLED, said.how, f"not proven: no certificate stored; {said.sentence}")

    def _open_above(self, i: int, report: TierReport) -> str:
        """Name the tier above that is not proven, where the report does not say "given" it."""
        proven = {earlier.name for earlier in self.result.tiers if earlier.proven}
        above = [tier.name for tier in self.tiers[:i] if tier.name not in proven]
        if report.proof == COUNTING or report.given or not above:
            return ""
        return f"it holds given the values above, of which {above[0]} is not proven"

    def _misfit(self, i: int, report: TierReport, certificate: Certificate) -> str:
        """Say why a certificate is none for this claim; empty where it is one."""
        if certificate.kind != report.proof:
            return f"the report says {report.proof}, its certificate {certificate.kind}"
        if certificate.bound != report.bound:
            return f"the bound is {report.bound}, its certificate is for {certificate.bound}"
        if certificate.kind == COUNTING:
            return ""
        if certificate.kind == SEARCH_TWICE and len(set(certificate.solvers)) < 2:
            return f"two searches are claimed, {len(set(certificate.solvers))} named"
        if len(certificate.held) != i:
            return f"{len(certificate.held)} values are held, {i} tiers are above"
        above = zip(self.tiers[:i], certificate.held, self.worth[:i], strict=True)
        for tier, held, worth in above:
            # Held to less, it speaks of more plans than it has to, and holds all the more.
            if signed(tier, held) < signed(tier, worth):
                return f"it speaks of plans with {held} in {tier.name} only, this one has {worth}"
        return ""

    def _count(self, i: int, certificate: Certificate) -> Verdict:
        """Count again; where that gives less, by the columns' own bounds if a model is named."""
        tier, claimed = self.tiers[i], signed(self.tiers[i], certificate.bound)
        if self.counted is None:
            self.counted = bounds(self.instance, self.tiers)
        top = self.counted[i]
        if signed(tier, top) >= claimed:
            return Verdict(CONFIRMED, COUNTING, f"counted again: {_limit(tier, top)}")
        if certificate.formulation:
            model = self._model(certificate)
            milp = model.milp.with_cost(*model.tier_cost(tier))
            least = model.least(milp, np.zeros(milp.n_rows, dtype=np.int64))
            if least >= claimed:
                said = f"counted again, column by column: {_limit(tier, signed(tier, least))}"
                return Verdict(CONFIRMED, COUNTING, said)
        return Verdict(REFUTED, COUNTING, f"counting gives {top}, not {certificate.bound}")

    def _multiply(self, i: int, certificate: Certificate) -> Verdict:
        """Write the model anew, compare it with the digest, and evaluate the multipliers."""
        tier, model = self.tiers[i], self._model(certificate)
        milp = priced(model, self.tiers, i, certificate.held)
        if milp.digest() != certificate.digest:
            said = "the multipliers speak of other rows than this version writes for the instance"
            return Verdict(REFUTED, LP_DUAL, said)
        least = model.least(milp, dense(certificate.rows, certificate.multipliers, milp.n_rows))
        if least < signed(tier, certificate.bound):
            said = f"the multipliers prove {signed(tier, least)}, not {certificate.bound}"
            return Verdict(REFUTED, LP_DUAL, said)
        n = len(certificate.rows)
        how = "evaluated and columns priced" if certificate.priced else "evaluated"
        said = f"{n} multipliers {how} again: {_limit(tier, signed(tier, least))}"
        return Verdict(CONFIRMED, LP_DUAL, said)

    def _search(self, i: int, certificate: Certificate, claimants: Sequence[str]) -> Verdict:
        """Look for something better, with every family on and the tiers above as in the plan."""
        self.searches -= 1
        way = way_to_check(claimants, self.solver)
        if way is None:
            return Verdict(NOT_SETTLED, "", "no solver is available to search again")
        if formulation(certificate.formulation).cells(self.instance) > SEARCH_CELLS:
            return Verdict(NOT_SETTLED, way.how, "the model is too big to search again")
        try:
            model = self._model(replace(certificate, off=(), priced=False))
        except FormulationError as error:
            return Verdict(NOT_SETTLED, way.how, f"no model could be written: {error}")
        seconds = self._seconds()
        if seconds < LEAST_SECONDS:
            return Verdict(NOT_SETTLED, way.how, "no time was left to search again")
        limits = self._limits(way, seconds)
        given = self.result.tiers[i].given
        return refute(
            model, self.tiers, i, self.worth[:i], certificate.bound, way, limits, given=given
        )

    def _limits(self, way: Way, seconds: float) -> Limits:
        if way.other:
            return replace(self.limits, seconds=seconds)
        return doubted(self.limits, seconds, times=2)

    def _seconds(self) -> float:
        """Share out the time that is left; the clock runs from the first search."""
        now = time.monotonic()
        if self.deadline is None:
            self.deadline = now + self.limits.seconds
        return (self.deadline - now) / (1 + max(self.searches, 0))

    def _model(self, certificate: Certificate) -> Writing:
        """Write the model that a certificate names, once."""
        key = certificate.formulation, certificate.off, certificate.priced
        if key not in self.models:
            switches = formulation_without(certificate.off)
            if off := freedom_off(self.instance, switches):
                raise FormulationError(f"a model without {off} bounds no plan but its own")
            kind = formulation(key[0])
            write = kind.unlisted if certificate.priced else kind.write
            self.models[key] = write(self.instance, switches)
        return self.models[key]


def _desk(instance: Instance, result: Result, solver: Solver | None, limits: Limits) -> _Desk:
    try:
        tiers = objective_of(instance, result.planner)
    except (ValueError, TypeError) as error:
        raise PlanError(f"the planner's weights: {error}") from None
    broken: dict[str, str] = {}
    for violation in check_result(instance, result, tiers):
        if violation.family != NAME:
            raise PlanError(violation.sentence)
        broken.setdefault(violation.what, violation.sentence)
    certificates = {certificate.tier: certificate for certificate in result.certificates}
    proofs = [report.proof for report in result.tiers if report.bound is not None]
    return _Desk(
        instance,
        tiers,
        values(instance, result.plan, tiers),
        result,
        broken,
        certificates,
        solver,
        limits,
        sum(proof not in (COUNTING, LP_DUAL) for proof in proofs),
    )


def _limit(tier: Tier, amount: int) -> str:
    return f"{tier.name} is at {'most' if tier.maximise else 'least'} {amount}"


def _reasons(instance: Instance, result: Result) -> list[Recheck]:
    """Derive again every reason to wait that claims a proof."""
    return [
        Recheck(
            "",
            CONFIRMED if claim.holds else REFUTED,
            COUNTING,
            claim.seconds,
            claim.sentence,
            instance.names.groups[claim.group],
        )
        for claim in claimed_reasons(instance, result)
    ]
