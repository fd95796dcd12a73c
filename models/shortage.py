"""Why a group cannot be placed, by counting: exact integers, no solver, no second opinion.

A gang cannot be placed when no domain it may use has slots for its minimum, each role and each
resource counted by itself, every other waiting group ignored, and every unit gone that can fall
(``slots.seen_by``). The test is necessary, not sufficient: a group that passes may still not fit.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.needs import Needs, least_total, needs_of
from gangplan.models.options.slots import scarce_claims
from gangplan.models.slots import Slots, seen_by, shared_slots, slots_of


@dataclass(frozen=True, slots=True)
class Shortage:
    """The best domain a group may use, and what is missing there.

    Attributes
    ----------
    need : new pods the group's minimum asks for (or the role's, where ``role`` is set).
    have : no more than this many could be placed in any one domain.
    resource : what runs out first in that domain (a resource, or ``devices for request NAME of
        claim CLAIM``); ``eligible nodes`` where none may be used.
    domain : the best domain, as ``key=value``; empty where the whole cluster was counted.
    role : the role that lacks room; empty where it is the group as a whole.
    """

    need: int
    have: int
    resource: str
    domain: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """Node sets one of which must hold all new pods of a group: ``label`` (N,) in 0..n-1, or -1."""

    label: Ints
    names: tuple[str, ...]


def cannot_be_placed(
    instance: Instance, group: int, needs: Needs | None = None, slots: Slots | None = None
) -> Shortage | None:
    """Return the shortage that proves a gang cannot reach its minimum; None where none is found.

    For a basic or bare group: that not even one pod fits. Held groups and gangs that stand give
    None: nothing is asked of the cluster. ``needs`` and ``slots`` save work over many groups.
    """
    needs = needs_of(instance) if needs is None else needs
    slots = slots_of(instance) if slots is None else slots
    groups = instance.groups
    if groups.held[group] or needs.stands[group]:
        return None
    start, end = instance.role_start[group : group + 2].tolist()
    need = int(needs.group[group]) if groups.kind[group] == GANG else 1
    instance = seen_by(instance, group)
    sets = _candidates(instance, group)
    if start == end or not sets.names:
        return Shortage(need, 0, "eligible nodes")
    room = np.array([slots.of_role(k) for k in range(start, end)])
    own = needs.role[start:end]
    have, scarce = _capacity(instance, start, end, room, sets, need, needs)
    by_role = _per_set(sets, room)
    role_short = by_role < own[:, None]
    if ((have >= need) & ~role_short.any(axis=0)).any():
        return None
    best = int(np.argmax(np.where(role_short.any(axis=0), np.minimum(have, need - 1), have)))
    inside = sets.label == best
    short = np.flatnonzero(role_short[:, best])
    if len(short):
        k = int(short[0])
        name = instance.names.roles[start + k] or f"number {k + 1}"
        lacks = _scarcest(instance, start + k, inside)
        return Shortage(int(own[k]), int(by_role[k, best]), lacks, sets.names[best], name)
    resource = int(scarce[best])
    if resource >= 0:
        lacks = instance.names.resources[resource]
    else:
        lacks = _scarcest(instance, start + int(np.argmin(by_role[:, best])), inside)
    return Shortage(need, int(have[best]), lacks, sets.names[best])


def _candidates(instance: Instance, group: int) -> _Candidates:
    """Cut the nodes by the finest whole required rule; the other rules only exclude nodes."""
    rules, topology = instance.rules, instance.topology
    allowed = np.ones(len(instance.nodes), dtype=np.bool_)
    fixed = rules.fixed()
    finest = -1
    for t in _whole_rules(instance, group):
        level = int(rules.level[t])
        domain = topology.domain[level]
        allowed &= domain == fixed[t] if fixed[t] >= 0 else domain >= 0
        if finest < 0 or len(topology.domains_of(level)) > len(topology.domains_of(finest)):
            finest = level
    for sliced in np.flatnonzero((rules.owner == group) & (rules.slice > 0)):
        allowed &= topology.domain[rules.level[sliced]] >= 0
    if finest < 0:
        return _Candidates(np.where(allowed, 0, -1), ("",))
    number = np.where(allowed, topology.domain[finest], -1)
    present = np.bincount(number[allowed], minlength=topology.n_domains) > 0
    used = np.flatnonzero(present)
    label = np.where(allowed, np.cumsum(present)[number] - 1, -1)
    key = instance.names.levels[finest]
    return _Candidates(label, tuple(f"{key}={instance.names.domains[d]}" for d in used))


def _whole_rules(instance: Instance, group: int) -> list[int]:
    """Whole required rules of the group and of every composite above it."""
    owners = [group, *(len(instance.groups) + h for h in instance.ancestors(group))]
    mine = instance.rules.is_whole() & np.isin(instance.rules.owner, owners)
    return [int(t) for t in np.flatnonzero(mine)]


def _per_set(sets: _Candidates, amounts: Ints) -> Ints:
    """(..., N) amounts per node -> (..., n) sums per candidate set."""
    inside = sets.label >= 0
    label, n = sets.label[inside], len(sets.names)
    out = np.zeros((*amounts.shape[:-1], n), dtype=amounts.dtype)
    for row in np.ndindex(amounts.shape[:-1]):
        np.add.at(out[row], label, amounts[row][inside])
    return out


def _capacity(
    instance: Instance,
    start: int,
    end: int,
    slots: Ints,
    sets: _Candidates,
    need: int,
    needs: Needs,
) -> tuple[Ints, Ints]:
    """(n,) pods that fit each set at most, and the resource that says so (-1: the slots)."""
    wanted = instance.roles.wanted[start:end]
    have = np.minimum(_per_set(sets, slots), wanted[:, None]).sum(axis=0)
    scarce = np.full(len(have), -1, dtype=np.int64)
    usable = (slots > 0).any(axis=0)
    group = int(instance.roles.group[start])
    for t in np.flatnonzero((instance.rules.owner == group) & (instance.rules.slice > 0)):
        have = np.minimum(have, _sliced(instance, int(t), slots, sets))
    for r in range(instance.nodes.free.shape[1]):
        free = np.where(usable, instance.nodes.free[:, r], 0)
        least = int(instance.roles.request[start:end, r].min())
        if least:
            cap = _per_set(sets, np.minimum(free // least, wanted.sum()))
            tighter = cap < have
            have, scarce = np.where(tighter, cap, have), np.where(tighter, r, scarce)
        each = instance.roles.request[:, r]
        total = least_total(instance, group, each, need, needs.role)
        empty = _too_little(sets, free, total) & (have >= need)
        have, scarce = np.where(empty, need - 1, have), np.where(empty, r, scarce)
    return have, scarce


def _too_little(sets: _Candidates, free: Ints, total: int) -> Flags:
    """(n,) sets whose free room, node by node, adds up to less than ``total``."""
    if total >= 2**63:  # int64 cannot hold it; Python integers can
        return np.asarray(_per_set(sets, free.astype(object)) < total, dtype=np.bool_)
    enough = np.minimum(free, total)  # no node needs to give more, and then few sums wrap round
    if total * len(free) >= 2**63:
        enough = enough.astype(object)
    return np.asarray(_per_set(sets, enough) < total, dtype=np.bool_)


def _sliced(instance: Instance, rule: int, slots: Ints, sets: _Candidates) -> Ints:
    """(n,) pods that fit each set in whole slices: k floor((running + slots) / k) - running."""
    size = int(instance.rules.slice[rule])
    level = instance.topology.domain[instance.rules.level[rule]]
    d = instance.topology.n_domains
    inside = (sets.label >= 0) & (level >= 0)
    room = np.zeros((len(sets.names), d), dtype=np.int64)
    np.add.at(room, (sets.label[inside], level[inside]), slots.sum(axis=0)[inside])
    members = np.zeros(d, dtype=np.int64)
    for domain, count in instance.rules.members(rule).items():
        members[domain] = count
    whole = size * ((members + room) // size) - members
    total: Ints = np.maximum(whole, 0).sum(axis=1)
    return total


def _scarcest(instance: Instance, role: int, nodes: Flags) -> str:
    """Name what limits the role most on the nodes: the resource with the fewest slots by itself."""
    eligible = nodes & instance.roles.eligible[role][instance.nodes.node_class]
    if not eligible.any():
        return "eligible nodes"
    counts: list[tuple[int, str]] = []
    for r in np.flatnonzero(instance.roles.request[role]):
        fit = instance.nodes.free[eligible, r] // instance.roles.request[role, r]
        counts.append((sum(fit.tolist()), instance.names.resources[r]))
    share, whole = int(instance.roles.share[role]), int(instance.roles.whole[role])
    if len(instance.shared) and (share or whole):
        counts.append((int(shared_slots(instance, share, whole)[eligible].sum()), "shared devices"))
    if instance.claims:
        scarce = scarce_claims(instance, role)
        counts += [(sum(room[eligible].tolist()), name) for name, room in scarce.items()]
    return min(counts)[1] if counts else "eligible nodes"
