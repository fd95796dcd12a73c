"""The devices that a plan names, for brute force: claim by claim, then all of them together."""

from collections import Counter

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from tests.brute_devices import reaches, uses_of, values_of

Rows = list[tuple[int, int]]
"""Choice and device of each row of one claim."""


def allocated_ok(instance: Instance, plan: Plan) -> bool:
    """Do the devices that the plan names keep rules 1-8?"""
    given = plan.allocations
    rows: dict[tuple[int, int], Rows] = {}
    for p, c, b, i in zip(
        given.pod.tolist(),
        given.claim.tolist(),
        given.choice.tolist(),
        given.device.tolist(),
        strict=True,
    ):
        rows.setdefault((p, c), []).append((b, i))
    claims = instance.claims
    due: dict[tuple[int, int], tuple[int, set[int]]] = {}
    for p, n in enumerate(plan.node.tolist()):
        for w, k in enumerate(claims.own_role.tolist()):
            if n >= 0 and k == instance.pod_role[p]:
                due[p, w] = (int(claims.own_spec[w]), {n})
    for c, spec in enumerate(claims.shared_spec.tolist()):
        users = [
            n
            for p, n in enumerate(plan.node.tolist())
            if n >= 0 and _uses(instance, c, int(instance.pod_role[p]))
        ]
        if len(users) > claims.shared_limit[c]:
            return False
        if spec < 0:
            zone = instance.devices.zones[claims.shared_zone[c]]
            if not all(zone[n] for n in users):
                return False
        elif users:
            due[-1, c] = (spec, set(users))
    if set(rows) != set(due):
        return False
    return all(_served(instance, *due[who], mine) for who, mine in rows.items()) and _lasts(
        instance, [row for mine in rows.values() for row in mine], list(rows.values())
    )


def _uses(instance: Instance, shared: int, role: int) -> bool:
    claims = instance.claims
    return (shared, role) in set(
        zip(claims.user_shared.tolist(), claims.user_role.tolist(), strict=True)
    )


def _served(instance: Instance, spec: int, nodes: set[int], rows: Rows) -> bool:
    """Rules 1-3, 5 and 7 for one claim."""
    claims, devices = instance.claims, instance.devices
    taken = {b for b, _ in rows}
    requests = [q for q, s in enumerate(claims.request_spec.tolist()) if s == spec]
    if len(rows) > 32 or sorted(int(claims.choice_request[b]) for b in taken) != requests:
        return False
    for b, i in rows:
        if not claims.fits[b, i] or any(claims.barred[b, n] for n in nodes):
            return False
        if devices.taken[i] and not claims.choice_admin[b]:
            return False
        if not all(reaches(instance, i, n) for n in nodes):
            return False
    whole = []
    for b in taken:
        mine = [i for choice, i in rows if choice == b]
        if claims.choice_count[b]:
            if len(mine) != claims.choice_count[b]:
                return False
        else:
            whole.append((b, sorted(mine)))
    if whole and not any(all(mine == _asked(instance, b, n) for b, mine in whole) for n in nodes):
        return False
    return all(
        _keeps(instance, x, rows)
        for x, owner in enumerate(claims.rule_spec.tolist())
        if owner == spec
    )


def _asked(instance: Instance, choice: int, node: int) -> list[int]:
    """Devices that an ALL choice looks at from a node, each once."""
    return [
        i
        for i in range(len(instance.devices))
        if instance.claims.asks[choice, i] and reaches(instance, i, node)
    ]


def _keeps(instance: Instance, rule: int, rows: Rows) -> bool:
    claims = instance.claims
    attribute = int(claims.rule_attribute[rule])
    bound = [
        values_of(instance, i, attribute)
        for b, i in rows
        if any(
            x == rule and member == b
            for x, member in zip(
                claims.member_rule.tolist(), claims.member_choice.tolist(), strict=True
            )
        )
    ]
    if any(not values for values in bound):
        return False
    if claims.rule_distinct[rule]:
        return not any(left & right for n, left in enumerate(bound) for right in bound[n + 1 :])
    return not bound or any(all(value in values for values in bound) for value in bound[0])


def _lasts(instance: Instance, rows: Rows, by_claim: list[Rows]) -> bool:
    """Rules 4 and 6: no device twice where it may not be, and counters and pots last."""
    claims, devices = instance.claims, instance.devices
    for mine in by_claim:
        times = Counter(i for _, i in mine)
        if any(claims.choice_admin[b] and times[i] > 1 for b, i in mine):
            return False
    paid = [(b, i) for b, i in rows if not claims.choice_admin[b]]
    times = Counter(i for _, i in paid)
    if any(n > 1 and not devices.multi[i] for i, n in times.items()):
        return False
    for counter, free in enumerate(devices.counter_free.tolist()):
        drawn = sum(
            amount
            for i, which, amount in zip(
                devices.draw_device.tolist(),
                devices.draw_counter.tolist(),
                devices.draw_amount.tolist(),
                strict=True,
            )
            if which == counter and i in times
        )
        if drawn > free:
            return False
    used: Counter[int] = Counter()
    for b, i in paid:
        for pot, amount in uses_of(instance, b, i):
            used[pot] += amount
    return all(used[pot] <= free for pot, free in enumerate(devices.pot_free.tolist()))
