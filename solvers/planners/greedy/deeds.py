"""Deeds: the claims of a finished plan, each with its devices."""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.plan import Allocations, Plan
from gangplan.solvers.planners.greedy.allocator.search import Given
from gangplan.solvers.planners.greedy.dealt import Dealt


def allocations(dealt: Dealt, plan: Plan, roles: Ints) -> Allocations:
    """Deal devices to the pods of a plan and to shared claims; ``roles`` (P,) of the pods."""
    rows: list[tuple[int, int, int, int]] = []
    at_node: dict[int, list[int]] = {}
    for c, site in dealt.sites.items():
        rows += [(-1, c, b, i) for b, i in site.given]
        if site.node >= 0:
            at_node.setdefault(site.node, []).append(c)
    pods: dict[int, list[int]] = {}
    for p in np.flatnonzero(dealt.asks(roles) & (plan.node >= 0)).tolist():
        pods.setdefault(int(plan.node[p]), []).append(p)
    for node in sorted({*pods, *at_node}):
        served = dealt.served(node)
        for c in at_node.get(node, ()):
            rows += _rows(-1, c, served[int(dealt.claims.shared_spec[c])].pop())
        for p in pods.get(node, ()):
            for w in dealt.claims.own_of(int(roles[p])):
                rows += _rows(p, w, served[int(dealt.claims.own_spec[w])].pop())
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 4)
    return Allocations(*(table[:, n] for n in range(4)))


def _rows(pod: int, claim: int, given: Given) -> list[tuple[int, int, int, int]]:
    return [(pod, claim, b, i) for b, i in given]
