"""What could come back, the slow way: every subset of what fell, judged by brute force."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations

import numpy as np

from gangplan.models.instance import Instance
from gangplan.models.plan import Allocations, Plan
from gangplan.models.verify.needless import returning
from tests import brute, brute_preemption
from tests.brute_staying import staying
from tests.brute_victims import lawful, root_of

ROW = ("pod", "claim", "choice", "device")


def judge(instance: Instance, plan: Plan) -> list[int]:
    """Compare ``returning`` with every subset; return the sizes of the parts."""
    ways = list(_could(instance, plan))
    found = [frozenset(back.units) for back in returning(instance, plan)]
    said = f"{plan=} {ways=} {found=}"
    for back in found:
        assert back in ways, said
    size = {_root(instance, back): len(back) for back in found}
    for way in ways:
        if any(other < way for other in ways):
            continue
        root = _root(instance, way)
        if len(way) == 1:
            assert way in found, said
        # Of a tree the fewest children come back, which need not be the fewest pods.
        elif root >= len(instance.groups):
            assert root in size, said
        else:
            assert size.get(root, 2**62) <= len(way), said
    return [len(back) for back in found]


def sound(instance: Instance, plan: Plan) -> bool:
    """Does the plan keep rules 3 to 8, whoever its victims fall for?"""
    units = frozenset(plan.evicted.tolist())
    alone = replace(plan, evicted=np.zeros(0, dtype=np.int64))
    return lawful(instance, units) and any(
        brute.allowed(brute_preemption.after(instance, units, freed), alone)
        for freed in brute_preemption.every_freed(instance, units)
    )


def _could(instance: Instance, plan: Plan) -> Iterator[frozenset[int]]:
    """Every set of fallen units that could come back, the small ones first."""
    units = plan.evicted.tolist()
    for back in chain.from_iterable(combinations(units, n + 1) for n in range(len(units))):
        if sound(instance, _without(instance, plan, frozenset(back))):
            yield frozenset(back)


def _without(instance: Instance, plan: Plan, back: frozenset[int]) -> Plan:
    """Let units come back, and take away what rule 9 takes away."""
    pods = staying(instance, plan, max(int(instance.running.priority[v]) for v in back))
    stay = np.isin(np.arange(instance.n_pods), sorted(pods))
    given, claims = plan.allocations, instance.claims
    roles = set(instance.pod_role[stay].tolist())
    pairs = zip(claims.user_shared.tolist(), claims.user_role.tolist(), strict=True)
    used = {c for c, k in pairs if k in roles}
    rows = zip(*(getattr(given, name).tolist() for name in ROW), strict=True)
    left = [row for row in rows if (stay[row[0]] if row[0] >= 0 else row[1] in used)]
    held = stay[plan.device_pod]
    return Plan(
        np.where(stay, plan.node, -1),
        plan.device_pod[held],
        plan.device[held],
        Allocations(*np.array(left, dtype=np.int64).reshape(-1, 4).T),
        np.array([v for v in plan.evicted.tolist() if v not in back], dtype=np.int64),
    )


def _root(instance: Instance, units: frozenset[int]) -> int:
    (root,) = {
        root_of(instance, g) if g >= 0 else -1 - v
        for v in units
        for g in {int(instance.running.pod_group[u]) for u in instance.running.pods_of(v)}
    }
    return root
