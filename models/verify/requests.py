"""Requests: each is served by exactly one of its choices, with as many devices as that asks.

Every device fits its choice; a claim gets 32 devices at most. ALL choices are counted in reach.py.
"""

from collections import Counter

from gangplan.models.claims import ALL, MOST_RESULTS
from gangplan.models.instance import Instance
from gangplan.models.verify.allocated import Allocation, broken
from gangplan.models.verify.violation import Violation


def check_requests(instance: Instance, used: list[Allocation]) -> list[Violation]:
    """Check choices, numbers and fit of the devices of every claim in use."""
    claims = instance.claims
    asked: dict[int, list[int]] = {}
    for q, s in enumerate(claims.request_spec.tolist()):
        asked.setdefault(s, []).append(q)
    return [
        violation
        for one in used
        for violation in (
            *_choices(instance, one, asked[one.spec]),
            *_numbers(instance, one),
            *_fit(instance, one),
        )
    ]


def _choices(instance: Instance, one: Allocation, requests: list[int]) -> list[Violation]:
    """One choice a request, of the claim's own spec."""
    names, claims = instance.names, instance.claims
    taken: dict[int, list[int]] = {q: [] for q in requests}
    found = []
    for b in dict.fromkeys(b for b, _ in one.rows):
        q = int(claims.choice_request[b])
        if q in taken:
            taken[q].append(b)
        else:
            said = f"a device for request {names.choices[b]}, which another claim has"
            found.append(broken(one.what, 1, 0, said))
    for q, choices in taken.items():
        if len(choices) == 1:
            continue
        if choices:
            said = f"two choices of one request: {', '.join(names.choices[b] for b in choices)}"
        else:
            first = names.choices[claims.choice_request.tolist().index(q)]
            said = f"request {first.partition('/')[0]}: no device"
        found.append(broken(one.what, len(choices), 1, said))
    return found


def _numbers(instance: Instance, one: Allocation) -> list[Violation]:
    found = []
    for b, have in Counter(b for b, _ in one.rows).items():
        need = int(instance.claims.choice_count[b])
        if need not in (ALL, have):
            said = f"request {instance.names.choices[b]}: {have} devices, {need} expected"
            found.append(broken(one.what, have, need, said))
    if len(one.rows) > MOST_RESULTS:
        said = f"{len(one.rows)} devices, a claim may have {MOST_RESULTS}"
        found.append(broken(one.what, len(one.rows), MOST_RESULTS, said))
    return found


def _fit(instance: Instance, one: Allocation) -> list[Violation]:
    names, fits = instance.names, instance.claims.fits
    return [
        broken(
            one.what, 0, 1, f"request {names.choices[b]}: device {names.devices[i]} does not fit it"
        )
        for b, i in dict.fromkeys(one.rows)
        if not fits[b, i]
    ]
