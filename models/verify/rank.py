"""rank: how far down their lists requests were served, counted once more."""

from gangplan.models import tiers
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.allocated import rows_by_claim
from gangplan.models.verify.violation import Violation

NAME = "rank"


def recount(instance: Instance, plan: Plan) -> int:
    """Better choices that were passed over, summed over the requests of all claims."""
    request = instance.claims.choice_request.tolist()
    first: dict[int, int] = {}
    for b, q in enumerate(request):
        first.setdefault(q, b)
    return sum(
        b - first[request[b]]
        for rows in rows_by_claim(plan).values()
        for b in {choice for choice, _ in rows}
    )


def check(instance: Instance, plan: Plan) -> list[Violation]:
    """Compare with the objective's own count."""
    have, need = tiers.rank_cost(instance, plan), recount(instance, plan)
    if have == need:
        return []
    sentence = f"rank: the objective counts {have} passed choices, there are {need}"
    return [Violation(NAME, "rank", have, need, sentence)]
