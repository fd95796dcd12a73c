"""What a plan file says about its own plan, recomputed: tier values, statuses and marks.

Values are counted by the verifier, not by what the planners count with.
"""

from collections.abc import Mapping

from gangplan.datasets.json_file import refuse
from gangplan.datasets.plan_file import group_entries, result_of
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.result import Result
from gangplan.models.tiers import Tier, tiers_of
from gangplan.models.verify.objective import recount_all
from gangplan.models.verify.reports import PROOFS


def false_claims(
    document: Mapping[str, object], instance: Instance, source: str
) -> tuple[str, ...]:
    """List, in sentences, what a plan file's content claims and its placements do not bear out.

    Bounds are not computed again: they are the planner's, each with the kind of its proof. That
    what is called proven follows from the values and bounds in the file is looked at.

    Raises
    ------
    InputError : the content cannot be read against the instance; see ``result_of``.
    """
    result = result_of(document, instance, source)
    claims = _tier_claims(source, instance, result)
    groups = document["groups"]
    said = {str(entry["group"]): entry for entry in groups} if isinstance(groups, list) else {}
    for entry in group_entries(instance, result):
        claims += _group_claims(entry, said.get(str(entry["group"])))
    return tuple(claims)


def _tier_claims(path: str, instance: Instance, result: Result) -> list[str]:
    tiers = _tiers(path, instance, result.planner)
    said = [(report.name, report.maximise) for report in result.tiers]
    if said != [(tier.name, tier.maximise) for tier in tiers]:
        return ["the tiers listed are not those of the planner's objective"]
    claims = []
    for report, true in zip(result.tiers, recount_all(instance, result.plan, tiers), strict=True):
        if report.value != true:
            claims.append(f"{report.name}: the file says {report.value}, the plan is worth {true}")
        elif report.bound is not None:
            beaten = true > report.bound if report.maximise else true < report.bound
            if beaten:
                claims.append(
                    f"{report.name}: the bound {report.bound} is worse than the plan's {true}"
                )
    return claims or _proof_claims(result)


def _proof_claims(result: Result) -> list[str]:
    """Say what is called proven or optimal and is not, by the figures in the file."""
    claims = []
    for report in result.tiers:
        if report.proof and report.proof not in PROOFS:
            claims.append(f"{report.name}: {report.proof} is no kind of proof")
        if report.proven and report.bound != report.value:
            bound = "no bound is given" if report.bound is None else f"the bound is {report.bound}"
            claims.append(
                f"{report.name}: the file says proven, but the value is {report.value}, {bound}"
            )
    if result.stop not in ("optimal", "feasible"):
        claims.append(f"stop: optimal or feasible expected, not {result.stop}")
    first = next((n for n, report in enumerate(result.tiers) if not report.proven), None)
    if first is None:
        return claims
    above = result.tiers[first].name
    if result.stop == "optimal":
        claims.append(f"the file says optimal, but {above} is not proven")
    else:
        claims += [
            f"{report.name}: the file says proven, but {above} above it is not"
            for report in result.tiers[first:]
            if report.proven
        ][:1]
    return claims


def _tiers(path: str, instance: Instance, planner: Mapping[str, object]) -> tuple[Tier, ...]:
    objective = str(planner.get("objective", "groups"))
    weights = planner.get("weights")
    try:
        table = {int(p): int(w) for p, w in weights.items()} if isinstance(weights, dict) else None
        return tiers_of(instance, objective, table)
    except (PlanError, ValueError, TypeError) as error:
        raise refuse(path, "planner", str(error)) from None


def _group_claims(true: Mapping[str, object], said: Mapping[str, object] | None) -> list[str]:
    name = true["group"]
    if said is None:
        return [f"group {name} is not listed"]
    claims = []
    if said.get("status") != true["status"]:
        claims.append(
            f"group {name}: the file says {said.get('status')}, its pods say {true['status']}"
        )
    if _marks(said) != _marks(true):
        claims.append(f"group {name}: pods are marked minimum or elastic wrongly")
    return claims


def _marks(entry: Mapping[str, object]) -> list[str]:
    pods = entry["pods"]
    return sorted(str(pod.get("mark")) for pod in pods) if isinstance(pods, list) else []
