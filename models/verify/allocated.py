"""What each claim gets in a plan, and who stands where with it; which claims get anything at all.

An own claim is allocated exactly when its pod is placed, a shared one exactly when a pod that uses
it is, unless it was before; no more new pods use a shared claim than may.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.violation import Violation

NAME = "claims"

Key = tuple[int, int]
"""(pod, number of its own claim), or (-1, number of a shared claim)."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """One claim that somebody placed uses.

    Attributes
    ----------
    what : the claim, for a sentence.
    spec : what it asks.
    nodes : nodes with a user, each once, in order.
    rows : (choice, device) of every device given, in the plan's order.
    """

    what: str
    spec: int
    nodes: tuple[int, ...]
    rows: tuple[Key, ...]


def claim_name(instance: Instance, key: Key) -> str:
    """``pod NS/P, claim W`` or ``claim NS/C``."""
    pod, claim = key
    if pod < 0:
        return f"claim {instance.names.shared[claim]}"
    return f"pod {instance.names.pods[pod]}, claim {instance.names.own[claim] or claim}"


def broken(what: str, have: int, need: int, sentence: str) -> Violation:
    """Name the claim, and say what is wrong with it."""
    return Violation(NAME, what, have, need, f"{what}: {sentence}")


def rows_by_claim(plan: Plan) -> dict[Key, list[Key]]:
    """Map each claim that the plan gives devices to its (choice, device) rows."""
    rows: dict[Key, list[Key]] = {}
    given = plan.allocations
    for pod, claim, choice, device in zip(
        given.pod.tolist(),
        given.claim.tolist(),
        given.choice.tolist(),
        given.device.tolist(),
        strict=True,
    ):
        rows.setdefault((pod, claim), []).append((choice, device))
    return rows


def allocations_of(instance: Instance, plan: Plan) -> tuple[list[Allocation], list[Violation]]:
    """List the claims in use with what they get, and what is wrong with that at a glance."""
    rows = rows_by_claim(plan)
    users = users_by_claim(instance, plan)
    used, found = [], []
    for key, spec, nodes in _in_use(instance, plan, users):
        mine = rows.pop(key, [])
        what = claim_name(instance, key)
        if mine:
            used.append(Allocation(what, spec, nodes, tuple(mine)))
        else:
            found.append(broken(what, 0, 1, f"no device, but {_where(instance, key, nodes)}"))
    for key, stray in rows.items():
        why = _stray(instance, key)
        found.append(broken(claim_name(instance, key), len(stray), 0, why))
    for c, pods in enumerate(users):
        limit = int(instance.claims.shared_limit[c])
        if len(pods) > limit:
            said = f"{len(pods)} new pods use it, at most {limit} may"
            found.append(broken(claim_name(instance, (-1, c)), len(pods), limit, said))
    return used, found


def users_by_claim(instance: Instance, plan: Plan) -> list[list[int]]:
    """C lists: the placed pods that use each shared claim."""
    claims, first = instance.claims, instance.pod_start.tolist()
    users: list[list[int]] = [[] for _ in range(claims.n_shared)]
    pairs = zip(claims.user_shared.tolist(), claims.user_role.tolist(), strict=True)
    for c, k in sorted(set(pairs)):
        here = np.flatnonzero(plan.node[first[k] : first[k + 1]] >= 0) + first[k]
        users[c] += here.tolist()
    return users


def _in_use(
    instance: Instance, plan: Plan, users: list[list[int]]
) -> Iterator[tuple[Key, int, tuple[int, ...]]]:
    """Yield every claim that has to be allocated: its key, spec, and the nodes of its users."""
    claims = instance.claims
    own: dict[int, list[int]] = {}
    for w, k in enumerate(claims.own_role.tolist()):
        own.setdefault(k, []).append(w)
    spec = claims.own_spec.tolist()
    having = np.isin(instance.pod_role, claims.own_role) & (plan.node >= 0)
    for p in np.flatnonzero(having).tolist():
        for w in own[int(instance.pod_role[p])]:
            yield (p, w), spec[w], (int(plan.node[p]),)
    for c, pods in enumerate(users):
        if pods and claims.shared_spec[c] >= 0:
            nodes = sorted({int(plan.node[p]) for p in pods})
            yield (-1, c), int(claims.shared_spec[c]), tuple(nodes)


def _where(instance: Instance, key: Key, nodes: tuple[int, ...]) -> str:
    if key[0] >= 0:
        return f"the pod is on node {instance.names.nodes[nodes[0]]}"
    first = instance.names.nodes[nodes[0]]
    if len(nodes) == 1:
        return f"pods that use it are on node {first}"
    return f"pods that use it are on {len(nodes)} nodes, first {first}"


def _stray(instance: Instance, key: Key) -> str:
    """Say why a claim that has devices may have none."""
    pod, claim = key
    claims = instance.claims
    if pod < 0:
        if claims.shared_spec[claim] < 0:
            return "devices, but it is allocated already"
        return "devices, but no pod that uses it is placed"
    if claims.own_role[claim] != instance.pod_role[pod]:
        return "devices, but the pod has no such claim"
    return "devices, but the pod is not placed"
