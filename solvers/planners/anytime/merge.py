"""Two plans that grew out of one: what changed in either is put into one plan.

Nothing here is checked: whoever merges compares and verifies. Where the changes are in disjoint
nodes and groups, the merged plan does what both do.
"""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.plan import Allocations, Plan


def merged(base: Plan, now: Plan, found: Plan) -> Plan:
    """Return ``now`` with what ``found`` changed of ``base``."""
    if now is base:
        return found
    pods = found.node != base.node
    pods[_differ(_held(base), _held(found))] = True
    pods[_differ(_own(base), _own(found))] = True
    return Plan(
        np.where(pods, found.node, now.node),
        *_devices(now, found, pods),
        _allocations(base, now, found, pods),
        _evicted(base, now, found),
    )


def _differ(rows: Ints, others: Ints) -> Ints:
    """Return the first numbers of rows that do not stand equally often in both."""
    every, at = np.unique(np.concatenate([rows, others]), axis=0, return_inverse=True)
    sign = np.repeat([1, -1], [len(rows), len(others)])
    more: Ints = every[np.bincount(at.reshape(-1), sign, len(every)) != 0, 0]
    return more


def _held(plan: Plan) -> Ints:
    """Rows of shared devices: pod, device."""
    return np.column_stack([plan.device_pod, plan.device])


def _own(plan: Plan) -> Ints:
    """Rows of the devices of own claims, pod first."""
    given = plan.allocations
    rows = np.column_stack([given.pod, given.claim, given.choice, given.device])
    own: Ints = rows[given.pod >= 0]
    return own


def _devices(now: Plan, found: Plan, pods: Flags) -> tuple[Ints, Ints]:
    stay, come = ~pods[now.device_pod], pods[found.device_pod]
    pod = np.concatenate([now.device_pod[stay], found.device_pod[come]])
    device = np.concatenate([now.device[stay], found.device[come]])
    order = np.lexsort((device, pod))
    return pod[order], device[order]


def _allocations(base: Plan, now: Plan, found: Plan, pods: Flags) -> Allocations:
    """Own claims go with their pods; a shared claim's rows come from whoever changed them."""
    shared = _shared_changed(base.allocations, found.allocations)
    parts = []
    for given, take in ((now.allocations, False), (found.allocations, True)):
        own = given.pod >= 0
        change = np.isin(given.claim, shared)
        if len(given):
            change[own] = pods[given.pod[own]]
        rows = change if take else ~change
        parts.append([given.pod[rows], given.claim[rows], given.choice[rows], given.device[rows]])
    return Allocations(*(np.concatenate(two) for two in zip(*parts, strict=True)))


def _shared_changed(base: Allocations, found: Allocations) -> Ints:
    """Shared claims that do not have the same rows in both."""
    first, second = (
        np.column_stack([one.claim, one.choice, one.device])[one.pod < 0] for one in (base, found)
    )
    return np.unique(_differ(first, second))


def _evicted(base: Plan, now: Plan, found: Plan) -> Ints:
    """Who falls or comes back in ``found`` does so, the rest as in ``now``."""
    came = np.setdiff1d(found.evicted, base.evicted)
    back = np.setdiff1d(base.evicted, found.evicted)
    evicted: Ints = np.union1d(np.setdiff1d(now.evicted, back), came)
    return evicted
